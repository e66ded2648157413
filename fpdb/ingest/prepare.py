"""Prepare documents for a database: from content, or from a caller's own hashes, to a `PreparedDocument`.

Every document comes in this way, whoever reads it. Knows nothing of what a database holds.
"""

import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import index
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U32, U64
from fpdb.errors import BadFingerprints, BadLabel
from fpdb.fingerprint import Fingerprints, Frequencies, Purpose, Recipe, content_digest
from fpdb.ingest.files import InputDocument
from fpdb.storage import file_format
from fpdb.storage.document_columns import PreparedDocument
from fpdb.storage.records import MOST_LABELS, MOST_TEXT, NO_LABELS, Record
from fpdb.storage.texts import pack

Integers: TypeAlias = NDArray[Any] | Iterable[int]

_UINT64 = np.dtype(np.uint64)  # each use of the type would look this up


class ReadDocument(NamedTuple):
    """An input document with the content that was read, and its digest."""

    description: InputDocument
    content: bytes | str
    digest: bytes


class PrepareOptions(NamedTuple):
    """Options of fingerprinting documents and keeping their content.

    purpose: "discard" for boilerplate. frequencies, rotation, encoding: as for `Recipe.fingerprint`.
    """

    purpose: Purpose = "store"
    keep_text: bool = False
    frequencies: Frequencies | None = None
    rotation: int = 0
    encoding: str | None = None


class StoredFingerprints(NamedTuple):
    """Fingerprints in the form in which they are stored; the fields are those of `Fingerprints`."""

    symbols: int
    kgrams: int
    note: str
    hashes: U64
    encoded_positions: U32
    share: int = file_format.WHOLE

    @classmethod
    def of(cls, found: Fingerprints) -> Self:
        """Convert what a recipe makes of one document."""
        positions = encode_positions(found.positions)
        return cls(found.symbols, found.kgrams, found.note, found.hashes, positions, found.share)


def prepare(recipe: Recipe, document: ReadDocument, kind: str, options: PrepareOptions) -> PreparedDocument:
    """Fingerprint a document of this kind, which is not "auto", and prepare it.

    Raises BadName, BadLabel; UnknownKind, Unreadable, MissingPackage, MissingKey.
    """
    found = recipe.fingerprint(
        document.content,
        kind,
        purpose=options.purpose,
        rotation=options.rotation,
        frequencies=options.frequencies,
        name=document.description.name,
        encoding=options.encoding,
    )
    return prepare_fingerprints(document, kind, StoredFingerprints.of(found), options)


def prepare_fingerprints(
    document: ReadDocument, kind: str, fingerprints: StoredFingerprints, options: PrepareOptions
) -> PreparedDocument:
    """Prepare a document whose fingerprints were made with the database's recipe and these options.

    Raises BadName, BadLabel; Unreadable, MissingPackage where the content cannot be kept.
    """
    description, content, digest = document
    symbols, kgrams, note, hashes, positions, share = fingerprints
    record = describe(description, kind, digest, (symbols, kgrams, len(hashes)), note)
    if options.rotation:
        record = record._replace(rotation=options.rotation)
    text = pack(content) if options.keep_text else None
    return PreparedDocument(record, hashes, positions, options.purpose == "discard", share, text)


def prepare_hashes(
    description: InputDocument,
    hashes: Integers,
    positions: Integers | None = None,
    *,
    digest: bytes | None = None,
    boilerplate: bool = False,
) -> PreparedDocument:
    """Prepare a document of the caller's own hashes; arguments and errors as for `WriteBatch.add_fingerprints`."""
    array = check_hashes(hashes)
    given = check_positions(positions, len(array))
    encoded = no_positions(len(array)) if given is None else encode_positions(given)
    if digest is None:
        content = array.tobytes()
        digest = content_digest(content if positions is None else content + (encoded - np.uint32(1)).tobytes())
    elif len(digest) != file_format.DIGEST_BYTES:
        raise BadFingerprints(f"a digest has {file_format.DIGEST_BYTES} bytes, not {len(digest)}")
    record = describe(description, description.kind, digest, (len(array),) * 3)
    return PreparedDocument(record, array, encoded, boilerplate)


def describe(
    description: InputDocument, kind: str, digest: bytes, counts: tuple[int, int, int] = (0, 0, 0), note: str = ""
) -> Record:
    """Make the record of a document as far as it is known before the commit, which corrects repeated fingerprints.

    counts: of symbols, k-grams and fingerprints. note: how the document was read. Copies the labels, which the caller
    may change before the commit. Raises BadName, BadLabel.
    """
    source, contact, labels = description.source, description.contact, description.labels
    key, (symbols, kgrams, count), now = file_format.name_bytes(description.name), counts, int(time.time())
    if source is None and contact is None and not labels and type(kind) is str and kind.isascii():
        return Record(key, kind, digest, symbols, kgrams, count, count, now, note)
    check_texts(kind, source, contact, labels or {})
    if source is not None:
        from fpdb.ingest.redact_url import redact_url

        source = redact_url(source)
    labels = dict(labels) if labels else NO_LABELS
    return Record(key, kind, digest, symbols, kgrams, count, count, now, note, source, contact, labels)


def check_texts(kind: str, source: str | None, contact: str | None, labels: Mapping[str, str]) -> None:
    """Raise BadLabel if what is said of a document cannot be stored as UTF-8."""
    if len(labels) > MOST_LABELS:
        raise BadLabel(f"{len(labels):,} labels are too many for a document; {MOST_LABELS:,} are the most")
    size = 0
    for text in (kind, source or "", contact or "", *labels.keys(), *labels.values()):
        try:
            size += len(str.encode(text, "utf-8", "surrogateescape"))
        except (TypeError, UnicodeEncodeError):
            raise BadLabel(f"kind, source, contact and labels are text that UTF-8 can hold, not {text!r}") from None
    if size > MOST_TEXT:
        raise BadLabel(f"{size:,} bytes of source, contact and labels are too many; {MOST_TEXT:,} are the most")


def purpose_of(boilerplate: bool) -> Purpose:
    """Return what fingerprints of a document that is to be stored are made for."""
    return "discard" if boilerplate else "store"


def encode_positions(positions: U32) -> U32:
    """Return positions as they are stored: one more, so that NO_POSITION becomes 0."""
    return positions + np.uint32(1)


def check_hashes(hashes: Integers, *, copy: bool = True) -> U64:
    """Return a caller's hashes as an array of shape (n,), with copy=False perhaps the same. Raises BadFingerprints."""
    return _integers(hashes, "hashes", 2**64 - 1).astype(_UINT64, copy=copy)


def check_positions(positions: Integers | None, count: int, *, copy: bool = True) -> U32 | None:
    """Return a caller's positions of so many hashes as `check_hashes` does; shape (count,). Raises BadFingerprints."""
    if positions is None:
        return None
    array = _integers(positions, "positions", file_format.LARGEST_POSITION).astype(np.uint32, copy=copy)
    if len(array) != count:
        raise BadFingerprints(f"{count} hashes came with {len(array)} positions; give each hash one, or none")
    return array


@lru_cache(maxsize=64)
def no_positions(count: int) -> U32:
    """Return zeros, shared by all documents of this size and not to be written to."""
    zeros = np.zeros(count, np.uint32)
    zeros.flags.writeable = False
    return zeros


def _integers(values: Integers, what: str, limit: int) -> NDArray[Any]:
    if isinstance(values, np.ndarray) and values.dtype == _UINT64 and values.ndim == 1 and limit == 2**64 - 1:
        return values
    if isinstance(values, bytes | bytearray):
        raise BadFingerprints(f"{what} must be whole numbers, not bytes: give numpy.frombuffer(..., 'uint64')")
    try:
        # A plain list would become floats where its numbers do not fit into 63 bits.
        array = values if isinstance(values, np.ndarray) else np.array([index(value) for value in values], np.uint64)
    except OverflowError as error:
        raise BadFingerprints(f"{what} must be whole numbers from 0 to {limit}: one is not") from error
    except TypeError as error:
        raise BadFingerprints(f"{what} must be whole numbers from 0 to {limit}: {error}") from error
    if array.ndim != 1:
        raise BadFingerprints(f"{what} must be an array of one dimension, not {array.ndim}")
    if array.dtype.kind not in "iu" and array.size:
        raise BadFingerprints(f"{what} must be whole numbers, not {array.dtype}")
    if not array.size:
        return np.empty(0, _UINT64)
    bounds = np.iinfo(array.dtype)
    if (bounds.min < 0 or bounds.max > limit) and array.size and (int(array.min()) < 0 or int(array.max()) > limit):
        raise BadFingerprints(f"{what} must lie between 0 and {limit}")
    return array
