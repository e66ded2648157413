"""Every key, header, record and version number of the file; no I/O.

docs/design/file-format.md describes the same bytes in words and is their only authority. Numbers and names that are on
disk must never change their meaning; a change makes a new FORMAT_VERSION.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgpack
import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb.errors import BadLabel, BadName, Corrupt, NewerFormat, NotADatabase
from fpdb.storage import _checksums, _records

MAGIC: Final = "fpdb"
FORMAT_VERSION: Final = 1

# Keys of the unnamed LMDB database, beside the named ones.
FORMAT_KEY: Final = b"fpdb.format"
STATE_KEY: Final = b"fpdb.state"
# The named databases. NAMES is the only one with keys that users choose.
BLOCKS: Final = b"fpdb.blocks"
DOCUMENTS: Final = b"fpdb.documents"
NAMES: Final = b"fpdb.names"
SIZES: Final = b"fpdb.sizes"
TEXTS: Final = b"fpdb.texts"
NAMED: Final = (BLOCKS, DOCUMENTS, NAMES, SIZES, TEXTS)

# Columns of a run, in the two bits of a block key between run and index.
FENCES: Final = 0
POSTINGS: Final = 1
POSITION_FENCES: Final = 2
POSITIONS: Final = 3

LARGEST_RUN: Final = 2**32 - 1
LARGEST_INDEX: Final = 2**30 - 1
FIRST_BOILERPLATE: Final = 2**31  # documents have ids below, boilerplate documents from here on
LAST_DOCUMENT: Final = FIRST_BOILERPLATE - 1
LAST_BOILERPLATE: Final = 2**32 - 1
LARGEST_POSITION: Final = 2**32 - 2
DEAD: Final = 2**32 - 1  # the size of a document that is not there

CHECKSUM: Final = 8
_PREFIX: Final = struct.Struct("<Q")
_BLOCK_KEY: Final = struct.Struct(">Q")
_ID: Final = struct.Struct(">I")
_TEXT_KEY: Final = struct.Struct(">II")

FENCES_PER_CHUNK: Final = 406
POSITION_FENCES_PER_CHUNK: Final = 2032
SIZES_PER_CHUNK: Final = 338
LONGEST_NAME: Final = 65535  # bytes
LONGEST_PLAIN_NAME: Final = 448  # LMDB keys end at 511 bytes; a longer name is cut here and its digest appended
DIGEST_BYTES: Final = 16
RECORDS_PER_GROUP: Final = 8
LARGEST_GROUP: Final = 1 << 26  # bytes before compression
LARGEST_TEXT: Final = 1 << 31  # bytes before compression
TEXT_PIECE: Final = 4064  # bytes of a text's packed form in a value, so that it fills one overflow page at most
LARGEST_COUNT: Final = 2**63 - 1
LATEST: Final = 253_402_300_799  # the last second of the year 9999
NO_LABELS: Final[Mapping[str, str]] = {}


# ---------------------------------------------------------------- checksums


def seal(key: bytes, body: bytes | memoryview) -> bytes:
    """The value stored under key: a checksum over key and body, then body."""
    return _PREFIX.pack(_checksum(key, body)) + body


def unseal(key: bytes, value: bytes | memoryview) -> memoryview:
    """The body of a value read under key. Raises Corrupt."""
    try:
        return _checksums.unseal(key, value)
    except ValueError:
        raise Corrupt(f"the value at {key!r} does not match its checksum; run 'fpdb check'") from None


def _checksum(key: bytes, body: bytes | memoryview) -> int:
    return xxhash.xxh3_64_intdigest(body, seed=xxhash.xxh3_64_intdigest(key))


def block_seal(key: int, body: bytes | memoryview) -> bytes:
    """The checksum of a block, whose 8-byte key itself is the seed; its 8 bytes precede the body."""
    return _PREFIX.pack(xxhash.xxh3_64_intdigest(body, seed=key))


# ---------------------------------------------------------------- keys


def block_number(run: int, column: int, index: int) -> int:
    """The key of a block as a number; its big-endian bytes are the key."""
    return run << 32 | column << 30 | index


def block_key(number: int) -> bytes:
    return _BLOCK_KEY.pack(number)


def parse_block_key(key: bytes) -> tuple[int, int, int]:
    """(run, column, index). Raises Corrupt."""
    (number,) = _parsed(_BLOCK_KEY, key)
    return number >> 32, number >> 30 & 3, number & LARGEST_INDEX


def id_key(number: int) -> bytes:
    """The key of a group of records, or of a chunk of sizes."""
    return _ID.pack(number)


def parse_id_key(key: bytes) -> int:
    """Raises Corrupt."""
    return _parsed(_ID, key)[0]


def text_key(document: int, piece: int = 0) -> bytes:
    """The key of a piece of a document's text."""
    return _TEXT_KEY.pack(document, piece)


def parse_text_key(key: bytes) -> tuple[int, int]:
    """(document, piece). Raises Corrupt."""
    document, piece = _parsed(_TEXT_KEY, key)
    return document, piece


def may_be_key(database: bytes, key: bytes | memoryview) -> bool:
    """Whether a named database may hold such a key."""
    if database == NAMES:
        return 0 < len(key) <= LONGEST_PLAIN_NAME or len(key) == LONGEST_PLAIN_NAME + 32
    return len(key) == {BLOCKS: 8, DOCUMENTS: 4, SIZES: 4, TEXTS: 8}[database]


def _parsed(form: struct.Struct, key: bytes) -> tuple[int, ...]:
    try:
        return form.unpack(key)
    except struct.error:
        raise Corrupt(f"{key!r} is not a key of {form.size} bytes; run 'fpdb check'") from None


def name_bytes(name: str) -> bytes:
    """A name as stored: UTF-8, with the bytes of a file name that is not UTF-8 restored. Raises BadName."""
    try:
        encoded = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise BadName(f"the name {name!r} has characters that no encoding holds; use another name") from None
    if not encoded:
        raise BadName("a document's name must not be empty")
    if len(encoded) > LONGEST_NAME:
        raise BadName(f"the name is {len(encoded)} bytes long; {LONGEST_NAME} is the most")
    return encoded


def name_key(name: bytes) -> bytes:
    """The key of a name: itself, or its beginning and its BLAKE2b-256 where it is too long for a key."""
    if len(name) <= LONGEST_PLAIN_NAME:
        return name
    import hashlib  # few names need it

    return name[:LONGEST_PLAIN_NAME] + hashlib.blake2b(name, digest_size=32).digest()


# ---------------------------------------------------------------- records


def _unpack(body: bytes | memoryview) -> Any:
    """msgpack of plain values only; no length in it is believed that the body has no room for. Raises ValueError."""
    try:
        return msgpack.unpackb(body, **_strict(len(body)))
    except msgpack.UnpackException as error:
        raise ValueError(f"it cannot be decoded: {error!r}") from error


def _strict(most: int) -> dict[str, Any]:
    """How msgpack is to read so many bytes."""
    return {
        "strict_map_key": True,
        "unicode_errors": "surrogateescape",
        "ext_hook": _refuse_extension,
        "max_str_len": most,
        "max_bin_len": most,
        "max_array_len": most,
        "max_map_len": most // 2,
        "max_ext_len": 0,
    }


def _refuse_extension(kind: int, _: bytes) -> Any:
    raise ValueError(f"extension types such as {kind} are not used")


def _is_count(value: object, most: int = LARGEST_COUNT) -> bool:
    return type(value) is int and 0 <= value <= most


def pack_format(recipe: Mapping[str, Any]) -> bytes:
    return seal(FORMAT_KEY, msgpack.packb({"magic": MAGIC, "version": FORMAT_VERSION, "recipe": recipe}))


def unpack_format(value: bytes | memoryview) -> dict[str, Any]:
    """The format record's recipe. Raises NotADatabase, NewerFormat, Corrupt."""
    try:
        record = _unpack(unseal(FORMAT_KEY, value))
    except ValueError as error:
        raise Corrupt(f"the format record is malformed: {error}") from error
    if not isinstance(record, dict) or record.get("magic") != MAGIC:
        raise NotADatabase("the file is an LMDB file of another program")
    version = record.get("version")
    if version != FORMAT_VERSION:
        raise NewerFormat(
            f"the database has format version {version!r}; this fpdb reads version {FORMAT_VERSION}: upgrade fpdb"
        )
    recipe = record.get("recipe")
    if not isinstance(recipe, dict):
        raise Corrupt("the format record has no recipe")
    return recipe


class Run(NamedTuple):
    """One live run: its number, its sizes, the range of its documents' ids, and how much of it is dead."""

    number: int
    postings: int
    blocks: int
    position_blocks: int  # 0: no posting has a position
    first_id: int
    last_id: int
    dead: int = 0  # postings of documents removed since the run was written

    @property
    def boilerplate(self) -> bool:
        """Whether it holds boilerplate documents; a run holds none or nothing else."""
        return self.first_id >= FIRST_BOILERPLATE

    def check(self) -> None:
        """ValueError where no run can be so."""
        mosts = (LARGEST_RUN, LARGEST_COUNT, LARGEST_INDEX + 1, LARGEST_INDEX + 1, LAST_BOILERPLATE, LAST_BOILERPLATE)
        if not all(map(_is_count, self, (*mosts, LARGEST_COUNT))):
            raise ValueError("a run has a number that is none, or out of range")
        if self.first_id > self.last_id or self.boilerplate != (self.last_id >= FIRST_BOILERPLATE):
            raise ValueError(f"run {self.number} has impossible documents")


class State(NamedTuple):
    """What a commit replaces: the counters and the list of live runs, oldest first, by document ids."""

    next_run: int = 1
    next_document: int = 0
    next_boilerplate: int = FIRST_BOILERPLATE
    documents: int = 0
    boilerplate_documents: int = 0
    texts: int = 0  # documents whose text is kept
    text_bytes: int = 0  # of those texts, before compression
    runs: tuple[Run, ...] = ()

    @property
    def postings(self) -> int:
        """Live postings, boilerplate's included."""
        return sum(run.postings - run.dead for run in self.runs)

    def pack(self) -> bytes:
        """The value under STATE_KEY."""
        return seal(STATE_KEY, msgpack.packb(self))

    @classmethod
    def unpack(cls, value: bytes | memoryview) -> State:
        """Raises Corrupt."""
        try:
            *counts, listed = _unpack(unseal(STATE_KEY, value))
            state = cls._make((*counts, tuple(Run(*fields) for fields in listed)))
            mosts = (LARGEST_RUN + 1, FIRST_BOILERPLATE, LAST_BOILERPLATE + 1, *(LARGEST_COUNT,) * 4)
            if not all(map(_is_count, state, mosts)) or state.next_boilerplate < FIRST_BOILERPLATE:
                raise ValueError("it has a number that is none, or out of range")
            for run in state.runs:
                run.check()
        except (TypeError, ValueError) as error:
            raise Corrupt(f"the state record is malformed: {error}; run 'fpdb check'") from error
        return state


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

    def counted(self, fingerprints: int, hashes: int) -> Record:
        """The record with these counts."""
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
    """What of a record no fpdb has written; None: nothing."""
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
    if labels and {str} != set(map(type, labels)) | set(map(type, labels.values())):
        return "its labels"
    return None


def pack_records(key: bytes, records: Sequence[Record | list[Any] | None], level: int) -> bytes:
    """The value under a group's key: its records, or rows, or None for a document that is not there, compressed."""
    packed = msgpack.packb(records, unicode_errors="surrogateescape")
    if len(packed) > LARGEST_GROUP:
        raise BadLabel(f"{len(packed)} bytes of names, labels and sources for {len(records)} documents are too many")
    return seal(key, zlib.compress(packed, level))


def unpack_records(key: bytes, value: bytes | memoryview) -> list[Record | None]:
    """The RECORDS_PER_GROUP records of a group. Raises Corrupt."""
    return [as_record(key, row) for row in unpack_rows(key, value)]


def unpack_rows(key: bytes, value: bytes | memoryview) -> list[Any]:
    """The same, of which `as_record` makes records; as they are, they can be packed again. Raises Corrupt."""
    try:
        rows: list[Any] = _unpack(_inflated(key, value))
        if len(rows) != RECORDS_PER_GROUP:
            raise ValueError(f"the group has {len(rows)} records")
        return rows
    except _MALFORMED as error:
        raise _corrupt(key, error) from error


def as_record(key: bytes, row: Any) -> Record | None:
    """The record that a row of a group is, if it is not one already. Raises Corrupt."""
    try:
        return row if type(row) is Record else _as_record(row)
    except _MALFORMED as error:
        raise _corrupt(key, error) from error


def describe(key: bytes, value: bytes | memoryview, places: list[int], names: list[bytes], kgrams: list[int]) -> None:
    """Adds the names, and the counts of k-grams, of the records of a group at some places, ascending, to the lists; the
    rest of the group is not looked at. Raises Corrupt, and LookupError where there is no such record."""
    try:
        _records.describe(_inflated(key, value), RECORDS_PER_GROUP, places, LONGEST_NAME, names, kgrams)
    except _MALFORMED as error:
        raise _corrupt(key, error) from error


def _inflated(key: bytes, value: bytes | memoryview) -> bytes:
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


def _as_record(row: Any) -> Record | None:
    if row is None:
        return None
    record = Record(*row)
    if (wrong := record_fault(record)) is not None:
        raise ValueError(f"{wrong} cannot be")
    return record


_NO_MEMORY: Final = "Error -4 "  # how zlib says so of its own
_MALFORMED: Final = (TypeError, ValueError, zlib.error, msgpack.UnpackException)


def _corrupt(key: bytes, error: Exception) -> Corrupt:
    return Corrupt(f"the records of group {parse_id_key(key)} are malformed: {error!r}; run 'fpdb check'")


# ---------------------------------------------------------------- packed arrays

FENCE: Final = np.dtype([("first", "<u8"), ("postings", "<u2")])
SIZE: Final = np.dtype([("hashes", "<u4"), ("boilerplate", "<u4"), ("share", "<u4")])
WHOLE: Final = 2**32 - 1  # the share of a document whose fingerprints are no sample


def pack_array(key: bytes, array: NDArray[Any]) -> bytes:
    return seal(key, array.tobytes())


def unseal_sizes(key: bytes, value: bytes | memoryview) -> memoryview:
    """The SIZE of each of a chunk's documents, packed. Raises Corrupt."""
    body = unseal(key, value)
    if len(body) != SIZES_PER_CHUNK * SIZE.itemsize:
        raise Corrupt(f"the array at {key!r} has {len(body)} bytes")
    return body
