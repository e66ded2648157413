"""Merging documents that were fingerprinted elsewhere: which of them are added, and how those of another database are.

`parquet_import` adds those of a folder. Documents keep all that their records hold, and their order.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import U32
from fpdb.errors import BadName, Corrupt, Error, NameTaken, ReadOnly
from fpdb.exchange.jsonl_export import POSTINGS_PER_PART
from fpdb.ingest.redact_url import redact_url
from fpdb.options import OnCollision
from fpdb.storage import file_format
from fpdb.storage.commit import Change
from fpdb.storage.document_columns import PreparedDocument
from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.ingest import IncomingDocument, IncomingRun, ingest_sorted
from fpdb.storage.maintenance.verifier import Unchecked, verify
from fpdb.storage.posting_scan import scan_documents, split_by_postings
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.store import Store
from fpdb.storage.texts import KeptText

COLLISIONS: Final = ("refuse", "skip", "replace")
MergeCounts = dict[str, int]
"""The number of documents that were added, replaced, unchanged and skipped."""

NAMES_PER_LOOK_UP: Final = 4096
NAMES_SHOWN: Final = 3  # in a message


class MergeCandidate(NamedTuple):
    """A document that may be added.

    Attributes:
        number: Its number in its source; from FIRST_BOILERPLATE on for boilerplate.
        name: The name that it is to have.
        record: Returns its record, which is needed only if a document of this name exists.
    """

    number: int
    name: bytes
    record: Callable[[], Record]


class MergePlan:
    """The choice of documents to add; the database is not changed by it.

    Attributes:
        counts: What becomes of the documents.
        replaced_boilerplate: Names of boilerplate documents that ordinary documents replace.
    """

    def __init__(self, snapshot: Snapshot, on_collision: OnCollision) -> None:
        """Plan for the database of a snapshot. Raises ValueError."""
        if on_collision not in COLLISIONS:
            raise ValueError(f"on_collision must be one of {', '.join(COLLISIONS)}, not {on_collision!r}")
        self.counts: MergeCounts = {"added": 0, "replaced": 0, "unchanged": 0, "skipped": 0}
        self.replaced_boilerplate: list[bytes] = []
        self._catalogue = snapshot.catalogue
        self._on_collision = on_collision
        self._refused: list[bytes] = []

    def select(self, candidates: Iterable[MergeCandidate]) -> U32:
        """Return the numbers of the documents to add, in the order of the candidates.

        Raises:
            NameTaken: Documents have names that exist, and may not replace them.
        """
        selected = np.fromiter(self._selected(iter(candidates)), np.uint32)
        if self._on_collision == "refuse" and self._refused:
            names = ", ".join(repr(file_format.name_text(name)) for name in self._refused)
            others = "" if len(self._refused) == self.counts["skipped"] else " and others"
            raise NameTaken(
                f"nothing was taken over, since names are there already for another content ({names}{others}; "
                f"{self.counts['skipped']:,} in all): replace these documents or skip the new ones (--on-collision), "
                "or put something before all new names (--prefix)"
            )
        return selected

    def _selected(self, candidates: Iterator[MergeCandidate]) -> Iterator[int]:
        while batch := list(islice(candidates, NAMES_PER_LOOK_UP)):
            ids = self._catalogue.find_all([candidate.name for candidate in batch])
            stored = {document_id: self._catalogue.record(document_id) for document_id in sorted(ids.values())}
            for candidate in batch:
                stored_id = ids.get(candidate.name)
                if stored_id is None:
                    self.counts["added"] += 1
                elif not self._may_replace(candidate, stored[stored_id], stored_id >= FIRST_BOILERPLATE):
                    continue
                yield candidate.number

    def _may_replace(self, candidate: MergeCandidate, stored: Record, stored_is_boilerplate: bool) -> bool:
        """Decide on a document of which the name exists."""
        record, boilerplate = candidate.record(), candidate.number >= FIRST_BOILERPLATE
        if (record.kind, record.digest, boilerplate) == (stored.kind, stored.digest, stored_is_boilerplate):
            self.counts["unchanged"] += 1
            return False
        if self._on_collision != "replace":
            self.counts["skipped"] += 1
            self._refused += [candidate.name][: NAMES_SHOWN - len(self._refused)]
            return False
        self.counts["replaced"] += 1
        if stored_is_boilerplate and not boilerplate:
            self.replaced_boilerplate.append(candidate.name)
        return True


def check_writable(store: Store) -> None:
    """Raise ReadOnly if a store was opened for reading only."""
    if store.env.readonly:
        raise ReadOnly(f"{store.path!r} was opened for reading only")


def add_prefix(prefix: bytes, name: bytes) -> bytes:
    """Return the name that a document is to have. Raises BadName."""
    if len(prefix) + len(name) > file_format.LONGEST_NAME:
        raise BadName(
            f"with the prefix a name has {len(prefix) + len(name)} bytes; {file_format.LONGEST_NAME} is the most"
        )
    return prefix + name


def adapt_record(record: Record, prefix: bytes) -> Record:
    """Return a record with the prefix before its name, and nothing secret in its source. Raises BadName."""
    if prefix or record.source is not None:
        source = None if record.source is None else redact_url(record.source)
        return record._replace(name=add_prefix(prefix, record.name), source=source)
    return record


# ---------------------------------------------------------------- another database


def merge(store: Store, other: Snapshot, prefix: bytes, on_collision: OnCollision) -> MergeCounts:
    """Add all documents of another database; boilerplate first, in commits of its own.

    Args:
        store: The store that is added to; other writers wait.
        other: The documents.
        prefix: Put before their names.
        on_collision: What becomes of a document if another one has its name.

    Raises:
        NameTaken: Nothing has changed; BadName, the same.
        Corrupt: The other database is damaged, and nothing has changed.
        ReadOnly: The store is read-only; Locked, StorageFailure: It cannot be written.
    """
    check_writable(store)
    problem = next((sentence for sentence in verify(other) if not isinstance(sentence, Unchecked)), None)
    if problem is not None:
        raise Corrupt(f"nothing was changed, since the other database is not sound: {problem}")
    source = _SnapshotSource(other, prefix)
    with store.exclude_writers():
        with store.snapshot() as snapshot:
            plan = MergePlan(snapshot, on_collision)
            numbers = plan.select(source.candidates())
        numbers.sort()
        if (numbers[1:] == numbers[:-1]).any():
            raise Corrupt("the other database has two names for a document; run 'fpdb check' on it")
        first = int(np.searchsorted(numbers, FIRST_BOILERPLATE))
        for change in source.boilerplate(numbers[first:]):
            store.apply(change)
        ingest_sorted(store, source, numbers[:first], plan.replaced_boilerplate)
    store.tidy()
    return plan.counts


class _SnapshotSource:
    """A snapshot of another store as a `SortedPostingsSource`."""

    def __init__(self, snapshot: Snapshot, prefix: bytes) -> None:
        self._snapshot = snapshot
        self._catalogue = snapshot.catalogue
        self._prefix = prefix

    def candidates(self) -> Iterator[MergeCandidate]:
        """Yield all documents in the order of names, so that records need not be read; boilerplate included."""
        for name, number in self._catalogue.names():
            if len(name) > file_format.LONGEST_PLAIN_NAME:
                name = self._catalogue.record(number).name
            name = add_prefix(self._prefix, name) if self._prefix else name
            yield MergeCandidate(number, name, partial(self._catalogue.record, number))

    def documents(self, numbers: U32) -> Iterator[IncomingDocument]:
        for start in range(0, len(numbers), NAMES_PER_LOOK_UP):
            part = numbers[start : start + NAMES_PER_LOOK_UP]
            shares = self._catalogue.sizes(part)["share"].tolist()
            for number, share in zip(part.tolist(), shares, strict=True):
                yield IncomingDocument(number, adapt_record(self._catalogue.record(number), self._prefix), share)

    def text(self, document: IncomingDocument) -> KeptText | None:
        return self._snapshot.texts.verified(document.number, document.record)

    def runs(self) -> Iterator[IncomingRun]:
        for run in self._snapshot.runs():
            yield IncomingRun(run.first_id, run.last_id, self._snapshot.scan(run))

    def check(self, _numbers: U32, _postings: U32) -> None:
        """Do nothing: each record is compared when its document is added; to read them all before takes too long."""

    def miscounted(self, number: int, told: int, found: int) -> Error:
        return Corrupt(
            f"document {number} of the other database has {found} postings; its record says {told}; run 'fpdb check' "
            "on it"
        )

    def boilerplate(self, numbers: U32) -> Iterator[Change]:
        """Yield changes that add boilerplate documents."""
        for part in split_by_postings(self._snapshot, numbers, POSTINGS_PER_PART):
            documents = zip(self.documents(part), scan_documents(self._snapshot, part), strict=True)
            yield Change(
                [
                    PreparedDocument(
                        document.record._replace(text=None),
                        hashes,
                        encoded_positions,
                        True,
                        document.share,
                        self.text(document),
                    )
                    for document, (_, hashes, encoded_positions) in documents
                ]
            )
