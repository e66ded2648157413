"""Taking over documents that were fingerprinted elsewhere: which of them come, given what is there, and how they do.

From another database here; from a folder in `adoption`. Documents keep all that their records hold, and their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Final, Literal

import numpy as np

from fpdb.arrays import U32
from fpdb.errors import BadName, Corrupt, Error, NameTaken, ReadOnly
from fpdb.exchange.jsonl_export import parts, transposed
from fpdb.ingest.redact_url import redact_url
from fpdb.storage import file_format
from fpdb.storage.commit import Change, PreparedDocument
from fpdb.storage.file_format import FIRST_BOILERPLATE, Run
from fpdb.storage.ingest import IncomingDocument, IncomingRun, ingest_sorted
from fpdb.storage.records import Record
from fpdb.storage.runs.postings import NO_POSTINGS, Postings, concat_postings, is_ascending
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.store import Store
from fpdb.storage.texts import KeptText

OnCollision = Literal["refuse", "skip", "replace"]
COLLISIONS: Final = ("refuse", "skip", "replace")
Taken = dict[str, int]

NAMES_AT_ONCE: Final = 4096
SHOWN: Final = 3  # names in a message


Named = tuple[int, bytes, Callable[[], Record]]
"""A document that is to be taken over: its number at its source, the name that it is to have, and its record, which is
asked for only where there is a document of this name."""


class Plan:
    """What becomes of documents that are to be taken over, found by meeting them; nothing is changed by it.

    counts: how many are added, replaced, unchanged or skipped. make_way: names of boilerplate that ordinary documents
    replace.
    """

    def __init__(self, view: Snapshot, on_collision: OnCollision) -> None:
        if on_collision not in COLLISIONS:
            raise ValueError(f"on_collision must be one of {', '.join(COLLISIONS)}, not {on_collision!r}")
        self.counts: Taken = {"added": 0, "replaced": 0, "unchanged": 0, "skipped": 0}
        self.make_way: list[bytes] = []
        self._view = view
        self._on_collision = on_collision
        self._refused: list[bytes] = []

    def meet(self, documents: Iterable[Named]) -> Iterator[int]:
        """The numbers of those of the documents that are to come."""
        rest = iter(documents)
        while some := list(islice(rest, NAMES_AT_ONCE)):
            there = self._there([name for _, name, _ in some])
            for number, name, record in some:
                found = there.get(name)
                if found is None:
                    self.counts["added"] += 1
                elif not self._may_come(number, name, record(), *found):
                    continue
                yield number

    def _may_come(self, number: int, name: bytes, record: Record, there: Record, discarded: bool) -> bool:
        """Whether a document comes whose name is there."""
        boilerplate = number >= FIRST_BOILERPLATE
        if (record.kind, record.digest, boilerplate) == (there.kind, there.digest, discarded):
            self.counts["unchanged"] += 1
            return False
        if self._on_collision != "replace":
            self.counts["skipped"] += 1
            self._refused += [name][: SHOWN - len(self._refused)]
            return False
        self.counts["replaced"] += 1
        if discarded and not boilerplate:
            self.make_way.append(name)
        return True

    def _there(self, names: Iterable[bytes]) -> dict[bytes, tuple[Record, bool]]:
        """Those of these names that there are: the records, and whether they are boilerplate's."""
        catalogue = self._view.catalogue
        found = {number: catalogue.record(number) for number in sorted(catalogue.find_all(names).values())}
        return {record.name: (record, number >= FIRST_BOILERPLATE) for number, record in found.items()}

    def check(self) -> None:
        """Raises NameTaken where documents were passed over that may not be."""
        if self._on_collision == "refuse" and self._refused:
            names = ", ".join(repr(name.decode("utf-8", "surrogateescape")) for name in self._refused)
            some = "" if len(self._refused) == self.counts["skipped"] else " and others"
            raise NameTaken(
                f"nothing was taken over, since names are there already for another content ({names}{some}; "
                f"{self.counts['skipped']:,} in all): replace these documents or skip the new ones (--on-collision), "
                "or put something before all new names (--prefix)"
            )


def refuse_readonly(store: Store) -> None:
    """Raises ReadOnly."""
    if store.env.readonly:
        raise ReadOnly(f"{store.path!r} was opened for reading only")


def prefixed(prefix: bytes, name: bytes) -> bytes:
    """The name that a document is to have. Raises BadName."""
    if len(prefix) + len(name) > file_format.LONGEST_NAME:
        raise BadName(
            f"with the prefix a name has {len(prefix) + len(name)} bytes; {file_format.LONGEST_NAME} is the most"
        )
    return prefix + name


def described(record: Record, prefix: bytes) -> Record:
    """The record as it is to be here."""
    if prefix or record.source is not None:
        source = None if record.source is None else redact_url(record.source)
        return record._replace(name=prefixed(prefix, record.name), source=source)
    return record


# ---------------------------------------------------------------- another database


def merge(store: Store, view: Snapshot, prefix: bytes, on_collision: OnCollision) -> Taken:
    """Takes over all documents of the view; boilerplate first, in commits of its own. Raises NameTaken, BadName: then
    nothing has changed; Corrupt: the view is damaged, and no ordinary document has come; ReadOnly, Locked,
    StorageFailure."""
    refuse_readonly(store)
    other = _Other(view, prefix)
    with store.exclude_writers():
        with store.snapshot() as own:
            plan = Plan(own, on_collision)
            coming = np.fromiter(plan.meet(other.named()), np.uint32)
            plan.check()
        coming.sort()
        first = int(np.searchsorted(coming, FIRST_BOILERPLATE))
        for change in other.boilerplate(coming[first:]):
            store.apply(change)
        ingest_sorted(store, other, coming[:first], plan.make_way)
    store.tidy()
    return plan.counts


class _Other:
    """A snapshot of another store, as a `SortedPostingsSource`."""

    def __init__(self, view: Snapshot, prefix: bytes) -> None:
        self.size = view.state.next_document
        self._view = view
        self._prefix = prefix

    def named(self) -> Iterator[Named]:
        """Boilerplate too. In the order of names, so that records need not be read."""
        prefix, record = self._prefix, self._view.catalogue.record
        for name, number in self._view.catalogue.names():
            if FIRST_BOILERPLATE > number >= self.size:
                raise Corrupt("the other database has a document that was never added; run 'fpdb check' on it")
            if len(name) > file_format.LONGEST_PLAIN_NAME:
                name = record(number).name
            yield number, prefixed(prefix, name) if prefix else name, partial(record, number)

    def documents(self, numbers: U32) -> Iterator[IncomingDocument]:
        catalogue = self._view.catalogue
        for start in range(0, len(numbers), NAMES_AT_ONCE):
            some = numbers[start : start + NAMES_AT_ONCE]
            shares = catalogue.sizes(some)["share"].tolist()
            for number, share in zip(some.tolist(), shares, strict=True):
                yield IncomingDocument(number, described(catalogue.record(number), self._prefix), share)

    def text(self, document: IncomingDocument) -> KeptText | None:
        return self._view.texts.kept(document.number, document.record)

    def runs(self) -> Iterator[IncomingRun]:
        for run in self._view.runs():
            yield IncomingRun(run.first_id, run.last_id, self._pieces(run))

    def _pieces(self, run: Run) -> Iterator[Postings]:
        """Its postings, none of them believed: the file may be another's."""
        last = NO_POSTINGS
        for piece in self._view.scan(run):
            outside = piece.document_ids.min() < run.first_id or piece.document_ids.max() > run.last_id
            if outside or not is_ascending(concat_postings(last, piece)):
                raise Corrupt(f"run {run.number} of the other database is out of order; run 'fpdb check' on it")
            last = piece[-1:]
            yield piece

    def check(self, _numbers: U32, _postings: U32) -> None:
        """Each record tells when its document comes; to read them all before takes too long."""

    def miscounted(self, number: int, told: int, found: int) -> Error:
        return Corrupt(
            f"document {number} of the other database has {found} postings; its record says {told}; run 'fpdb check' "
            "on it"
        )

    def boilerplate(self, numbers: U32) -> Iterator[Change]:
        """Boilerplate documents as additions, some at a time."""
        for part in parts(self._view, numbers):
            documents = list(self.documents(part))
            found = transposed(self._view, part)
            yield Change(
                [
                    PreparedDocument(
                        document.record._replace(text=None), hashes, places, True, document.share, self.text(document)
                    )
                    for document, (_, hashes, places) in zip(documents, found, strict=True)
                ]
            )
