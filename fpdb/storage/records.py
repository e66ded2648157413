"""The record of a document, and the groups in which records are stored."""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgpack

from fpdb.arrays import I64, U8
from fpdb.errors import BadLabel, Corrupt
from fpdb.storage import _records
from fpdb.storage.file_format import (
    DIGEST_BYTES,
    LARGEST_COUNT,
    LONGEST_NAME,
    RECORDS_PER_GROUP,
    parse_id_key,
    seal,
    unpack_values,
    unseal,
)

LARGEST_RECORD: Final = (1 << 18) - 1  # bytes before compression
LARGEST_GROUP: Final = 1 << 21
SMALL_GROUP: Final = 1 << 12  # bytes before compression, up to which zlib needs no more than this:
SMALL_WINDOW_BITS: Final = 12  # preparing the tables for more takes longer than compressing
SMALL_MEMORY_LEVEL: Final = 4
MOST_LABELS: Final = 1024
MOST_TEXT: Final = 150_000
"""Bytes of a document's source, contact and labels; with the longest name, they fit into a record."""
LATEST: Final = 253_402_300_799  # the last second of the year 9999
NO_LABELS: Final[Mapping[str, str]] = {}


class Record(NamedTuple):
    """A document in the catalogue."""

    name: bytes
    kind: str
    digest: bytes
    symbols: int
    kgrams: int
    fingerprints: int  # postings
    hashes: int  # distinct hashes
    added: int  # seconds since 1970, UTC
    note: str = ""
    source: str | None = None
    contact: str | None = None
    labels: Mapping[str, str] = NO_LABELS
    rotation: int = 0  # which subset of its search fingerprints is stored
    text: int | None = None  # bytes of its text before compression, where that is kept

    def counted(self, fingerprints: int, hashes: int) -> "Record":
        """Return the record with these counts."""
        if fingerprints == self.fingerprints and hashes == self.hashes:
            return self
        return Record._make((*self[:5], fingerprints, hashes, *self[7:]))


_RECORD_TYPES: Final = frozenset(
    (bytes, str, bytes, *(int,) * 5, str, source, contact, dict, int, text)
    for source in (str, type(None))
    for contact in (str, type(None))
    for text in (int, type(None))
)


def record_fault(record: Record) -> str | None:
    """Return the part of a record that no fpdb has written, or None."""
    if tuple(map(type, record)) not in _RECORD_TYPES:
        return "the types of its values"
    # Unrolled, and by local names: this is done for each record that is read.
    name, _, digest, symbols, kgrams, fingerprints, hashes, added, _, _, _, labels, rotation, text = record
    if not 0 < len(name) <= LONGEST_NAME:
        return "its name"
    if len(digest) != DIGEST_BYTES:
        return "its digest"
    if not (
        0 <= symbols <= LARGEST_COUNT
        and 0 <= kgrams <= LARGEST_COUNT
        and 0 <= hashes <= fingerprints <= LARGEST_COUNT
        and 0 <= added <= LATEST
    ):
        return "its counts, or when it was added"
    if not 0 <= rotation <= LARGEST_COUNT or not 0 <= (text or 0) <= LARGEST_COUNT:
        return "its rotation, or its kept text's size"
    if labels and (len(labels) > MOST_LABELS or {str} != set(map(type, labels)) | set(map(type, labels.values()))):
        return "its labels"
    return None


def pack_records(key: bytes, records: Sequence[Record | list[Any] | None], level: int) -> bytes:
    """Return the value under a group's key.

    Args:
        key: The key.
        records: Records, or rows as `unpack_rows` returns them, or None for a document that is not there.
        level: Of compression, 0 to 9.

    Raises:
        BadLabel: The records are too large.
    """
    packed = msgpack.packb(records, unicode_errors="surrogateescape")
    if len(packed) > LARGEST_RECORD:
        for record in records:
            if (size := len(msgpack.packb(record, unicode_errors="surrogateescape"))) > LARGEST_RECORD:
                raise BadLabel(
                    f"{size:,} bytes of name, labels, source and contact are too many for a document; "
                    f"{LARGEST_RECORD:,} are the most"
                )
    return compress_group(key, packed, level)


def compress_group(key: bytes, packed: bytes, level: int) -> bytes:
    """Return the value under a group's key; packed: its records, packed by msgpack; level: 0 to 9."""
    if len(packed) > SMALL_GROUP:
        return seal(key, zlib.compress(packed, level))
    compressor = zlib.compressobj(level, zlib.DEFLATED, SMALL_WINDOW_BITS, SMALL_MEMORY_LEVEL)
    return seal(key, compressor.compress(packed) + compressor.flush())


def unpack_records(key: bytes, value: bytes | memoryview) -> list[Record | None]:
    """Return the RECORDS_PER_GROUP records of a group. Raises Corrupt."""
    return [as_record(key, row) for row in unpack_rows(key, value)[0]]


def unpack_rows(key: bytes, value: bytes | memoryview) -> tuple[list[Any], int]:
    """Return the rows of a group, which `as_record` and `pack_records` take, and their packed size in bytes.

    Raises:
        Corrupt: The group is malformed.
    """
    try:
        packed = _inflate(key, value)
        _records.check_shape(packed, RECORDS_PER_GROUP, len(Record._fields), MOST_LABELS)
        return unpack_values(packed, LARGEST_GROUP), len(packed)
    except _MALFORMED as error:
        raise _corrupt(key, error) from error


def as_record(key: bytes, row: Any) -> Record | None:
    """Return the record of a row of a group, which may be one already. Raises Corrupt."""
    if row is None or type(row) is Record:
        return row
    try:
        record = Record(*row)
        if (wrong := record_fault(record)) is not None:
            raise ValueError(f"{wrong} cannot be")
        return record
    except _MALFORMED as error:
        raise _corrupt(key, error) from error


def describe(key: bytes, value: bytes | memoryview, places: list[int], names: list[bytes], kgrams: list[int]) -> None:
    """Append the names and the counts of k-grams of records of a group; the rest of the group is not looked at.

    Args:
        key: The group's key.
        value: Its value.
        places: Which of its records, ascending.
        names: Names are appended here.
        kgrams: Counts are appended here.

    Raises:
        Corrupt: The group is malformed.
        LookupError: There is no such record.
    """
    try:
        _records.describe(_inflate(key, value), RECORDS_PER_GROUP, places, LONGEST_NAME, names, kgrams)
    except _MALFORMED as error:
        raise _corrupt(key, error) from error


def read_columns(
    key: bytes,
    value: bytes | memoryview,
    label_keys: list[str],
    columns: tuple[list[bytes], list[str], list[str | None]],
    arrays: tuple[I64, U8],
) -> list[int]:
    """Read what most records have in common out of a group, see `_records.read_columns`. Raises Corrupt."""
    try:
        return _records.read_columns(_inflate(key, value), RECORDS_PER_GROUP, _LIMITS, label_keys, columns, *arrays)
    except _MALFORMED as error:
        raise _corrupt(key, error) from error


_LIMITS: Final = LONGEST_NAME, LATEST, Record._fields.index("labels"), len(Record._fields)


def _inflate(key: bytes, value: bytes | memoryview) -> bytes:
    inflater = zlib.decompressobj()
    try:
        packed = inflater.decompress(unseal(key, value), LARGEST_GROUP)
    except zlib.error as error:
        if str(error).startswith(_NO_MEMORY):
            raise MemoryError(str(error)) from error
        raise
    if not inflater.eof:
        raise ValueError("the group is cut short, or too large")
    return packed


_NO_MEMORY: Final = "Error -4 "  # the beginning of zlib's message
_MALFORMED: Final = (TypeError, ValueError, zlib.error, msgpack.UnpackException)


def _corrupt(key: bytes, error: Exception) -> Corrupt:
    return Corrupt(f"the records of group {parse_id_key(key)} are malformed: {error!r}; run 'fpdb check'")
