"""What one commit does inside its transaction: documents out, documents in, one run written, sizes kept true."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U8, U32, U64, Bools, contains
from fpdb.errors import Error, NoSuchDocument
from fpdb.gc_control import gc_paused
from fpdb.storage import _sorting, file_format
from fpdb.storage.file_format import Record, Run, State
from fpdb.storage.runs import merge_policy, run_blocks
from fpdb.storage.runs.merge import in_pieces, merged
from fpdb.storage.runs.run_blocks import Postings, RunWriter
from fpdb.storage.snapshot import Snapshot, write_state
from fpdb.storage.texts import KeptText

NOTHING_DEAD = np.empty(0, np.uint8)
HASHES_A_LOOK = 256  # of changed boilerplate, each of which many documents may hold


class PreparedDocument(NamedTuple):
    """A document that is ready to be committed.

    hashes: shape (n,), in any order, duplicates allowed. encoded_positions: shape (n,), position + 1, or 0 for none.
    share: how much of all hashes they sample, see file_format.WHOLE. text: the content, where it is to be kept. The
    commit sets the record's `fingerprints`, `hashes` and `text` itself; the record's `text` is None before.
    """

    record: Record
    hashes: U64
    encoded_positions: U32
    boilerplate: bool = False
    share: int = file_format.WHOLE
    text: KeptText | None = None


class Arrivals(NamedTuple):
    """Documents first_id and following, whose postings a listed run holds as those of dead documents until now.
    sizes: dtype layout.SIZE, shape (documents,). The commit sets the records' `text` itself."""

    first_id: int
    records: Sequence[Record]
    sizes: NDArray[np.void]


NO_ARRIVALS = Arrivals(0, (), np.empty(0, file_format.SIZE))


@dataclass(frozen=True)
class Change:
    """All that one commit does; a name comes once at most in additions, arrivals, updates and removals together.

    updates: new records of documents whose fingerprints stay as they are. texts: by name, what is to be kept of
    documents that arrive, are updated or stay; those that are added have theirs.
    """

    additions: Sequence[PreparedDocument] = ()
    updates: Sequence[Record] = ()
    removals: Sequence[bytes] = ()
    texts: Mapping[bytes, KeptText] = field(default_factory=dict)
    arrivals: Arrivals = NO_ARRIVALS


def apply(view: Snapshot, change: Change) -> State:
    """Makes the change in the view's write transaction; returns the new state. Raises NoSuchDocument, Error."""
    with gc_paused():
        return _Commit(view).apply(change)


class _Commit:
    def __init__(self, view: Snapshot) -> None:
        self.view = view
        self.catalogue = view.catalogue
        self.state = view.state
        self.listed = {sort: view.runs(boilerplate=sort) for sort in (False, True)}

    def apply(self, change: Change) -> State:
        additions = {
            sort: [addition for addition in change.additions if addition.boilerplate is sort] for sort in (False, True)
        }
        before = self.view.boilerplate()
        boilerplate_gone = self._remove_all(change)
        after = self._boilerplate_after(before, additions[True], boilerplate_gone)
        if after is not before:
            self._recount(np.setdiff1d(after, before, assume_unique=True), 1)
            self._recount(np.setdiff1d(before, after, assume_unique=True), -1)
        fresh = [self._add(additions[sort], after, boilerplate=sort) for sort in (False, True) if additions[sort]]
        if change.arrivals.records:
            self._arrive(*change.arrivals)
        self._update(change.updates)
        self._keep({added.record.name: added.text for added in change.additions if added.text is not None})
        self._keep(change.texts)
        for postings, first_id, last_id in fresh:
            if len(postings):
                self._write_run(postings, first_id, last_id)
        self.catalogue.write()
        listed = tuple(self.listed[False] + self.listed[True])
        self.state = self.state._replace(runs=listed)
        write_state(self.view.txn, self.state)
        return self.state

    # ------------------------------------------------------------ out

    def _remove_all(self, change: Change) -> bool:
        """Whether a boilerplate document was among them."""
        gone: list[tuple[int, bytes | None]] = []
        for name in sorted(change.removals):  # neighbours in the file one after the other
            found = self.catalogue.find(name)
            if found is None:
                raise NoSuchDocument(f"no document is named {name.decode('utf-8', 'replace')!r}")
            gone.append((found, name))
        coming = [*(addition.record for addition in change.additions), *change.arrivals.records]
        replaced = self.catalogue.find_all(record.name for record in coming)
        gone += [(document, None) for document in replaced.values()]
        records = {document: self.catalogue.delete(document, name) for document, name in gone}
        self._count_dead(records)
        for document, record in records.items():
            if record.text is not None:
                self.view.texts.delete(document)
                self._count_text(-1, record.text)
        boilerplate = sum(document >= file_format.FIRST_BOILERPLATE for document in records)
        self.state = self.state._replace(
            documents=self.state.documents - len(records) + boilerplate,
            boilerplate_documents=self.state.boilerplate_documents - boilerplate,
        )
        return boilerplate > 0

    def _count_dead(self, records: Mapping[int, Record]) -> None:
        """The postings of these documents are dead in the runs that hold them."""
        firsts = {sort: [run.first_id for run in listed] for sort, listed in self.listed.items()}
        dead: Counter[tuple[bool, int]] = Counter()
        for document, record in records.items():
            if record.fingerprints:
                sort = document >= file_format.FIRST_BOILERPLATE
                dead[sort, bisect_right(firsts[sort], document) - 1] += record.fingerprints
        for (sort, at), postings in dead.items():
            run = self.listed[sort][at]
            self.listed[sort][at] = run._replace(dead=run.dead + postings)

    # ------------------------------------------------------------ boilerplate

    def _boilerplate_after(self, before: U64, added: Sequence[PreparedDocument], gone: bool) -> U64:
        left = self.view.live_hashes(self.listed[True]) if gone else before
        if not added:
            return left
        return np.unique(np.concatenate([left, *(addition.hashes for addition in added)]))

    def _recount(self, hashes: U64, by: int) -> None:
        """The hashes become boilerplate (by = 1), or are it no longer (by = -1)."""
        for start in range(0, len(hashes), HASHES_A_LOOK):
            hits = self.view.look_up(hashes[start : start + HASHES_A_LOOK])
            self.catalogue.change_boilerplate(hits.document_ids, by)

    # ------------------------------------------------------------ in

    def _add(
        self, additions: Sequence[PreparedDocument], boilerplate_hashes: U64, *, boilerplate: bool
    ) -> tuple[Postings, int, int]:
        """Enters documents into the catalogue; returns their postings, which are still to be written, and the first
        and the last of their ids."""
        first_id = self._take_ids(len(additions), boilerplate=boilerplate)
        self.catalogue.set_names(first_id, [addition.record.name for addition in additions])
        postings, first = _sorted(additions, first_id)
        if first is None:
            fingerprints = distinct = np.array([len(addition.hashes) for addition in additions], np.int64)
        else:
            fingerprints = _count(postings.documents, first_id, len(additions))
            distinct = _count(postings.documents[first], first_id, len(additions))
        ignored = np.zeros(len(additions), np.int64)
        if len(boilerplate_hashes) and not boilerplate:
            held = contains(boilerplate_hashes, postings.hashes)
            if first is not None:
                held &= first
            ignored = _count(postings.documents[held], first_id, len(additions))
        sizes = np.empty(len(additions), file_format.SIZE)
        sizes["hashes"], sizes["boilerplate"] = distinct, ignored
        sizes["share"] = [addition.share for addition in additions]
        self.catalogue.set_sizes(first_id, sizes)
        counts = zip(additions, fingerprints.tolist(), distinct.tolist(), strict=True)
        self.catalogue.add_records(first_id, [addition.record.counted(*two) for addition, *two in counts])
        return postings, first_id, first_id + len(additions) - 1

    def _arrive(self, first_id: int, records: Sequence[Record], sizes: NDArray[np.void]) -> None:
        """Enters documents whose postings and ids there are already."""
        self.catalogue.set_names(first_id, [record.name for record in records])
        self.catalogue.set_sizes(first_id, sizes)
        self.catalogue.add_records(
            first_id, [each if each.text is None else each._replace(text=None) for each in records]
        )
        postings = np.array([record.fingerprints for record in records], np.int64)
        for at, run in enumerate(self.listed[False]):
            start, end = max(run.first_id - first_id, 0), max(run.last_id + 1 - first_id, 0)
            self.listed[False][at] = run._replace(dead=run.dead - int(postings[start:end].sum()))
        self.state = self.state._replace(documents=self.state.documents + len(records))

    def _take_ids(self, count: int, *, boilerplate: bool) -> int:
        state = self.state
        first = state.next_boilerplate if boilerplate else state.next_document
        last = file_format.LAST_BOILERPLATE if boilerplate else file_format.LAST_DOCUMENT
        if first + count - 1 > last:
            raise Error("the document ids are used up; export the documents into a new database")
        if boilerplate:
            self.state = state._replace(
                next_boilerplate=first + count,
                boilerplate_documents=state.boilerplate_documents + count,
            )
        else:
            self.state = state._replace(next_document=first + count, documents=state.documents + count)
        return first

    def _write_run(self, postings: Postings, first_id: int, last_id: int) -> None:
        """Writes the postings as a run, merged with the small ones before it that policy names."""
        txn, blocks = self.view.txn, self.view.blocks
        listed = self.listed[first_id >= file_format.FIRST_BOILERPLATE]
        sizes = [run.postings for run in listed]
        count = merge_policy.absorbed(sizes, len(postings))
        if sum(sizes[len(sizes) - count :]) > merge_policy.AT_ONCE:
            count = 0  # too much for a commit: Store.tidy merges them afterwards
        swallowed = listed[len(listed) - count :]
        del listed[len(listed) - count :]
        writer = RunWriter(self.state.next_run)
        self.state = self.state._replace(next_run=self.state.next_run + 1)
        pieces = in_pieces(postings)
        if swallowed:
            first_id = swallowed[0].first_id
            pieces = merged(
                [*(run_blocks.scan(txn, blocks, run) for run in swallowed), pieces],
                dead_of(self.view, swallowed, last_id),
                first_id,
            )
        for piece in pieces:
            writer.append(txn, blocks, piece)
        listed.append(writer.finish(txn, blocks, first_id, last_id))
        for run in swallowed:
            run_blocks.delete(txn, blocks, run.number)

    def _update(self, updates: Sequence[Record]) -> None:
        """Sets what is said of documents; one that got another content meanwhile, or went, is left as it is."""
        for record in updates:
            found = self.catalogue.find(record.name)
            if found is None:
                continue
            now = self.catalogue.record(found)
            if (now.kind, now.digest) == (record.kind, record.digest):
                now = now._replace(source=record.source, contact=record.contact, labels=record.labels)
                self.catalogue.set_record(found, now)

    def _keep(self, texts: Mapping[bytes, KeptText]) -> None:
        """Stores texts, but of documents that got another content meanwhile, or went, or have theirs already."""
        for name, text in texts.items():
            found = self.catalogue.find(name)
            if found is None:
                continue
            record = self.catalogue.record(found)
            if record.digest == text.digest and record.text is None:
                self.view.texts.put(found, text)
                self.catalogue.set_record(found, record._replace(text=text.size))
                self._count_text(1, text.size)

    def _count_text(self, by: int, size: int) -> None:
        state = self.state
        self.state = state._replace(texts=state.texts + by, text_bytes=state.text_bytes + by * size)


def dead_of(view: Snapshot, group: Sequence[Run], last_id: int | None = None) -> U8:
    """Which documents of neighbouring runs (up to last_id, where more follow) are dead, as merging takes it."""
    if not any(run.dead for run in group):
        return NOTHING_DEAD
    return view.catalogue.dead(group[0].first_id, group[-1].last_id if last_id is None else last_id)


def _sorted(additions: Sequence[PreparedDocument], first_id: int) -> tuple[Postings, Bools | None]:
    """The additions' distinct postings by (hash, document, position), and which of them is the first of its hash and
    document, shape (n,); None where each is."""
    hashes = np.concatenate([addition.hashes for addition in additions])
    ids = np.arange(first_id, first_id + len(additions), dtype=np.uint32)
    documents = np.repeat(ids, [len(addition.hashes) for addition in additions])
    numbers = np.concatenate([addition.encoded_positions for addition in additions])
    _sorting.sort(hashes, documents, numbers)
    first = _sorting.first_of_pair(hashes, documents)
    if first.all():
        return Postings(hashes, documents, numbers), None
    same = ~first[1:]
    if (same & (numbers[1:] < numbers[:-1])).any():  # positions came in another order
        order = np.lexsort((numbers, documents, hashes))
        hashes, documents, numbers = hashes[order], documents[order], numbers[order]
    keep = np.r_[True, ~(same & (numbers[1:] == numbers[:-1]))]
    return Postings(hashes[keep], documents[keep], numbers[keep]), first[keep]


def _count(documents: U32, first_id: int, length: int) -> I64:
    """How often each document of first_id and following comes; shape (length,)."""
    return np.bincount(documents - np.uint32(first_id), minlength=length)
