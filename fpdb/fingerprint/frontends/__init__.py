"""Front-ends: one module a kind of document, and the table of kinds.

A front-end turns a document into symbols of an alphabet, with the way back to the original. Nothing else
knows about kinds. Where it can make several alphabets, the recipe says which: it has a rule for one of them.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from fpdb.errors import UnknownKind
from fpdb.fingerprint.frontends import folding, text
from fpdb.fingerprint.symbols import Symbols


class Read(Protocol):
    """Content in, symbols of one of the front-end's alphabets out."""

    def __call__(self, content: bytes | str, alphabet: str, /) -> Symbols: ...


class FrontEnd(NamedTuple):
    """A row of the table: how a kind is read, and the alphabets it can be read in."""

    read: Read
    alphabets: tuple[str, ...]
    about: str


KINDS: Mapping[str, FrontEnd] = {
    "text": FrontEnd(text.read, folding.ALPHABETS, "plain text: letters and digits of any script, case folded"),
}


def find_kind(name: str) -> FrontEnd:
    """The row of that name; UnknownKind if there is none."""
    if name not in KINDS:
        raise UnknownKind(f"no front-end reads documents of kind {name!r}; kinds: {', '.join(KINDS)}")
    return KINDS[name]
