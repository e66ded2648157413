"""Database: every stage of the work by name, and no detail of any.

fingerprint turns content into hashes and positions, store keeps them, match says what shared hashes mean.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from operator import index
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import BadFingerprints, BadLabel, BadName, DatabaseExists, NoSuchDocument, RecipeMismatch
from fpdb.fingerprint import DEFAULT_KEY, NO_POSITION, Fingerprints, Recipe, content_digest
from fpdb.match.queries import Answer, Options, search
from fpdb.store import layout
from fpdb.store.check import problems
from fpdb.store.commits import Addition, Change
from fpdb.store.layout import Record
from fpdb.store.snapshot import Snapshot
from fpdb.store.store import Store

Numbers = NDArray[Any] | Iterable[int]
Mode = Literal["r", "r+", "a", "x"]
Status = Literal["added", "replaced", "updated", "unchanged"]


def open(  # noqa: A001 (like gzip.open and shelve.open: meant to be called as fpdb.open)
    path: str | os.PathLike[str], mode: Mode = "a", *, recipe: Recipe | None = None, timeout: float = 10.0
) -> Database:
    """Opens the database at path.

    mode: "r" to read an existing one, "r+" to change an existing one, "a" (the default) also creates one, "x" creates
    one where there must be none. recipe: for a new database, by default the preset "text"; an existing one must have
    this recipe. timeout: seconds to wait for another writer. Raises NoSuchDatabase, DatabaseExists, NotADatabase,
    NewerFormat, RecipeMismatch, Corrupt, StorageFailure.
    """
    if mode not in ("r", "r+", "a", "x"):
        raise ValueError(f"mode must be 'r', 'r+', 'a' or 'x', not {mode!r}")
    path = os.fspath(path)
    if mode == "x" or (mode == "a" and not os.path.lexists(path)):
        try:
            Store.create(path, (recipe or Recipe.preset()).to_record())
        except DatabaseExists:
            if mode == "x":
                raise
    store = Store(path, readonly=mode == "r", timeout=timeout)
    try:
        return Database(store, recipe)
    except BaseException:
        store.close()
        raise


@dataclass(frozen=True, slots=True)
class Document:
    """A document in the catalogue.

    digest: of its content. symbols, kgrams, fingerprints: how many it has. hashes: distinct hashes among the
    fingerprints. added: when, in UTC. note: how it was read.
    """

    name: str
    kind: str
    boilerplate: bool
    digest: bytes
    symbols: int
    kgrams: int
    fingerprints: int
    hashes: int
    added: datetime
    note: str
    source: str | None
    contact: str | None
    labels: Mapping[str, str]


class Database:
    """An open database; made by `fpdb.open`. One object serves many threads, and no forked child."""

    def __init__(self, store: Store, recipe: Recipe | None = None) -> None:
        self._store = store
        self.path = store.path
        self.recipe = Recipe.from_record(store.recipe)
        if recipe is not None and recipe != self.recipe:
            raise RecipeMismatch(
                f"{self.path!r} was created with another recipe; open it without one, or make a new database"
            )

    def close(self) -> None:
        """Closes the file; closing twice is harmless."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------ documents in and out

    def add(self, name: str, content: str | bytes, **options: Any) -> Status:
        """Adds a document, or replaces the one of this name, durably; see `Batch.add`."""
        with self.batch() as batch:
            return batch.add(name, content, **options)

    def add_fingerprints(self, name: str, hashes: Numbers, positions: Numbers | None = None, **options: Any) -> Status:
        """Adds a document of the caller's own hashes, durably; see `Batch.add_fingerprints`."""
        with self.batch() as batch:
            return batch.add_fingerprints(name, hashes, positions, **options)

    def remove(self, name: str) -> None:
        """Removes a document. Raises NoSuchDocument."""
        with self.batch() as batch:
            batch.remove(name)

    @contextmanager
    def batch(self) -> Iterator[Batch]:
        """Many changes in one commit, made when the block ends; an exception in the block undoes them all."""
        with ExitStack() as stack:
            batch = Batch(self.recipe, stack.enter_context(self._store.snapshot()))
            yield batch
            stack.close()  # before committing: an open snapshot keeps old pages from being used again
            change = batch.change()
            if change.additions or change.updates or change.removals:
                self._store.commit(change)

    # ------------------------------------------------------------ questions

    def query(
        self,
        content: str | bytes,
        *,
        name: str | None = None,
        kind: str = "text",
        window: int | None = None,
        include_self: bool = False,
        **options: Any,
    ) -> Answer:
        """Which documents share text with this content.

        name: the content's own; a document of this name and content is left out unless include_self. window: wider than
        the recipe's, for fewer look-ups and a coarser answer. options: see `match.queries.Options`: by, smallest,
        max_df, max_ignored, min, top. Raises BadQuery, BadRecipe, UnknownKind, Unreadable, Corrupt.
        """
        fingerprints = self.recipe.fingerprint(content, kind, purpose="search", window=window)
        digest = None if include_self or name is None else content_digest(content)
        return self.query_fingerprints(fingerprints.hashes, name=name, kind=kind, digest=digest, **options)

    def query_fingerprints(
        self,
        hashes: Numbers,
        *,
        name: str | None = None,
        kind: str = "hashes",
        digest: bytes | None = None,
        **options: Any,
    ) -> Answer:
        """Which documents share these hashes: uint64, shape (n,), in any order, repeats allowed.

        digest: a document of this name and digest is the query itself, and is left out. Raises as `query`, and
        BadFingerprints.
        """
        asked = Options(**self._caps(options))
        array = _hashes(hashes)
        with self._store.snapshot() as view:
            itself = None
            if name is not None and digest is not None:
                itself = view.catalogue.find(layout.name_bytes(name))
                if itself is not None and view.catalogue.record(itself).digest != digest:
                    itself = None
            return search(view, array, asked, name=name, kind=kind, without=itself)

    def _caps(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options, with the recipe's caps where the caller gives none."""
        if options.get("max_df") is None and options.get("max_ignored") is None:
            return {**options, "max_df": self.recipe.max_df, "max_ignored": self.recipe.max_ignored}
        return options

    # ------------------------------------------------------------ the catalogue

    def __len__(self) -> int:
        """The number of documents, boilerplate not counted."""
        with self._store.snapshot() as view:
            return view.state.documents

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self.digest(name) is not None
        except BadName:
            return False

    def document(self, name: str) -> Document:
        """Raises NoSuchDocument."""
        with self._store.snapshot() as view:
            found = view.catalogue.find(layout.name_bytes(name))
            if found is None:
                raise NoSuchDocument(f"no document is named {name!r}")
            return _document(found, view.catalogue.record(found))

    def documents(self, glob: str | None = None) -> Iterator[Document]:
        """All documents by name, boilerplate included, or those whose names match a shell pattern (* ? [])."""
        with self._store.snapshot() as view:
            for found in view.catalogue.in_order_of_names(_literal_beginning(glob)):
                document = _document(found, view.catalogue.record(found))
                if glob is None or fnmatchcase(document.name, glob):
                    yield document

    def digest(self, name: str) -> bytes | None:
        """The digest of a document's content; None where there is no such document."""
        with self._store.snapshot() as view:
            found = view.catalogue.find(layout.name_bytes(name))
            return None if found is None else view.catalogue.record(found).digest

    def info(self) -> dict[str, Any]:
        """Figures of the database as a whole: plain numbers, strings and dicts. The recipe's key is left out."""
        with self._store.snapshot() as view:
            state = view.state
        recipe = self.recipe.to_record()
        recipe["secret_key"] = recipe.pop("key") != DEFAULT_KEY
        return {
            "path": self.path,
            "documents": state.documents,
            "boilerplate_documents": state.boilerplate_documents,
            "postings": state.postings,
            "dead_postings": sum(run.dead for run in state.runs),
            "runs": len(state.runs),
            "file_bytes": self._store.file_bytes(),
            "format_version": layout.FORMAT_VERSION,
            "recipe": recipe,
        }

    # ------------------------------------------------------------ the file as a whole

    def check(self) -> list[str]:
        """Verifies everything; returns what is wrong, one sentence each."""
        return problems(self._store)

    def compact(self) -> None:
        """Rewrites the file without what was removed or merged, and gives the space back. Readers go on."""
        self._store.compact()

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Writes a consistent copy to a new file, while others read and write. Raises DatabaseExists."""
        self._store.backup(os.fspath(path))


class Batch:
    """Changes that become one commit; made by `Database.batch`.

    It sees the database as it was when the batch began, and its own changes. It keeps them in memory, and needs about
    60 bytes a posting while it commits; `postings` counts them.
    """

    def __init__(self, recipe: Recipe, view: Snapshot) -> None:
        self._recipe = recipe
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
        boilerplate: bool = False,
        source: str | None = None,
        contact: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Status:
        """Adds a document, or replaces the one of this name; the same content again changes nothing else.

        boilerplate: its fingerprints are to be discarded wherever they occur. source: where it came from, a path or
        URL; contact: whom to ask about it. Raises BadName, BadLabel, UnknownKind, Unreadable.
        """
        about = _about(kind, content_digest(content), boilerplate, source, contact, labels)
        return self._add(name, about, lambda: self._recipe.fingerprint(content, kind))

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

        digest: `fingerprint.content_digest` of the content. Raises BadName, BadLabel.
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
        array = _hashes(hashes)
        placed = np.full(len(array), NO_POSITION, np.uint32) if positions is None else _positions(positions)
        if len(placed) != len(array):
            raise BadFingerprints(f"{len(array)} hashes came with {len(placed)} positions; give each hash one, or none")
        if digest is None:
            digest = content_digest(array.tobytes() if positions is None else array.tobytes() + placed.tobytes())
        elif len(digest) != layout.DIGEST_BYTES:
            raise BadFingerprints(f"a digest has {layout.DIGEST_BYTES} bytes, not {len(digest)}")
        found = Fingerprints(kind, len(array), len(array), array, placed, "")
        about = _about(kind, digest, boilerplate, source, contact, labels)
        return self._add(name, about, lambda: found)

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
        self._additions[key] = Addition(record, found.hashes, numbers, about.boilerplate)
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
    for text in (kind, source, contact, *((labels or {}).keys()), *((labels or {}).values())):
        if text is None:
            continue
        try:
            text.encode("utf-8", "surrogateescape")
        except (AttributeError, UnicodeEncodeError):
            raise BadLabel(f"kind, source, contact and labels are text that UTF-8 can hold, not {text!r}") from None
    return About(kind, digest, boilerplate, source, contact, dict(labels) if labels else layout.NO_LABELS)


def _document(number: int, record: Record) -> Document:
    return Document(
        name=record.name.decode("utf-8", "surrogateescape"),
        kind=record.kind,
        boilerplate=number >= layout.FIRST_BOILERPLATE,
        digest=record.digest,
        symbols=record.symbols,
        kgrams=record.kgrams,
        fingerprints=record.fingerprints,
        hashes=record.hashes,
        added=datetime.fromtimestamp(record.added, UTC),
        note=record.note,
        source=record.source,
        contact=record.contact,
        labels=record.labels,
    )


def _literal_beginning(glob: str | None) -> bytes:
    """What every name that matches the pattern begins with."""
    end = re.search(r"[*?\[]", glob or "*")
    literal = (glob or "")[: end.start() if end else None]
    try:
        return literal.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:  # no name has that character
        return literal[: error.start].encode("utf-8", "surrogateescape")


def _hashes(hashes: Numbers) -> NDArray[np.uint64]:
    return _integers(hashes, "hashes", 2**64 - 1).astype(np.uint64)


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
