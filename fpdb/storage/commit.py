"""Apply one commit inside its transaction: documents out, documents in, one run written, sizes kept true."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U64, sorted_distinct
from fpdb.errors import Corrupt, Error, NameTaken, NoSuchDocument
from fpdb.gc_control import gc_paused
from fpdb.storage import file_format
from fpdb.storage.catalogue import GivenIds
from fpdb.storage.document_columns import Counts, DocumentColumns, PreparedDocument, sorted_postings, write_records
from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.id_set import IdSet
from fpdb.storage.records import Record
from fpdb.storage.runs import merge_policy
from fpdb.storage.runs.blocks import delete_blocks
from fpdb.storage.runs.merge import merge_postings
from fpdb.storage.runs.postings import Postings
from fpdb.storage.runs.writer import RunWriter
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.state import Run, State
from fpdb.storage.texts import KeptText

HASHES_PER_RECOUNT = 256  # of changed boilerplate, each of which many documents may hold


class Arrivals(NamedTuple):
    """Documents first_id and following, whose postings a listed run holds as those of dead documents until now.

    sizes: dtype file_format.SIZE, shape (documents,). The commit sets the records' `text` itself.
    """

    first_id: int
    records: Sequence[Record]
    sizes: NDArray[np.void]


NO_ARRIVALS = Arrivals(0, (), np.empty(0, file_format.SIZE))


@dataclass(frozen=True)
class Change:
    """All that one commit does; a name comes once at most in documents, arrivals, updates and removals together.

    renames: the names of documents, which must exist, and their new ones, which must be free; done before all else.
    columns: more documents that are added, none of which the rest mentions.
    updates: new records of documents whose fingerprints stay as they are. texts: by name, what is to be kept of
    documents that arrive, are updated or stay; documents that are added have theirs.
    """

    documents: Sequence[PreparedDocument] = ()
    updates: Sequence[Record] = ()
    removals: Sequence[bytes] = ()
    texts: Mapping[bytes, KeptText] = field(default_factory=dict)
    arrivals: Arrivals = NO_ARRIVALS
    renames: Sequence[tuple[bytes, bytes]] = ()
    columns: Sequence[DocumentColumns] = ()


@gc_paused()
def apply(snapshot: Snapshot, change: Change) -> State:
    """Make the change in the snapshot's write transaction; return the new state.

    Raises:
        NoSuchDocument: A document to be removed or renamed is not there; NameTaken: There is one of the new name.
        Error: The document ids are used up.
    """
    return _Commit(snapshot).apply(change)


class _Commit:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.catalogue = snapshot.catalogue
        self.state = snapshot.state
        self.runs = {boilerplate: snapshot.runs(boilerplate=boilerplate) for boilerplate in (False, True)}

    def apply(self, change: Change) -> State:
        self._rename(change.renames)
        added = _added_columns(change)
        before = self.snapshot.boilerplate()
        after = self.snapshot.live_hashes(self.runs[True]) if self._remove_all(change, added) else before
        templates = [columns.hashes[slice(*columns.offsets[[0, -1]])] for columns in added if columns.boilerplate]
        if templates:
            after = sorted_distinct(np.concatenate([after, *templates]))
        if after is not before:
            self._recount(np.setdiff1d(after, before, assume_unique=True), 1)
            self._recount(np.setdiff1d(before, after, assume_unique=True), -1)
        for columns in added:
            self._add(columns, after)
        if change.arrivals.records:
            self._arrive(*change.arrivals)
        self._update(change.updates)
        self._keep(change.texts)
        seals = self.catalogue.write()
        self.state = self.state._replace(runs=(*self.runs[False], *self.runs[True]), seals=seals)
        self.snapshot.write_state(self.state)
        return self.state

    # ------------------------------------------------------------ removing

    def _remove_all(self, change: Change, added: Sequence[DocumentColumns]) -> bool:
        """Remove what is to be removed or replaced; return True if a boilerplate document was among it."""
        names = [record.name for record in change.arrivals.records]
        for columns in added:
            names += columns.names
        if len(set(names)) < len(names):
            raise Corrupt("two of the documents that are to be added have one name; run 'fpdb check' on their database")
        found = self.catalogue.find_all([*change.removals, *names])
        for name in sorted(change.removals):
            if name not in found:
                raise NoSuchDocument(f"no document is named {name.decode('utf-8', 'replace')!r}")
        removed = list(found.values())
        if not removed:
            return False
        records = {document_id: self.catalogue.delete(document_id) for document_id in removed}
        self.catalogue.delete_names(change.removals)
        self._count_dead(records)
        for document_id, record in records.items():
            if record.text is not None:
                self.snapshot.texts.delete(document_id)
                self._count_texts(-1, -record.text)
        boilerplate = sum(document_id >= FIRST_BOILERPLATE for document_id in records)
        self.state = self.state._replace(
            documents=self.state.documents - len(records) + boilerplate,
            boilerplate_documents=self.state.boilerplate_documents - boilerplate,
        )
        return boilerplate > 0

    def _count_dead(self, records: Mapping[int, Record]) -> None:
        """Count the postings of removed documents as dead in the runs that hold them."""
        first_ids = {boilerplate: [run.first_id for run in runs] for boilerplate, runs in self.runs.items()}
        dead: Counter[tuple[bool, int]] = Counter()
        for document_id, record in records.items():
            if record.fingerprints:
                boilerplate = document_id >= FIRST_BOILERPLATE
                index = bisect_right(first_ids[boilerplate], document_id) - 1
                if index < 0 or document_id > self.runs[boilerplate][index].last_id:
                    raise Corrupt(f"no run holds the postings of document {document_id}; run 'fpdb check'")
                dead[boilerplate, index] += record.fingerprints
        for (boilerplate, index), postings in dead.items():
            run = self.runs[boilerplate][index]
            self.runs[boilerplate][index] = run._replace(dead=run.dead + postings)

    def _recount(self, hashes: U64, change: int) -> None:
        """Count hashes that become boilerplate (change 1), or are it no longer (-1), in the sizes of documents."""
        for start in range(0, len(hashes), HASHES_PER_RECOUNT):
            hits = self.snapshot.look_up(hashes[start : start + HASHES_PER_RECOUNT])
            self.catalogue.size_table.change_boilerplate(hits.document_ids, change)

    # ------------------------------------------------------------ adding

    def _add(self, added: DocumentColumns, boilerplate_hashes: U64) -> None:
        """Enter documents into the catalogue, and write their run."""
        documents, counts = len(added.records), Counts(added)
        first_id = self._take_ids(documents, boilerplate=added.boilerplate)
        ids = np.arange(first_id, first_id + documents, dtype=np.uint32)
        self.catalogue.set_names(file_format.name_keys(added.names), ids)
        sizes = np.empty(documents, file_format.SIZE)
        sizes["hashes"], sizes["boilerplate"], sizes["share"] = counts.hashes, 0, added.shares
        self.catalogue.size_table.set(first_id, sizes)  # so that merging takes the documents for live
        if counts.given:
            ignored = np.empty(0, np.uint64) if added.boilerplate else boilerplate_hashes
            pieces = sorted_postings(added, first_id, ignored, counts)
            self._write_run(pieces, counts.given, (first_id, first_id + documents - 1))
        if counts.changed:
            sizes["hashes"], sizes["boilerplate"] = counts.hashes, counts.boilerplate
            self.catalogue.size_table.set(first_id, sizes)
        write_records(self.catalogue, added.records, first_id, counts)
        texts = [(document_id, text) for document_id, text in enumerate(added.texts, first_id) if text is not None]
        self.snapshot.texts.put(texts)
        self._count_texts(len(texts), sum(text.size for _, text in texts))

    def _arrive(self, first_id: int, records: Sequence[Record], sizes: NDArray[np.void]) -> None:
        """Enter documents into the catalogue whose postings and ids are there already."""
        ids = np.arange(first_id, first_id + len(records), dtype=np.uint32)
        self.catalogue.set_names(file_format.name_keys([record.name for record in records]), ids)
        self.catalogue.size_table.set(first_id, sizes)
        self.catalogue.add_records(
            first_id, [record if record.text is None else record._replace(text=None) for record in records]
        )
        postings = np.array([record.fingerprints for record in records], np.int64)
        for index, run in enumerate(self.runs[False]):
            start, end = max(run.first_id - first_id, 0), max(run.last_id + 1 - first_id, 0)
            self.runs[False][index] = run._replace(dead=run.dead - int(postings[start:end].sum()))
        self.state = self.state._replace(documents=self.state.documents + len(records))

    def _take_ids(self, count: int, *, boilerplate: bool) -> int:
        state = self.state
        first = state.next_boilerplate if boilerplate else state.next_document
        last = file_format.LAST_BOILERPLATE if boilerplate else file_format.LAST_DOCUMENT
        if first + count - 1 > last:
            raise Error("the document ids are used up; export the documents into a new database")
        if boilerplate:
            documents = state.boilerplate_documents + count
            self.state = state._replace(next_boilerplate=first + count, boilerplate_documents=documents)
        else:
            self.state = state._replace(next_document=first + count, documents=state.documents + count)
        self.catalogue.ids = GivenIds(self.state.next_document, self.state.next_boilerplate)
        return first

    def _write_run(self, pieces: Iterator[Postings], postings: int, document_ids: tuple[int, int]) -> None:
        """Write sorted postings as a run, merged with the small runs before it that policy names.

        Args:
            pieces: The postings.
            postings: About how many there are.
            document_ids: The first and the last document.
        """
        first_id, last_id = document_ids
        runs = self.runs[first_id >= FIRST_BOILERPLATE]
        start = len(runs) - merge_policy.absorbed([run.postings for run in runs], postings)
        if sum(run.postings for run in runs[start:]) > merge_policy.AT_ONCE:
            start = len(runs)  # too much for a commit: Store.tidy merges them afterwards
        absorbed, runs[start:] = runs[start:], []
        if absorbed:
            first_id = absorbed[0].first_id
            inputs = [*map(self.snapshot.scan, absorbed), pieces]
            pieces = merge_postings(inputs, live_documents_of(self.snapshot, absorbed, last_id))
        writer = RunWriter(self.state.next_run)
        self.state = self.state.begin_run()
        for piece in pieces:
            writer.append(self.snapshot.blocks, piece)
        runs.append(writer.finish(self.snapshot.blocks, first_id, last_id))
        for run in absorbed:
            delete_blocks(self.snapshot.blocks, run.number)

    # ------------------------------------------------------------ records and texts

    def _rename(self, renames: Sequence[tuple[bytes, bytes]]) -> None:
        for name, new_name in renames:
            document_id = self.catalogue.find(name)
            if document_id is None:
                raise NoSuchDocument(f"no document is named {file_format.name_text(name)!r}")
            if self.catalogue.find(new_name) is not None:
                raise NameTaken(
                    f"there is a document named {file_format.name_text(new_name)!r} already; remove it first"
                )
            self.catalogue.rename(document_id, new_name)

    def _update(self, updates: Sequence[Record]) -> None:
        """Set source, contact and labels, unless the document has got another content meanwhile, or was removed."""
        for update in updates:
            document_id = self.catalogue.find(update.name)
            if document_id is None:
                continue
            record = self.catalogue.record(document_id)
            if (record.kind, record.digest) == (update.kind, update.digest):
                record = record._replace(source=update.source, contact=update.contact, labels=update.labels)
                self.catalogue.set_record(document_id, record)

    def _keep(self, texts: Mapping[bytes, KeptText]) -> None:
        """Store texts, unless the document has got another content meanwhile, was removed, or has its text already."""
        if not texts:
            return
        kept = []
        for name, document_id in self.catalogue.find_all(texts).items():
            record, text = self.catalogue.record(document_id), texts[name]
            if record.digest == text.digest and record.text is None:
                self.catalogue.set_record(document_id, record._replace(text=text.size))
                kept.append((document_id, text))
        self.snapshot.texts.put(sorted(kept))
        self._count_texts(len(kept), sum(text.size for _, text in kept))

    def _count_texts(self, change: int, size: int) -> None:
        """Count so many texts more, and their bytes; or fewer, if these are negative."""
        texts, text_bytes = self.state.texts + change, self.state.text_bytes + size
        self.state = self.state._replace(texts=texts, text_bytes=text_bytes)


def _added_columns(change: Change) -> list[DocumentColumns]:
    """Return the documents that are added, ordinary ones and boilerplate apart."""
    ordinary = [document for document in change.documents if not document.boilerplate]
    templates = [document for document in change.documents if document.boilerplate]
    return [
        *(DocumentColumns.of(documents) for documents in (ordinary, templates) if documents),
        *change.columns,
    ]


def live_documents_of(snapshot: Snapshot, runs: Sequence[Run], last_id: int | None = None) -> IdSet | None:
    """Return the live documents of neighbouring runs, as merging takes it: None if no posting is dead.

    last_id: the last document of the merge, where more documents follow those of the runs.
    """
    if not any(run.dead for run in runs):
        return None
    return IdSet(snapshot.catalogue.live_ids(runs[0].first_id, runs[-1].last_id if last_id is None else last_id))
