"""Every key, checksum, limit and version number of the file, and the records of format and commit; no I/O.

docs/design/file-format.md describes the same bytes in words and is their only authority. Numbers and names that are on
disk must never change their meaning; a change makes a new FORMAT_VERSION.
"""

import struct
from collections.abc import Mapping, Sequence
from os import urandom
from typing import Any, Final, NamedTuple

import msgpack
import numpy as np
import xxhash

from fpdb.errors import BadName, Corrupt, NewerFormat, NotADatabase
from fpdb.storage import _checksums, _records
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
NARROW_SIZES: Final = b"\0"  # in front of sizes of which only the hashes are stored, in 2 bytes each
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


seal = _checksums.seal  # called for each value of a commit


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


def names_bytes(names: Sequence[str]) -> list[bytes]:
    """Return names as stored, see `name_bytes`."""
    try:
        encoded = list(map(str.encode, names))
    except UnicodeEncodeError:
        encoded = []
    lengths = set(map(len, encoded))
    if not lengths or min(lengths) == 0 or max(lengths) > LONGEST_NAME:
        return list(map(name_bytes, names))
    return encoded


def name_text(name: bytes) -> str:
    """Return a stored name as users see it, bytes that are not UTF-8 as lone surrogates."""
    return name.decode("utf-8", "surrogateescape")


def name_key(name: bytes) -> bytes:
    """Return the key of a name: the name, or where it is too long its beginning and its BLAKE2b-256."""
    if len(name) <= LONGEST_PLAIN_NAME:
        return name
    import hashlib  # few names need it

    return name[:LONGEST_PLAIN_NAME] + hashlib.blake2b(name, digest_size=32).digest()


def name_keys(names: Sequence[bytes]) -> Sequence[bytes]:
    """Return the keys of names."""
    return names if max(map(len, names), default=0) <= LONGEST_PLAIN_NAME else list(map(name_key, names))


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


# ---------------------------------------------------------------- packed arrays


def unseal_node(key: bytes, value: bytes | memoryview) -> bytes:
    """Return the checksums that a node of a tree of seals notes, one after the other. Raises Corrupt."""
    body = unseal(key, value)
    if len(body) % CHECKSUM or len(body) > SEALS_PER_NODE * CHECKSUM:
        raise Corrupt(f"the seals at {key!r} have {len(body)} bytes")
    return bytes(body)


def pack_sizes(wide: bytes) -> bytes:
    """Return the sizes of a chunk's documents as they are stored, without their checksum; wide: a SIZE of each."""
    narrow = _records.narrow_sizes(wide)
    return wide if narrow is None else NARROW_SIZES + narrow


def are_sizes(body: bytes | memoryview) -> bool:
    """Return True if sizes may be stored so, and not records: these are compressed, and do not begin with a zero."""
    is_narrow = len(body) == len(NARROW_SIZES) + 2 * SIZES_PER_CHUNK and body[:1] == NARROW_SIZES
    return is_narrow or len(body) == SIZES_PER_CHUNK * SIZE.itemsize


def unseal_sizes(key: bytes, value: bytes | memoryview) -> bytes | memoryview:
    """Return the SIZE of each of a chunk's documents, packed. Raises Corrupt."""
    body = unseal(key, value)
    if not are_sizes(body):
        raise Corrupt(f"the array at {key!r} has {len(body)} bytes")
    return body if len(body) == SIZES_PER_CHUNK * SIZE.itemsize else _records.widen_sizes(body[len(NARROW_SIZES) :])
