"""A page of the list of documents, read from where it begins, however many documents there are."""

import re
import time
from collections import Counter
from fnmatch import translate
from typing import Final, NamedTuple

from fpdb.documents.document import Document, document_of
from fpdb.documents.listing import literal_prefix
from fpdb.storage import file_format
from fpdb.storage.snapshot import Snapshot

PAGE: Final = 50
"""Documents on a page."""
SECONDS: Final = 2.0
"""Time to look for names that match; where it ends, the next page begins."""
_STEP: Final = 256
"""Names between two looks at the clock."""


class DocumentPage(NamedTuple):
    """Documents by name. after: the name after which the next page begins, or None; complete: False if time ran out."""

    documents: list[Document]
    after: str | None
    complete: bool = True


def languages_of(page: DocumentPage) -> list[str]:
    """Return the languages of programs on a page, those of most programs first."""
    languages = Counter(each.note.partition(";")[0] for each in page.documents if each.kind == "code")
    return [language for language, _ in languages.most_common()]


def read_page(snapshot: Snapshot, glob: str, after: str) -> DocumentPage:
    """Return the documents that follow a name, "" for the first, whose names match a shell pattern, "" for all.

    Raises BadName, Corrupt.
    """
    matches = re.compile(translate(glob or "*")).match
    last = file_format.name_bytes(after) if after else b""
    deadline = time.monotonic() + SECONDS
    documents: list[Document] = []
    entries = snapshot.catalogue.names_after(literal_prefix(glob or "*"), last)
    for number, (name, document_id) in enumerate(entries, 1):
        text = file_format.name_text(name)
        if matches(text):
            if len(documents) == PAGE:
                return DocumentPage(documents, documents[-1].name)
            documents.append(document_of(document_id, snapshot.catalogue.record(document_id)))
        if number % _STEP == 0 and time.monotonic() > deadline:
            return DocumentPage(documents, text, complete=False)
    return DocumentPage(documents, None)
