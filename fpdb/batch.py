"""Batch: changes to a database that become one commit, collected and checked before they meet the store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import index
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import BadFingerprints, BadLabel, ContentChanged, NoSuchDocument
from fpdb.fingerprint import NO_POSITION, Fingerprints, Purpose, Recipe, content_digest
from fpdb.store import layout
from fpdb.store.commits import Addition, Change
from fpdb.store.layout import Record
from fpdb.store.snapshot import Snapshot

Numbers = NDArray[Any] | Iterable[int]
Rarity = Literal["document", "corpus"]
Status = Literal["added", "replaced", "updated", "unchanged"]


class Batch:
    """Changes that become one commit; made by `Database.batch`.

    It sees the database as it was when the batch began, and its own changes. It keeps them in memory, and needs about
    60 bytes a posting while it commits; `postings` counts them.
    """

    def __init__(self, recipe: Recipe, view: Snapshot) -> None:
        self._recipe = recipe
        self._view = view
        self._catalogue = view.catalogue
        self._additions: dict[bytes, Addition] = {}
        self._updates: dict[bytes, Record] = {}
        self._removals: set[bytes] = set()
        self.postings = 0

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
    ) -> Status:
        """Adds a document, or replaces the one of this name; the same content again changes nothing else.

        kind: one of `fingerprint.KINDS`, or "auto" for what name and content say.

        rarity: what the scheme koala takes for rare: k-grams whose beginnings are few in the document, or which few
        documents of the database hold (Heintze 1996, section 6.1); other schemes take no notice.

        boilerplate: all of its k-grams are to be discarded wherever they occur. source: where it came from, a path
        or URL; contact: whom to ask about it. Raises BadName, BadLabel, UnknownKind, Unreadable.
        """
        kind = self._recipe.resolve(kind, content, name)
        about = _about(kind, content_digest(content), boilerplate, source, contact, labels)
        return self._add(name, about, lambda: self._fingerprint(name, content, kind, rarity, boilerplate))

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
    ) -> Status:
        """Like `add`, where the content's fingerprints have been made with this database's recipe already.

        digest: `fingerprint.content_digest` of the content. boilerplate: they were made for the purpose "discard".
        Raises BadName, BadLabel.
        """
        about = _about(fingerprints.kind, digest, boilerplate, source, contact, labels)
        return self._add(name, about, lambda: fingerprints)

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
        placed = _no_positions(len(array)) if positions is None else _positions(positions)
        if len(placed) != len(array):
            raise BadFingerprints(f"{len(array)} hashes came with {len(placed)} positions; give each hash one, or none")
        if digest is None:
            digest = content_digest(array.tobytes() if positions is None else array.tobytes() + placed.tobytes())
        elif len(digest) != layout.DIGEST_BYTES:
            raise BadFingerprints(f"a digest has {layout.DIGEST_BYTES} bytes, not {len(digest)}")
        found = Fingerprints(kind, len(array), len(array), array, placed, "")
        about = _about(kind, digest, boilerplate, source, contact, labels)
        return self._add(name, about, lambda: found)

    def rotate(self, name: str, content: str | bytes, *, rotation: int | None = None) -> int:
        """Stores another subset of a document's search fingerprints, so that nobody can tell for long which passages
        are stored (Heintze 1996, section 3.3). Searching does not change.

        content: the document's, which is not kept. rotation: the number of the subset, by default the next one, which
        is returned. Raises NoSuchDocument, ContentChanged, BadRecipe where the scheme does not rotate.
        """
        key = layout.name_bytes(name)
        pending = self._additions.get(key)
        stored = None if pending else self._stored(key)
        if pending is None and stored is None:
            raise NoSuchDocument(f"no document is named {name!r}")
        record = pending.record if pending else self._updates.get(key) or self._catalogue.record(stored or 0)
        boilerplate = pending.boilerplate if pending else (stored or 0) >= layout.FIRST_BOILERPLATE
        if content_digest(content) != record.digest:
            raise ContentChanged(f"{name!r} is another text than the one that was added; add it anew")
        rotation = record.rotation + 1 if rotation is None else rotation
        purpose: Purpose = "discard" if boilerplate else "store"
        found = self._recipe.fingerprint(content, record.kind, purpose=purpose, rotation=rotation, name=name)
        self._forget(key)
        numbers = found.positions + np.uint32(1)
        record = record._replace(rotation=rotation)
        self._additions[key] = Addition(record, found.hashes, numbers, boilerplate, found.share)
        self.postings += len(found.hashes)
        return rotation

    def _fingerprint(
        self, name: str, content: str | bytes, kind: str, rarity: Rarity, boilerplate: bool
    ) -> Fingerprints:
        counts = frequencies(self._view) if rarity == "corpus" else None
        purpose: Purpose = "discard" if boilerplate else "store"
        return self._recipe.fingerprint(content, kind, purpose=purpose, frequencies=counts, name=name)

    def remove(self, name: str) -> None:
        """Removes a document. Raises NoSuchDocument."""
        key = layout.name_bytes(name)
        stored = self._stored(key)
        if stored is None and key not in self._additions:
            raise NoSuchDocument(f"no document is named {name!r}")
        self._forget(key)
        if stored is not None:
            self._removals.add(key)

    def change(self) -> Change:
        """What the batch has come to."""
        return Change(
            list(self._additions.values()), list(self._updates.values()), list(self._removals - set(self._additions))
        )

    def _forget(self, key: bytes) -> None:
        pending = self._additions.pop(key, None)
        if pending is not None:
            self.postings -= len(pending.hashes)
        self._updates.pop(key, None)

    def _stored(self, key: bytes) -> int | None:
        return None if key in self._removals else self._catalogue.find(key)

    def _add(self, name: str, about: About, make: Callable[[], Fingerprints]) -> Status:
        """Adds what `make` gives, unless the document is there already with the same content."""
        key = layout.name_bytes(name)
        pending = self._additions.get(key)
        stored = None if pending else self._stored(key)
        if pending is not None:
            before, boilerplate = pending.record, pending.boilerplate
        elif stored is not None:
            before = self._updates.get(key) or self._catalogue.record(stored)
            boilerplate = stored >= layout.FIRST_BOILERPLATE
        else:
            return self._put(key, about, make(), "added")
        if (before.kind, before.digest, boilerplate) != (about.kind, about.digest, about.boilerplate):
            return self._put(key, about, make(), "replaced")
        described = before._replace(source=about.source, contact=about.contact, labels=about.labels)
        if described == before:
            return "unchanged"
        if pending is not None:
            self._additions[key] = pending._replace(record=described)
        else:
            self._updates[key] = described
        return "updated"

    def _put(self, key: bytes, about: About, found: Fingerprints, status: Status) -> Status:
        self._forget(key)
        record = Record(
            key,
            about.kind,
            about.digest,
            found.symbols,
            found.kgrams,
            0,
            0,
            int(time.time()),
            found.note,
            about.source,
            about.contact,
            about.labels,
        )
        numbers = found.positions + np.uint32(1)  # NO_POSITION becomes 0
        self._additions[key] = Addition(record, found.hashes, numbers, about.boilerplate, found.share)
        self.postings += len(found.hashes)
        return status


class About(NamedTuple):
    """What is said of a document that is added, beside its fingerprints."""

    kind: str
    digest: bytes
    boilerplate: bool
    source: str | None
    contact: str | None
    labels: Mapping[str, str]


def _about(
    kind: str,
    digest: bytes,
    boilerplate: bool,
    source: str | None,
    contact: str | None,
    labels: Mapping[str, str] | None,
) -> About:
    """Takes a copy of the labels, which the caller may change before the batch is committed. Raises BadLabel."""
    if source is None and contact is None and not labels and type(kind) is str and kind.isascii():
        return About(kind, digest, boilerplate, None, None, layout.NO_LABELS)
    for text in (kind, source, contact, *((labels or {}).keys()), *((labels or {}).values())):
        if text is None:
            continue
        try:
            text.encode("utf-8", "surrogateescape")
        except (AttributeError, UnicodeEncodeError):
            raise BadLabel(f"kind, source, contact and labels are text that UTF-8 can hold, not {text!r}") from None
    return About(kind, digest, boilerplate, source, contact, dict(labels) if labels else layout.NO_LABELS)


def frequencies(view: Snapshot) -> Callable[[NDArray[np.uint64]], NDArray[np.int64]]:
    """In how many documents each of some hashes is."""

    def count(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        order = np.argsort(hashes)
        ordered = hashes[order]
        new = np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)]
        frequency = np.bincount(view.look_up(ordered[new]).indices, minlength=int(new.sum()))
        counts = np.empty(len(hashes), np.int64)
        counts[order] = frequency[np.cumsum(new) - 1]
        return counts

    return count


def as_hashes(hashes: Numbers) -> NDArray[np.uint64]:
    """A caller's hashes as an array, checked, shape (n,). Raises BadFingerprints."""
    return _integers(hashes, "hashes", 2**64 - 1).astype(np.uint64)


@lru_cache(maxsize=64)
def _no_positions(count: int) -> NDArray[np.uint32]:
    """Shared by documents of one size; not to be written to."""
    positions = np.full(count, NO_POSITION, np.uint32)
    positions.flags.writeable = False
    return positions


def _positions(positions: Numbers) -> NDArray[np.uint32]:
    return _integers(positions, "positions", layout.LARGEST_POSITION).astype(np.uint32)


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
