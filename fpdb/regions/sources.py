"""Where a document's content is had from, and else why not: the text that was kept, then the file that is its source.

A caller may give the contents instead, who knows better where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, Literal, NamedTuple

from fpdb.errors import ContentChanged, Unreadable
from fpdb.fingerprint import content_digest
from fpdb.ingest.archives import MemberCache
from fpdb.regions.originals import FileId, read_original, why_unread
from fpdb.storage.file_format import Record
from fpdb.storage.reader import Reader

SourceState = Literal["same", "changed", "gone", "not_kept", "unavailable"]
"""Of a document's content: as it was added; another one; the file is gone; there is no file and the text was not kept;
it cannot be read for another reason."""

REASONS: Final[Mapping[SourceState, str]] = {
    "changed": "the source has changed since it was added",
    "gone": "the source is gone, and the text was not kept",
    "not_kept": "it did not come from a file here, and the text was not kept",
    "unavailable": "the source cannot be read",
}

Given = Callable[[int, Record], str | bytes | None]


class Found(NamedTuple):
    """What came of looking for a document's content, which is there where it is the same as was added."""

    state: SourceState
    content: str | bytes | None = None


class Sources:
    """Finds the contents of documents."""

    def __init__(self, own: Collection[FileId], given: Given | None = None) -> None:
        """own: files that may not be opened, see `read_original`. given: where to look instead."""
        self._own = own
        self._given = given
        self._passed = MemberCache()

    def find(self, view: Reader, number: int, record: Record) -> Found:
        """A document's content. Raises Corrupt, MissingPackage: its text is kept, and cannot be unpacked."""
        if self._given is not None:
            return _compared(self._given(number, record), record, "unavailable")
        kept = view.texts.read(number, record)
        if kept is not None:
            return Found("same", kept)
        return _compared(read_original(record.source, self._own, self._passed), record, why_unread(record.source))

    def read(self, view: Reader, number: int, record: Record) -> str | bytes:
        """The same; Unreadable, ContentChanged: it is not there, and why."""
        found = self.find(view, number, record)
        if found.content is not None:
            return found.content
        raise (ContentChanged if found.state == "changed" else Unreadable)(REASONS[found.state])


def _compared(content: str | bytes | None, record: Record, otherwise: SourceState) -> Found:
    if content is None:
        return Found(otherwise)
    return Found("same", content) if content_digest(content) == record.digest else Found("changed")
