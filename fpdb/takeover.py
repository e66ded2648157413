"""Taking over documents that were fingerprinted elsewhere: which of them come, given what is there, and how they do.

From another database here; from a folder in `adoption`. Documents keep all that their records hold, and their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from fpdb.addresses import without_credentials
from fpdb.errors import BadName, Corrupt, Error, NameTaken, ReadOnly
from fpdb.store import layout, runs
from fpdb.store.commits import Addition, Change
from fpdb.store.intake import NOT_TAKEN, Document, Part, take_in
from fpdb.store.layout import FIRST_BOILERPLATE, Record, Run
from fpdb.store.runs import Postings
from fpdb.store.snapshot import Snapshot
from fpdb.store.store import Store
from fpdb.store.texts import KeptText
from fpdb.transfer import parts, transposed

OnCollision = Literal["refuse", "skip", "replace"]
COLLISIONS: Final = ("refuse", "skip", "replace")
U32 = NDArray[np.uint32]
Taken = dict[str, int]

NAMES_AT_ONCE: Final = 4096
SHOWN: Final = 3  # names in a message


class Plan:
    """What becomes of documents that are to be taken over, found by meeting them; nothing is changed by it.

    counts: how many are added, replaced, unchanged or skipped. make_way: names of boilerplate that ordinary documents
    replace: it must go before these are counted.
    """

    def __init__(self, view: Snapshot, on_collision: OnCollision) -> None:
        if on_collision not in COLLISIONS:
            raise ValueError(f"on_collision must be one of {', '.join(COLLISIONS)}, not {on_collision!r}")
        self.counts: Taken = {"added": 0, "replaced": 0, "unchanged": 0, "skipped": 0}
        self.make_way: list[bytes] = []
        self._view = view
        self._on_collision = on_collision
        self._refused: list[bytes] = []

    def meet(self, documents: Iterable[Document], *, boilerplate: bool = False) -> Iterator[Document]:
        """Those of the documents that are to come."""
        rest = iter(documents)
        while some := list(islice(rest, NAMES_AT_ONCE)):
            there = self._there(some)
            for document in some:
                name, kind, digest = document.record[:3]
                found = there.get(name)
                if found is None:
                    self.counts["added"] += 1
                elif found == (kind, digest, boilerplate):
                    self.counts["unchanged"] += 1
                    continue
                elif self._on_collision == "replace":
                    self.counts["replaced"] += 1
                    if found[2] and not boilerplate:
                        self.make_way.append(name)
                else:
                    self.counts["skipped"] += 1
                    self._refused += [name][: SHOWN - len(self._refused)]
                    continue
                yield document

    def _there(self, documents: Iterable[Document]) -> dict[bytes, tuple[str, bytes, bool]]:
        """Kind, digest and sort of the documents of these names that there are."""
        catalogue = self._view.catalogue
        there = {}
        for number in catalogue.find_all([document.record.name for document in documents]):
            record = catalogue.record(number)
            there[record.name] = record.kind, record.digest, number >= FIRST_BOILERPLATE
        return there

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


def told_by(documents: Iterable[Document], size: int) -> NDArray[np.int64]:
    """How many postings each document is to have, as `take_in` wants it."""
    told = np.full(size, NOT_TAKEN, np.int64)
    for document in documents:
        told[document.number] = document.record.fingerprints
    return told


def refuse_readonly(store: Store) -> None:
    """Raises ReadOnly."""
    if store.env.readonly:
        raise ReadOnly(f"{store.path!r} was opened for reading only")


def described(record: Record, prefix: bytes) -> Record:
    """The record under its new name. Raises BadName."""
    name = prefix + record.name
    if len(name) > layout.LONGEST_NAME:
        raise BadName(f"with the prefix a name is {len(name)} bytes long; {layout.LONGEST_NAME} is the most")
    source = None if record.source is None else without_credentials(record.source)
    return record._replace(name=name, source=source, text=None)


# ---------------------------------------------------------------- another database


def merge(store: Store, view: Snapshot, prefix: bytes, on_collision: OnCollision) -> Taken:
    """Takes over all documents of the view; boilerplate first, in commits of its own. Raises NameTaken, BadName: then
    nothing has changed; Corrupt: the view is damaged, and no ordinary document has come; ReadOnly, Locked,
    StorageFailure."""
    refuse_readonly(store)
    other = _Other(view, prefix)
    with store.quiet():
        with store.snapshot() as own:
            plan = Plan(own, on_collision)
            discarded = [document.number for document in plan.meet(other.boilerplate(), boilerplate=True)]
            told = told_by(plan.meet(other.documents()), other.size)
            plan.check()
        for change in other.boilerplate_changes(np.array(discarded, np.uint32)):
            store.apply(change)
        take_in(store, other, told, plan.make_way)
    store.tidy()
    return plan.counts


class _Other:
    """A snapshot of another store, as a `Source`."""

    def __init__(self, view: Snapshot, prefix: bytes) -> None:
        self.size = view.state.next_document
        self._view = view
        self._prefix = prefix
        every = np.fromiter(view.catalogue.sized(), np.uint32)
        self._numbers = every[every < FIRST_BOILERPLATE]
        self._boilerplate = every[every >= FIRST_BOILERPLATE]
        if len(self._numbers) and self._numbers[-1] >= self.size:
            raise Corrupt("it has documents that were never added; run 'fpdb check' on it")

    def documents(self) -> Iterator[Document]:
        return self._documents(self._numbers)

    def boilerplate(self) -> Iterator[Document]:
        return self._documents(self._boilerplate)

    def _documents(self, numbers: U32) -> Iterator[Document]:
        catalogue = self._view.catalogue
        for start in range(0, len(numbers), NAMES_AT_ONCE):
            some = numbers[start : start + NAMES_AT_ONCE]
            shares = catalogue.sizes(some)["share"].tolist()
            for number, share in zip(some.tolist(), shares, strict=True):
                yield Document(number, described(catalogue.record(number), self._prefix), share)

    def text(self, document: Document) -> KeptText | None:
        return self._view.texts.kept(document.number, self._view.catalogue.record(document.number))

    def parts(self) -> Iterator[Part]:
        for run in self._view.runs():
            yield Part(run.first_id, run.last_id, self._pieces(run))

    def _pieces(self, run: Run) -> Iterator[Postings]:
        """Its postings, none of them believed: the file may be another's."""
        last = runs.NO_POSTINGS
        for piece in runs.scan(self._view.txn, self._view.blocks, run):
            outside = piece.documents.min() < run.first_id or piece.documents.max() > run.last_id
            if outside or not runs.ascending(runs.joined(last, piece)):
                raise Corrupt(f"run {run.number} of the other database is out of order; run 'fpdb check' on it")
            last = Postings(piece.hashes[-1:], piece.documents[-1:], piece.numbers[-1:])
            yield piece

    def miscounted(self, number: int, told: int, found: int) -> Error:
        return Corrupt(
            f"document {number} of the other database has {found} postings; its record says {told}; run 'fpdb check' "
            "on it"
        )

    def boilerplate_changes(self, numbers: U32) -> Iterator[Change]:
        """Boilerplate documents as additions, some at a time."""
        for part in parts(self._view, numbers):
            documents = list(self._documents(part))
            found = transposed(self._view, part)
            yield Change(
                additions=[
                    Addition(document.record, hashes, places, boilerplate=True, share=document.share)
                    for document, (_, hashes, places) in zip(documents, found, strict=True)
                ],
                texts={doc.record.name: text for doc in documents if (text := self.text(doc)) is not None},
            )
