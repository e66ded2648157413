"""WriteBatch: changes to a database that become one commit, collected and checked before they meet the store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import index
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import BadFingerprints, BadLabel, BadName, ContentChanged, NoSuchDocument
from fpdb.fingerprint import Fingerprints, Purpose, Recipe, content_digest
from fpdb.ingest.redact_url import redact_url
from fpdb.storage import file_format
from fpdb.storage.commit import Change
from fpdb.storage.commit import PreparedDocument as PreparedDocument  # these five are handed out
from fpdb.storage.file_format import Record as Record
from fpdb.storage.reader import Reader
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.texts import KeptText as KeptText
from fpdb.storage.texts import check_packages as check_packages
from fpdb.storage.texts import pack as pack

Numbers = NDArray[Any] | Iterable[int]
Rarity = Literal["document", "corpus"]
Status = Literal["added", "replaced", "updated", "unchanged"]
CHANGED = ("added", "replaced")


class Description(NamedTuple):
    """A document that is to be added, without its content. digest: as for `WriteBatch.add_fingerprinted`; kind:
    None for whatever it is stored as; the others as for `WriteBatch.add`."""

    name: str
    digest: bytes
    kind: str | None
    source: str | None = None
    contact: str | None = None
    labels: Mapping[str, str] | None = None

    def is_as(self, record: Record) -> bool:
        """Whether the record says the same."""
        return (
            self.digest == record.digest
            and self.kind in (None, record.kind)
            and self.contact == record.contact
            and (self.labels or file_format.NO_LABELS) == record.labels
            and (None if self.source is None else redact_url(self.source)) == record.source
        )


class WriteBatch:
    """Changes that become one commit; made by `Database.batch`.

    It sees the database as it was when the batch began, and its own changes. It keeps them in memory, and needs about
    60 bytes a posting while it commits; `postings` counts them, and `text_bytes` what kept texts take beside them.
    """

    def __init__(self, recipe: Recipe, view: Snapshot) -> None:
        self._recipe = recipe
        self._view = view
        self._catalogue = view.catalogue
        self._additions: dict[bytes, PreparedDocument] = {}
        self._updates: dict[bytes, Record] = {}
        self._removals: set[bytes] = set()
        self._texts: dict[bytes, KeptText] = {}
        self._looked_up: tuple[bytes, int | None] = b"", None  # the name that was looked up last, and what was found
        self.postings = 0
        self.text_bytes = 0

    def add(
        self,
        name: str,
        content: str | bytes,
        *,
        kind: str = "text",
        rarity: Rarity = "document",
        boilerplate: bool = False,
        source: str | None = None,
        contact: str | None = None,
        labels: Mapping[str, str] | None = None,
        keep_text: bool = False,
    ) -> Status:
        """Adds a document, or replaces the one of this name; the same content again changes nothing else.

        kind: one of `fingerprint.KINDS`, or "auto" for what name and content say.

        rarity: what the scheme koala takes for rare: k-grams whose beginnings are few in the document, or which few
        documents of the database hold (Heintze 1996, section 6.1); other schemes take no notice.

        boilerplate: all of its k-grams are to be discarded wherever they occur. source: where it came from, a path
        or URL, which is stored `addresses.redact_url`; contact: whom to ask about it.

        keep_text: also keep the content, compressed, as `Database.text` gives it back; so that where documents match
        can be shown when the source is gone. The same content again keeps it if it was not kept before, and never
        drops it; another content without keep_text does. Raises BadName, BadLabel, UnknownKind, Unreadable,
        MissingPackage.
        """
        kind = self._recipe.resolve_kind(kind, content, name)
        about = described(name, kind, content_digest(content), source, contact, labels)
        if keep_text:
            check_packages()
        status = self._meet(about, boilerplate)
        text = pack(content) if keep_text and self._lacks_text(about.name, status) else None
        if status in CHANGED:
            counts = frequencies(self._view) if rarity == "corpus" else None
            purpose = purpose_of(boilerplate)
            found = self._recipe.fingerprint(content, kind, purpose=purpose, frequencies=counts, name=name)
            about = about._replace(symbols=found.symbols, kgrams=found.kgrams, note=found.note)
            self._put_found(about, found, boilerplate)
        return self._keep(about.name, status, text)

    def add_fingerprinted(
        self,
        name: str,
        fingerprints: Fingerprints,
        *,
        digest: bytes,
        boilerplate: bool = False,
        source: str | None = None,
        contact: str | None = None,
        labels: Mapping[str, str] | None = None,
        text: KeptText | None = None,
    ) -> Status:
        """Like `add`, where the content's fingerprints have been made with this database's recipe already.

        digest: `fingerprint.content_digest` of the content. boilerplate: they were made for `purpose_of` that. text:
        `pack` of the content, to be kept. Raises BadName, BadLabel, ContentChanged where digest and text are not of
        the same content.
        """
        if text is not None and text.digest != digest:
            raise ContentChanged(f"the text given to be kept for {name!r} is not what its digest stands for")
        found = fingerprints
        about = described(name, found.kind, digest, source, contact, labels, found.symbols, found.kgrams, found.note)
        return self.put(
            PreparedDocument(about, found.hashes, numbered(found.positions), boilerplate, found.share), text
        )

    def put(self, addition: PreparedDocument, text: KeptText | None = None) -> Status:
        """The same, where all of it has been put together: `described` makes the record, `numbered` the numbers."""
        about, text = addition.record, text or addition.text
        addition = addition._replace(text=None)
        status = self._meet(about, addition.boilerplate)
        if text is not None and not self._lacks_text(about.name, status):
            text = None
        if status in CHANGED:
            self._put(addition)
        return self._keep(about.name, status, text)

    def add_fingerprints(
        self,
        name: str,
        hashes: Numbers,
        positions: Numbers | None = None,
        *,
        kind: str = "hashes",
        digest: bytes | None = None,
        boilerplate: bool = False,
        source: str | None = None,
        contact: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Status:
        """Adds a document of the caller's own hashes, or replaces the one of this name.

        hashes: any uint64, shape (n,), in any order, repeats allowed. positions: from 0 to 2**32 - 2, shape (n,).
        digest: 16 bytes that stand for the content, by default a digest of the arrays. Raises BadName, BadLabel,
        BadFingerprints.
        """
        array = as_hashes(hashes)
        numbers = _no_numbers(len(array)) if positions is None else _positions(positions) + np.uint32(1)
        if len(numbers) != len(array):
            raise BadFingerprints(
                f"{len(array)} hashes came with {len(numbers)} positions; give each hash one, or none"
            )
        if digest is None:
            content = array.tobytes()
            digest = content_digest(content if positions is None else content + (numbers - np.uint32(1)).tobytes())
        elif len(digest) != file_format.DIGEST_BYTES:
            raise BadFingerprints(f"a digest has {file_format.DIGEST_BYTES} bytes, not {len(digest)}")
        about = described(name, kind, digest, source, contact, labels, len(array), len(array))
        status = self._meet(about, boilerplate)
        if status in CHANGED:
            self._put(PreparedDocument(about, array, numbers, boilerplate))
        return status

    def holds(
        self, documents: Iterable[Description], *, boilerplate: bool = False, keep_text: bool = False
    ) -> list[bool]:
        """Whether adding each of these documents would change nothing; the others as for `add`. A name that is none is
        not there. What is stored is read once, in its order."""
        documents = list(documents)
        keys = [_key_of(document.name) for document in documents]
        wanted = {key for key in keys if key is not None}
        stored = self._catalogue.find_all(wanted - self._removals - self._additions.keys())
        records = {document: self._catalogue.record(document) for document in sorted(stored.values())}
        met: dict[bytes, tuple[Record, bool]] = {
            key: (self._updates.get(key) or records[number], number >= file_format.FIRST_BOILERPLATE)
            for key, number in stored.items()
        }
        for key in wanted & self._additions.keys():
            met[key] = self._additions[key].record, self._additions[key].boilerplate
        return [
            key in met
            and met[key][1] == boilerplate
            and document.is_as(met[key][0])
            and not (keep_text and met[key][0].text is None and key not in self._texts)
            for document, key in zip(documents, keys, strict=True)
        ]

    @property
    def next_ids(self) -> tuple[int, int]:
        """The ids of the next document, and of the next boilerplate document, when the batch began."""
        return self._view.state.next_document, self._view.state.next_boilerplate

    def holds_since(self, key: bytes, ids: tuple[int, int]) -> bool:
        """Whether there is a document of this name, as its record has it, that was added in this batch, or since these
        were the `next_ids`."""
        stored = None if key in self._additions else self._stored(key, sure=False)
        return key in self._additions or (stored is not None and stored >= ids[stored >= file_format.FIRST_BOILERPLATE])

    def restore(self, addition: PreparedDocument, text: KeptText | None) -> Status:
        """Adds a document as another database of this recipe held it, or replaces the one of this name. Where the
        same content is there with the same fingerprints, only its description is brought up to date."""
        source = addition.record.source
        about = addition.record._replace(source=None if source is None else redact_url(source))
        addition = addition._replace(record=about)
        status = self._meet(about, addition.boilerplate)
        if status not in CHANGED and self._now(about.name).rotation != about.rotation:
            status = "replaced"
        lacks = self._lacks_text(about.name, status)
        if status in CHANGED:
            self._put(addition)
        return self._keep(about.name, status, text if lacks else None)

    def rotate(self, name: str, content: str | bytes, *, rotation: int | None = None) -> int:
        """Stores another subset of a document's search fingerprints, so that nobody can tell for long which passages
        are stored (Heintze 1996, section 3.3). Searching does not change.

        content: the document's; whether its text is kept does not change. rotation: the number of the subset, by
        default the next one, which is returned. Raises NoSuchDocument, ContentChanged, BadRecipe where the scheme does
        not rotate.
        """
        key = file_format.name_bytes(name)
        pending = self._additions.get(key)
        stored = None if pending else self._stored(key)
        if pending is None and stored is None:
            raise NoSuchDocument(f"no document is named {name!r}")
        record = pending.record if pending else self._updates.get(key) or self._catalogue.record(stored or 0)
        boilerplate = pending.boilerplate if pending else (stored or 0) >= file_format.FIRST_BOILERPLATE
        if content_digest(content) != record.digest:
            raise ContentChanged(f"{name!r} is another text than the one that was added; add it anew")
        rotation = record.rotation + 1 if rotation is None else rotation
        purpose = purpose_of(boilerplate)
        found = self._recipe.fingerprint(content, record.kind, purpose=purpose, rotation=rotation, name=name)
        text = self._texts.get(key) or (None if stored is None else self._view.texts.kept(stored, record))
        counted = record._replace(symbols=found.symbols, kgrams=found.kgrams, note=found.note)
        self._put_found(counted._replace(rotation=rotation, text=None), found, boilerplate)
        if text is not None:
            self._set_text(key, text)
        return rotation

    def remove(self, name: str) -> None:
        """Removes a document. Raises NoSuchDocument."""
        key = file_format.name_bytes(name)
        stored = self._stored(key)
        if stored is None and key not in self._additions:
            raise NoSuchDocument(f"no document is named {name!r}")
        self._forget(key)
        if stored is not None:
            self._removals.add(key)

    def change(self) -> Change:
        """What the batch has come to."""
        return Change(
            list(self._additions.values()),
            list(self._updates.values()),
            list(self._removals - set(self._additions)),
            self._texts,
        )

    def _forget(self, key: bytes) -> None:
        pending = self._additions.pop(key, None)
        if pending is not None:
            self.postings -= len(pending.hashes)
        self._updates.pop(key, None)
        text = self._texts.pop(key, None)
        if text is not None:
            self.text_bytes -= len(text.packed)

    def _lacks_text(self, key: bytes, status: Status) -> bool:
        """Whether the text of a document that `_meet` met so is not kept yet."""
        if status in CHANGED:
            return True
        if key in self._texts or key in self._additions:
            return key not in self._texts
        stored = self._stored(key)
        return stored is None or self._catalogue.record(stored).text is None

    def _keep(self, key: bytes, status: Status, text: KeptText | None) -> Status:
        """Keeps a text that was lacking, if there is one; what adding its document comes to with it."""
        if text is None:
            return status
        self._set_text(key, text)
        return "updated" if status == "unchanged" else status

    def _set_text(self, key: bytes, text: KeptText) -> None:
        self._texts[key] = text
        self.text_bytes += len(text.packed)

    def _now(self, key: bytes) -> Record:
        """The record of a document that there is."""
        pending = self._additions.get(key)
        return pending.record if pending else self._updates.get(key) or self._catalogue.record(self._stored(key) or 0)

    def _stored(self, key: bytes, *, sure: bool = True) -> int | None:
        if key in self._removals:
            return None
        if sure or key != self._looked_up[0]:  # the view does not change
            self._looked_up = key, self._catalogue.find(key, sure=sure)
        return self._looked_up[1]

    def _met(self, key: bytes) -> tuple[Record, bool] | None:
        """The record of the document of this name, if there is one, and whether it is boilerplate."""
        pending = self._additions.get(key)
        if pending is not None:
            return pending.record, pending.boilerplate
        stored = self._stored(key, sure=False)
        if stored is None:
            return None
        return self._updates.get(key) or self._catalogue.record(stored), stored >= file_format.FIRST_BOILERPLATE

    def _meet(self, about: Record, boilerplate: bool) -> Status:
        """How a document of this description meets what is there; where its content is, brings the description up to
        date. The fingerprints of one that is added or replaced are still to be put."""
        key = about.name
        pending = self._additions.get(key)
        met = self._met(key)
        if met is None:
            return "added"
        before, sort = met
        if (before.kind, before.digest, sort) != (about.kind, about.digest, boilerplate):
            return "replaced"
        described = before._replace(source=about.source, contact=about.contact, labels=about.labels)
        if described == before:
            return "unchanged"
        if pending is not None:
            self._additions[key] = pending._replace(record=described)
        else:
            self._updates[key] = described
        return "updated"

    def _put_found(self, about: Record, found: Fingerprints, boilerplate: bool) -> None:
        self._put(PreparedDocument(about, found.hashes, numbered(found.positions), boilerplate, found.share))

    def _put(self, addition: PreparedDocument) -> None:
        key = addition.record.name
        self._forget(key)
        self._additions[key] = addition
        self.postings += len(addition.hashes)


def described(
    name: str,
    kind: str,
    digest: bytes,
    source: str | None,
    contact: str | None,
    labels: Mapping[str, str] | None,
    symbols: int = 0,
    kgrams: int = 0,
    note: str = "",
    fingerprints: int = 0,
) -> Record:
    """A document's record as far as it is known before it is committed. fingerprints: how many there are, which the
    commit corrects where some are alike. Takes a copy of the labels, which the caller may change before the batch is
    committed. Raises BadName, BadLabel."""
    key = file_format.name_bytes(name)
    now = int(time.time())
    if source is None and contact is None and not labels and type(kind) is str and kind.isascii():
        return Record(key, kind, digest, symbols, kgrams, fingerprints, fingerprints, now, note)
    for text in (kind, source, contact, *((labels or {}).keys()), *((labels or {}).values())):
        if text is None:
            continue
        try:
            text.encode("utf-8", "surrogateescape")
        except (AttributeError, UnicodeEncodeError):
            raise BadLabel(f"kind, source, contact and labels are text that UTF-8 can hold, not {text!r}") from None
    kept = dict(labels) if labels else file_format.NO_LABELS
    source = None if source is None else redact_url(source)
    return Record(key, kind, digest, symbols, kgrams, fingerprints, fingerprints, now, note, source, contact, kept)


def _key_of(name: str) -> bytes | None:
    """A name as stored; None for one that no document has."""
    try:
        return file_format.name_bytes(name)
    except BadName:
        return None


def numbered(positions: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Positions as they are stored: one more, so that NO_POSITION becomes 0."""
    return positions + np.uint32(1)


def purpose_of(boilerplate: bool) -> Purpose:
    """What fingerprints of a document that is to be added are made for."""
    return "discard" if boilerplate else "store"


def frequencies(view: Reader) -> Callable[[NDArray[np.uint64]], NDArray[np.int64]]:
    """In how many documents each of some hashes is."""

    def count(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        order = np.argsort(hashes)
        ordered = hashes[order]
        new = np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)]
        frequency = view.look_up(ordered[new]).counts
        counts = np.empty(len(hashes), np.int64)
        counts[order] = frequency[np.cumsum(new) - 1]
        return counts

    return count


def as_hashes(hashes: Numbers) -> NDArray[np.uint64]:
    """A caller's hashes as an array, checked, shape (n,). Raises BadFingerprints."""
    return _integers(hashes, "hashes", 2**64 - 1).astype(np.uint64)


@lru_cache(maxsize=64)
def _no_numbers(count: int) -> NDArray[np.uint32]:
    """Shared by documents of one size; not to be written to."""
    numbers = np.zeros(count, np.uint32)
    numbers.flags.writeable = False
    return numbers


def _positions(positions: Numbers) -> NDArray[np.uint32]:
    return _integers(positions, "positions", file_format.LARGEST_POSITION).astype(np.uint32)


def _integers(values: Numbers, what: str, most: int) -> NDArray[Any]:
    if isinstance(values, np.ndarray) and values.dtype == np.uint64 and values.ndim == 1 and most == 2**64 - 1:
        return values
    try:
        # A plain list would become floats where its numbers do not fit into 63 bits.
        array = values if isinstance(values, np.ndarray) else np.array([index(value) for value in values], np.uint64)
    except (OverflowError, TypeError) as error:
        raise BadFingerprints(f"{what} must be whole numbers from 0 to {most}: {error}") from error
    if array.ndim != 1:
        raise BadFingerprints(f"{what} must be an array of one dimension, not {array.ndim}")
    if array.dtype.kind not in "iu":
        raise BadFingerprints(f"{what} must be whole numbers, not {array.dtype}")
    limits = np.iinfo(array.dtype)
    if (limits.min < 0 or limits.max > most) and array.size and (int(array.min()) < 0 or int(array.max()) > most):
        raise BadFingerprints(f"{what} must lie between 0 and {most}")
    return array
