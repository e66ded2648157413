"""Groups of records, which are stored together: read from wherever they are, and cached."""

from collections.abc import Callable
from typing import Any, Final

from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.file_format import RECORDS_PER_GROUP
from fpdb.storage.records import Record, as_record, unpack_rows

CACHED_GROUPS: Final = 512
CACHED_BYTES: Final = 1 << 21  # of them; as a rule a quarter of it
Rows = list[Record | list[Any] | None]
"""A group of records; a list is a record as it is stored."""


class RecordGroups:
    """Groups that do not change. Every method raises Corrupt."""

    def __init__(self, read: Callable[[int], bytes | memoryview | None]) -> None:
        """Read groups through a function from a group's number to its value, None if there is none."""
        self._read = read
        self._cached: dict[int, Rows] = {}
        self._cached_bytes = 0

    def rows(self, index: int) -> Rows:
        """Return a group. It is cached: who asks for a record may ask for its neighbours."""
        rows = self._cached.get(index)
        if rows is None:
            if len(self._cached) >= CACHED_GROUPS:
                del self._cached[next(iter(self._cached))]
            rows = [None] * RECORDS_PER_GROUP
            value = self._read(index)
            if value is not None:
                rows, size = unpack_rows(file_format.id_key(index), value)
                self._cached_bytes += size
                if self._cached_bytes > CACHED_BYTES:
                    self._cached, self._cached_bytes = {}, size
            self._cached[index] = rows
        return rows

    def record(self, document_id: int) -> Record:
        """Return the record of a document, which must exist."""
        index, place = divmod(document_id, RECORDS_PER_GROUP)
        return record_in(self.rows(index), document_id, place)

    def clear(self) -> None:
        """Forget what is cached."""
        self._cached.clear()
        self._cached_bytes = 0


def record_in(rows: Rows, document_id: int, place: int) -> Record:
    """Return the record in a place of its group, which must be there. Raises Corrupt."""
    record = rows[place] = as_record(file_format.id_key(document_id // RECORDS_PER_GROUP), rows[place])
    if record is None:
        raise missing(document_id)
    return record


def missing(document_id: int) -> Corrupt:
    """Return the error for a document without a record."""
    return Corrupt(f"document {document_id} has no record; run 'fpdb check'")
