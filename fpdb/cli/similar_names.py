"""Suggest names of documents that may be meant by one that no document has."""

from itertools import islice
from typing import TYPE_CHECKING, Final

from fpdb.errors import NoSuchDocument

if TYPE_CHECKING:
    from fpdb import Database

LOOKED_AT: Final = 100_000
"""Names that are looked at for parts of them."""
COMPARED: Final = 2_000
"""Names, at most, that are compared letter by letter."""
SHOWN: Final = 3


def require_document(db: "Database", name: str) -> None:
    """Raise NoSuchDocument, with names that may be meant, if no document has this one."""
    if name not in db:
        raise NoSuchDocument(f"no document is named {name!r}{suggestion(db, name)}")


def suggestion(db: "Database", name: str) -> str:
    """Return a question that ends an error, of the names of documents, see `did_you_mean`."""
    return did_you_mean(list(islice(db.names(), LOOKED_AT)), name)


def did_you_mean(names: list[str], name: str) -> str:
    """Return a question that ends an error: `; did you mean 'a' or 'b'?`; empty if no name is similar."""
    similar = [repr(each) for each in find_similar(names, name)]
    if not similar:
        return ""
    return f"; did you mean {', '.join(similar[:-1])}{' or ' if similar[:-1] else ''}{similar[-1]}?"


def find_similar(names: list[str], name: str) -> list[str]:
    """Return the names, up to SHOWN, that have this one in them, or its last part, or else nearly its letters."""
    if not name:
        return []
    folded = {each: each.casefold() for each in names}
    last = "/" + name.casefold().rpartition("/")[2]
    for part in (name.casefold(), last):
        holding = [each for each, text in folded.items() if part in text]
        if holding and len(part) > 1:
            return sorted(holding, key=len)[:SHOWN]
    if len(names) > COMPARED:
        return []
    from difflib import get_close_matches

    by_text = {text: each for each, text in folded.items()}
    return [by_text[text] for text in get_close_matches(name.casefold(), by_text, SHOWN, 0.75)]
