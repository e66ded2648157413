"""Every key, header, record and version number of the file; no I/O.

docs/design/file-format.md describes the same bytes in words and is their only authority. Numbers and names that are on
disk must never change their meaning; a change makes a new FORMAT_VERSION.
"""

import struct
from collections.abc import Mapping
from os import urandom
from typing import Any, Final, NamedTuple

import msgpack
import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb.errors import BadName, Corrupt, Error, NewerFormat, NotADatabase
from fpdb.storage import _checksums
from fpdb.storage.environment.page_format import ONE_PAGE_VALUE

MAGIC: Final = "fpdb"
FORMAT_VERSION: Final = 2
OLDEST_VERSION: Final = 1  # that is read; only FORMAT_VERSION is written

# Keys of the unnamed LMDB database, beside the named ones.
FORMAT_KEY: Final = b"fpdb.format"
STATE_KEY: Final = b"fpdb.state"
COMMIT_KEY: Final = b"fpdb.commit"
# The named databases. NAMES is the only one with keys that users choose.
BLOCKS: Final = b"fpdb.blocks"
DOCUMENTS: Final = b"fpdb.documents"
NAMES: Final = b"fpdb.names"
SIZES: Final = b"fpdb.sizes"
TEXTS: Final = b"fpdb.texts"
SEALS: Final = b"fpdb.seals"  # not in version 1
NAMED: Final = (BLOCKS, DOCUMENTS, NAMES, SIZES, TEXTS, SEALS)

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

FENCE: Final = np.dtype([("first", "<u8"), ("postings", "<u2")])
SIZE: Final = np.dtype([("hashes", "<u4"), ("boilerplate", "<u4"), ("share", "<u4")])
RECORD_SEALS: Final = 0  # numbers of the trees of seals: over groups of records,
SIZE_SEALS: Final = 1  # and over chunks of sizes
WHOLE: Final = 2**32 - 1  # the share of a document whose fingerprints are no sample

CHECKSUM: Final = 8
_PREFIX: Final = struct.Struct("<Q")
_BLOCK_KEY: Final = struct.Struct(">Q")
_ID: Final = struct.Struct(">I")
_TEXT_KEY: Final = struct.Struct(">II")
_COMMIT: Final = struct.Struct(f"<16sQ{CHECKSUM}s")

# What is cut into pieces fills one page a piece: LMDB looks for several free pages in a row to put a larger value in.
TEXT_PIECE: Final = ONE_PAGE_VALUE - CHECKSUM  # bytes of a text's packed form; 4064
FENCES_PER_CHUNK: Final = TEXT_PIECE // FENCE.itemsize  # 406
POSITION_FENCES_PER_CHUNK: Final = TEXT_PIECE // 2  # 2032
SIZES_PER_CHUNK: Final = TEXT_PIECE // SIZE.itemsize  # 338
SEALS_PER_NODE: Final = TEXT_PIECE // CHECKSUM  # 508
LONGEST_NAME: Final = 65535  # bytes
LONGEST_PLAIN_NAME: Final = 448  # LMDB keys end at 511 bytes; a longer name is cut here and its digest appended
DIGEST_BYTES: Final = 16
FILE_ID_BYTES: Final = 16
RECORDS_PER_GROUP: Final = 8
LARGEST_TEXT: Final = 1 << 31  # bytes before compression
ANY_TEXT: Final = 1 << 24  # bytes that any text may have; a longer one at most so many times its packed form:
LARGEST_RATIO: Final = 64
LARGEST_COUNT: Final = 2**63 - 1
LARGEST_COUNTED: Final = 65535  # positions in a block
POSTINGS_PER_BLOCK: Final = 8 * ONE_PAGE_VALUE  # each takes a bit at least
LARGEST_FORMAT: Final = 1 << 16  # bytes
LARGEST_STATE: Final = 1 << 20  # bytes


def named(version: int) -> tuple[bytes, ...]:
    """Return the named databases of files of a format version."""
    return NAMED if version > 1 else NAMED[:-1]


# ---------------------------------------------------------------- checksums


def seal(key: bytes, body: bytes | memoryview) -> bytes:
    """Return the value stored under key: a checksum over key and body, then body."""
    return _PREFIX.pack(xxhash.xxh3_64_intdigest(body, seed=xxhash.xxh3_64_intdigest(key))) + body


def unseal(key: bytes, value: bytes | memoryview) -> memoryview:
    """Return the body of a value read under key. Raises Corrupt."""
    try:
        return _checksums.unseal(key, value)
    except ValueError:
        raise Corrupt(f"the value at {key!r} does not match its checksum; run 'fpdb check'") from None


def block_seal(key: int, body: bytes | memoryview) -> bytes:
    """Return the checksum of a block, seeded with the block's number; its 8 bytes precede the body."""
    return _PREFIX.pack(xxhash.xxh3_64_intdigest(body, seed=key))


# ---------------------------------------------------------------- keys


def block_number(run: int, column: int, index: int) -> int:
    """Return the number of a block, whose big-endian bytes are its key."""
    return run << 32 | column << 30 | index


def block_key(number: int) -> bytes:
    """Return the key of a block."""
    return _BLOCK_KEY.pack(number)


def parse_block_key(key: bytes) -> tuple[int, int, int]:
    """Return (run, column, index). Raises Corrupt."""
    (number,) = _parse(_BLOCK_KEY, key)
    return number >> 32, number >> 30 & 3, number & LARGEST_INDEX


def id_key(number: int) -> bytes:
    """Return the key of a group of records, or of a chunk of sizes."""
    return _ID.pack(number)


def parse_id_key(key: bytes) -> int:
    """Return the number of a group or a chunk. Raises Corrupt."""
    return _parse(_ID, key)[0]


def text_key(document_id: int, piece: int = 0) -> bytes:
    """Return the key of a piece of a document's text."""
    return _TEXT_KEY.pack(document_id, piece)


def parse_text_key(key: bytes) -> tuple[int, int]:
    """Return (document id, piece). Raises Corrupt."""
    document_id, piece = _parse(_TEXT_KEY, key)
    return document_id, piece


def seal_key(tree: int, level: int, index: int) -> bytes:
    """Return the key of a node of a tree of seals."""
    return _BLOCK_KEY.pack(tree << 40 | level << 32 | index)


def may_be_key(database: bytes, key: bytes | memoryview) -> bool:
    """Return True if a named database may hold such a key."""
    if database == NAMES:
        return 0 < len(key) <= LONGEST_PLAIN_NAME or len(key) == LONGEST_PLAIN_NAME + 32
    return len(key) == {BLOCKS: 8, DOCUMENTS: 4, SIZES: 4, TEXTS: 8, SEALS: 8}[database]


def _parse(layout: struct.Struct, key: bytes) -> tuple[int, ...]:
    try:
        return layout.unpack(key)
    except struct.error:
        raise Corrupt(f"{key!r} is not a key of {layout.size} bytes; run 'fpdb check'") from None


def name_bytes(name: str) -> bytes:
    """Return a name as stored: UTF-8, with the bytes of a file name that is not UTF-8 restored. Raises BadName."""
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
    """Return the key of a name: the name, or where it is too long its beginning and its BLAKE2b-256."""
    if len(name) <= LONGEST_PLAIN_NAME:
        return name
    import hashlib  # few names need it

    return name[:LONGEST_PLAIN_NAME] + hashlib.blake2b(name, digest_size=32).digest()


# ---------------------------------------------------------------- records


def unpack_values(body: bytes | memoryview, longest: int) -> Any:
    """Decode msgpack of plain values only, of at most `longest` bytes.

    No length in it is believed that the body has no room for. Raises ValueError.
    """
    size = len(body)
    if size > longest:
        raise ValueError(f"it has {size} bytes; {longest} are the most")
    try:
        return msgpack.unpackb(
            body,
            strict_map_key=True,
            unicode_errors="surrogateescape",
            ext_hook=_refuse_extension,
            max_str_len=size,
            max_bin_len=size,
            max_array_len=size,
            max_map_len=size // 2,
            max_ext_len=0,
        )
    except msgpack.UnpackException as error:
        raise ValueError(f"it cannot be decoded: {error!r}") from error


def _refuse_extension(kind: int, _: bytes) -> Any:
    raise ValueError(f"extension types such as {kind} are not used")


def _is_count(value: object, largest: int) -> bool:
    return type(value) is int and 0 <= value <= largest


class FormatRecord(NamedTuple):
    """The record that never changes: the file's version, its random id (empty in version 1) and its recipe."""

    version: int
    file_id: bytes
    recipe: dict[str, Any]


def pack_format(recipe: Mapping[str, Any]) -> bytes:
    """Return the value under FORMAT_KEY of a new file, with an id of its own."""
    record = {"magic": MAGIC, "version": FORMAT_VERSION, "id": urandom(FILE_ID_BYTES), "recipe": recipe}
    return seal(FORMAT_KEY, msgpack.packb(record))


def unpack_format(value: bytes | memoryview) -> FormatRecord:
    """Return the format record. Raises NotADatabase, NewerFormat, Corrupt."""
    try:
        record = unpack_values(unseal(FORMAT_KEY, value), LARGEST_FORMAT)
    except ValueError as error:
        raise Corrupt(f"the format record is malformed: {error}") from error
    if not isinstance(record, dict) or record.get("magic") != MAGIC:
        raise NotADatabase("the file is an LMDB file of another program")
    version, recipe, file_id = record.get("version"), record.get("recipe"), record.get("id", b"")
    if type(version) is not int or not OLDEST_VERSION <= version <= FORMAT_VERSION:
        raise NewerFormat(
            f"the database has format version {version!r}; this fpdb reads versions {OLDEST_VERSION} to "
            f"{FORMAT_VERSION}: upgrade fpdb"
        )
    if not isinstance(recipe, dict):
        raise Corrupt("the format record has no recipe")
    if not isinstance(file_id, bytes) or len(file_id) != FILE_ID_BYTES * (version > 1):
        raise Corrupt("the format record has no file id")
    return FormatRecord(version, file_id, recipe)


def pack_commit(file_id: bytes, transaction: int, state: bytes | memoryview) -> bytes:
    """Return the value under COMMIT_KEY, which each write transaction replaces.

    Args:
        file_id: Of the format record.
        transaction: LMDB's number of the write transaction.
        state: The value under STATE_KEY; its checksum is taken.
    """
    return seal(COMMIT_KEY, _COMMIT.pack(file_id, transaction, bytes(state[:CHECKSUM])))


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
        """True if the run holds boilerplate documents; a run holds only these or none."""
        return self.first_id >= FIRST_BOILERPLATE

    def check(self) -> None:
        """Raise ValueError if no run can be so."""
        largest = (LARGEST_RUN, LARGEST_COUNT, LARGEST_INDEX + 1, LARGEST_INDEX + 1, LAST_BOILERPLATE, LAST_BOILERPLATE)
        if not all(map(_is_count, self, (*largest, LARGEST_COUNT))):
            raise ValueError("a run has a number that is none, or out of range")
        if self.first_id > self.last_id or self.boilerplate != (self.last_id >= FIRST_BOILERPLATE):
            raise ValueError(f"run {self.number} has impossible documents")
        if not 0 < self.blocks <= self.postings <= self.blocks * POSTINGS_PER_BLOCK or self.dead > self.postings:
            raise ValueError(f"run {self.number} has impossible postings")
        if self.position_blocks and not self.position_blocks <= self.postings <= self.position_blocks * LARGEST_COUNTED:
            raise ValueError(f"run {self.number} has impossible positions")


Roots = tuple[tuple[int, int], ...]
"""The highest nodes of a tree of seals, ascending: the index and the checksum of each."""


class Seals(NamedTuple):
    """The trees of seals."""

    records: Roots = ()
    sizes: Roots = ()

    @classmethod
    def unpack(cls, trees: Any) -> "Seals":
        """Return the trees of a state record. Raises TypeError, ValueError."""
        seals = cls(*(tuple((index, seal) for index, seal in roots) for roots in trees))
        for roots in seals:
            indices = [index for index, _ in roots]
            if not all(_is_count(index, LARGEST_RUN) and _is_count(seal, 2**64 - 1) for index, seal in roots):
                raise ValueError("a seal has a number that is none, or out of range")
            if indices != sorted(set(indices)):
                raise ValueError("the seals are out of order")
        return seals


NO_SEALS: Final = Seals()


class State(NamedTuple):
    """The record that each commit replaces: the counters and the list of live runs, oldest first, by document ids."""

    next_run: int = 1
    next_document: int = 0
    next_boilerplate: int = FIRST_BOILERPLATE
    documents: int = 0
    boilerplate_documents: int = 0
    texts: int = 0  # documents whose text is kept
    text_bytes: int = 0  # of those texts, before compression
    runs: tuple[Run, ...] = ()
    seals: Seals = NO_SEALS  # not in version 1

    @property
    def postings(self) -> int:
        """Live postings, boilerplate's included."""
        return sum(run.postings - run.dead for run in self.runs)

    def check(self) -> None:
        """Raise ValueError if no commit of a sound database leaves such a state."""
        largest = (LARGEST_RUN + 1, FIRST_BOILERPLATE, LAST_BOILERPLATE + 1, *(LARGEST_COUNT,) * 4)
        if not all(map(_is_count, self, largest)):
            raise ValueError("it has a number that is none, or out of range")
        boilerplate_ids = self.next_boilerplate - FIRST_BOILERPLATE
        if self.documents > self.next_document or not self.boilerplate_documents <= boilerplate_ids:
            raise ValueError("it counts more documents than ids were given")
        texts = self.texts
        if texts > self.documents + self.boilerplate_documents or self.text_bytes > texts * LARGEST_TEXT:
            raise ValueError("it counts impossible kept texts")
        numbers, next_id = set(), 0
        for run in self.runs:
            run.check()
            if not next_id <= run.first_id or run.number >= self.next_run or run.number in numbers:
                raise ValueError(f"run {run.number} is listed twice, was never begun, or overlaps in documents")
            if run.last_id >= (self.next_boilerplate if run.boilerplate else self.next_document):
                raise ValueError(f"run {run.number} has documents that were never added")
            numbers.add(run.number)
            next_id = run.last_id + 1

    def begin_run(self) -> "State":
        """Return the state in which the number `next_run` is used. Raises Error."""
        if self.next_run > LARGEST_RUN:
            raise Error("the numbers of runs are used up; 'fpdb compact' begins again")
        return self._replace(next_run=self.next_run + 1)

    def pack(self) -> bytes:
        """Return the value under STATE_KEY. Raises Corrupt: a state that could not be read is never written."""
        packed = msgpack.packb(self)
        try:
            self.check()
            if len(packed) > LARGEST_STATE:
                raise ValueError(f"it lists {len(self.runs)} runs")
        except ValueError as error:
            raise Corrupt(f"the change would leave an impossible state: {error}; run 'fpdb check'") from error
        return seal(STATE_KEY, packed)

    @classmethod
    def unpack(cls, value: bytes | memoryview) -> "State":
        """Return the state of a record. Raises Corrupt."""
        try:
            values = unpack_values(unseal(STATE_KEY, value), LARGEST_STATE)
            counts, listed, trees = values[:_COUNTS], values[_COUNTS], values[_COUNTS + 1 :]
            seals = Seals.unpack(*trees) if trees else NO_SEALS
            state = cls._make((*counts, tuple(Run(*fields) for fields in listed), seals))
            state.check()
        except (TypeError, ValueError, IndexError) as error:
            raise Corrupt(f"the state record is malformed: {error}; run 'fpdb check'") from error
        return state


_COUNTS: Final = State._fields.index("runs")


# ---------------------------------------------------------------- packed arrays


def pack_array(key: bytes, array: NDArray[Any]) -> bytes:
    """Return the value of a packed array."""
    return seal(key, array.tobytes())


def unseal_node(key: bytes, value: bytes | memoryview) -> bytes:
    """Return the checksums that a node of a tree of seals notes, one after the other. Raises Corrupt."""
    body = unseal(key, value)
    if len(body) % CHECKSUM or len(body) > SEALS_PER_NODE * CHECKSUM:
        raise Corrupt(f"the seals at {key!r} have {len(body)} bytes")
    return bytes(body)


def unseal_sizes(key: bytes, value: bytes | memoryview) -> memoryview:
    """Return the SIZE of each of a chunk's documents, packed. Raises Corrupt."""
    body = unseal(key, value)
    if len(body) != SIZES_PER_CHUNK * SIZE.itemsize:
        raise Corrupt(f"the array at {key!r} has {len(body)} bytes")
    return body
