"""Verification of one commit: checksums, order, counts, and what refers to what.

One walk serves both modes. In quick mode a sampler chooses blocks and documents, so that damage in few places may be
missed; damage everywhere is not.

Numbers from arrays are made Python's before they are compared: when memory runs out, numpy finds equal ones different.
"""

import random
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import numpy as np

from fpdb.arrays import U64, Bools, contains
from fpdb.errors import Corrupt, MissingPackage
from fpdb.storage import file_format
from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.id_set import ABSENT, IdSet
from fpdb.storage.records import Record
from fpdb.storage.runs.blocks import block_count, count_blocks, expected_blocks, stored_runs
from fpdb.storage.runs.position_lookup import read_encoded_positions
from fpdb.storage.runs.postings import Postings, is_ascending, mark_pairs
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.state import Run
from fpdb.storage.texts import check_packages

SAMPLED: Final = 200  # blocks of each run, and documents of each sort
SAMPLED_TEXTS: Final = 20


class Unchecked(str):
    """A sentence on what could not be looked at, and why."""

    __slots__ = ()


def verify(snapshot: Snapshot, *, quick: bool = False) -> Iterator[str]:
    """Yield a sentence for each fault of a commit, and for each part that could not be looked at.

    Args:
        snapshot: The commit. Memory is bounded by a few numbers for each document.
        quick: Look at samples, which differ from commit to commit.

    Raises:
        Corrupt: The catalogue cannot be read on.
    """
    return _Verifier(snapshot, _Sampler(snapshot) if quick else None).faults()


class _Sampler:
    """The choice of what the quick check looks at. Every method raises Corrupt."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._random = random.Random(snapshot.txn.id())  # noqa: S311 (nobody is to be kept from guessing)

    def documents(self) -> Iterator[tuple[int, Record | Corrupt]]:
        """Yield the ids of documents, and the record of each, or why it cannot be read."""
        catalogue, state = self._snapshot.catalogue, self._snapshot.state
        for first, end in ((0, state.next_document), (FIRST_BOILERPLATE, state.next_boilerplate)):
            for document_id in self._choose(first, end):
                try:
                    sizes = catalogue.sizes(np.array([document_id], np.uint32))
                    if int(sizes["hashes"][0]) != file_format.DEAD:
                        yield document_id, catalogue.record(document_id)
                except Corrupt as error:
                    yield document_id, error

    def postings(self, run: Run) -> Iterator[tuple[int, Postings]]:
        """Yield blocks of a run, and the rank in the run of the first posting of each."""
        reader, position_starts = self._snapshot.run_reader(run), self._snapshot.position_starts(run)
        counts = self._snapshot.fences(run).posting_counts
        ends = np.cumsum(counts, dtype=np.int64)
        for index in self._choose(0, run.blocks):
            rank = int(ends[index]) - int(counts[index])
            hashes, document_ids = reader.read_postings(np.array([index]), int(counts[index]))
            positions = read_encoded_positions(reader, position_starts, np.arange(rank, int(ends[index])))
            yield rank, Postings(hashes, document_ids, positions)

    def _choose(self, first: int, end: int) -> list[int]:
        """Choose the first, the last and some numbers in between, ascending."""
        numbers = range(first, end)
        return sorted({*self._random.sample(numbers, min(len(numbers), SAMPLED)), *numbers[:1], *numbers[-1:]})


class _Verifier:
    """One walk over a commit: over all of it, or what a sampler chooses."""

    def __init__(self, snapshot: Snapshot, sampler: _Sampler | None) -> None:
        self._snapshot = snapshot
        self._state = snapshot.state
        self._sampler = sampler
        self._text_bytes: dict[int, int] = {}
        self._boilerplate: U64 = np.empty(0, np.uint64)

    def faults(self) -> Iterator[str]:
        yield from self._check_keys() if self._sampler is None else self._check_entries()
        yield from self._check_state()
        yield from self._check_seals()
        yield from self._check_documents()
        if self._sampler is None:
            yield from self._check_ids()
            with suppress(Corrupt):  # said below, run by run
                self._boilerplate = self._snapshot.boilerplate()
        for run in self._state.runs:
            try:
                yield from self._check_run(run)
            except Corrupt as error:
                yield str(error)
        yield from self._compare_counts()
        if self._sampler is None:
            yield from self._check_text_list()
        yield from self._check_texts()

    def _check_keys(self) -> Iterator[str]:
        """Check every key: the unnamed database holds the named ones and the records of the whole file."""
        txn, databases = self._snapshot.txn, self._snapshot.databases
        expected = {file_format.FORMAT_KEY, file_format.STATE_KEY, *databases}
        if file_format.SEALS in databases:
            expected.add(file_format.COMMIT_KEY)
        for key in {bytes(key) for key in txn.cursor().iternext(values=False)} ^ expected:
            yield f"{key!r} is {'missing' if key in expected else 'there, which no fpdb has written'}"
        for name, database in databases.items():
            for found in txn.cursor(database).iternext(values=False):
                if not file_format.may_be_key(name, found):
                    yield f"{bytes(found)!r} is no key of {name.decode()}"

    def _check_entries(self) -> Iterator[str]:
        """Check the numbers of names and of blocks."""
        txn, databases, runs = self._snapshot.txn, self._snapshot.databases, self._state.runs
        blocks = txn.stat(databases[file_format.BLOCKS])["entries"]
        try:
            names = self._snapshot.catalogue.name_table.count()
            if names != self._state.documents + self._state.boilerplate_documents:
                yield "there are more or fewer names than the state says there are documents"
        except Corrupt as error:
            yield str(error)
        unlisted = set(stored_runs(self._snapshot.blocks)) - {run.number for run in runs}
        if not unlisted and blocks != sum(map(block_count, runs)):
            yield "there are more or fewer blocks than the state says"

    def _check_state(self) -> Iterator[str]:
        """Check the state record against the runs there are."""
        state = self._state
        listed = {run.number for run in state.runs}
        written = set(stored_runs(self._snapshot.blocks))
        for number in sorted(listed - written):
            yield f"run {number} is listed but not there"
        for number in sorted(written - listed):
            if number >= state.next_run:
                yield f"run {number} is there but was never begun"

    def _check_seals(self) -> Iterator[str]:
        """Check the number of nodes; what they note is compared wherever a record or a size is read."""
        txn, databases = self._snapshot.txn, self._snapshot.databases
        if file_format.SEALS in databases:
            try:
                if txn.stat(databases[file_format.SEALS])["entries"] != self._snapshot.catalogue.count_seal_nodes():
                    yield "there are more or fewer nodes of seals than the state says"
            except Corrupt as error:
                yield str(error)

    def _check_documents(self) -> Iterator[str]:
        """Check records and names; keep what the records count, but not them: they would take most of the memory."""
        catalogue = self._snapshot.catalogue
        columns = array("I"), array("q"), array("q")
        for document_id, record in catalogue.all_records() if self._sampler is None else self._sampler.documents():
            try:
                if isinstance(record, Corrupt):
                    raise record
                for column, value in zip(columns, (document_id, record.fingerprints, record.hashes), strict=True):
                    column.append(value)
                if record.text is not None:
                    self._text_bytes[document_id] = record.text
                if catalogue.find(record.name) != document_id:
                    yield f"document {document_id} is not found under its name"
            except Corrupt as error:
                if self._sampler is None:
                    raise
                yield str(error)
        self._ids = np.frombuffer(columns[0], np.uint32)
        self._fingerprints, self._hashes = (np.frombuffer(column, np.int64) for column in columns[1:])
        self._rows = IdSet(self._ids)
        self._counted = np.zeros((3, len(self._ids)), np.int64)

    def _check_ids(self) -> Iterator[str]:
        """Check the ids of all records against the state, the names and the sizes."""
        catalogue, state, ids = self._snapshot.catalogue, self._state, self._ids
        ordinary = int(np.count_nonzero(ids < FIRST_BOILERPLATE))
        if (ordinary, len(ids) - ordinary) != (state.documents, state.boilerplate_documents):
            yield f"the state counts other documents than the {len(ids)} there are"
        if not np.array_equal(np.sort(np.fromiter((id_ for _, id_ in catalogue.names_after()), np.uint64)), ids):
            yield "the names lead to other documents than there are records of"
        if not np.array_equal(catalogue.live_ids(), ids):
            yield "the sizes are those of other documents than there are records of"

    def _check_run(self, run: Run) -> Iterator[str]:
        """Check a run's postings and fences; count the postings of each document."""
        snapshot, complete = self._snapshot, self._sampler is None
        if complete and count_blocks(snapshot.blocks, run.number) != expected_blocks(run):
            yield f"run {run.number} has more or fewer blocks than the state says"
        fences = snapshot.fences(run)
        starts = np.cumsum(fences.posting_counts, dtype=np.int64) - fences.posting_counts
        dead, ranks = 0, array("Q")
        for piece, new in mark_pairs(self._postings(run, ranks)):
            if not is_ascending(piece):
                yield f"run {run.number} is out of order"
            dead += self._count(piece, new)
            rank = ranks[-1]
            inside = slice(*np.searchsorted(starts, [rank, rank + len(piece)]))
            if (piece.hashes[starts[inside] - rank] != fences.first_hashes[inside]).any():
                yield f"run {run.number} has fences that are not its blocks' first hashes"
        if complete and dead != run.dead:
            yield f"run {run.number} has {dead} dead postings; the state says {run.dead}"

    def _postings(self, run: Run, ranks: "array[int]") -> Iterator[Postings]:
        """Yield postings of a run that begin with a block; append the rank in the run of the first one to ranks."""
        if self._sampler is not None:
            for rank, piece in self._sampler.postings(run):
                ranks.append(rank)
                yield piece
            return
        rank = 0
        for piece in self._snapshot.scan(run):
            ranks.append(rank)
            yield piece
            rank += len(piece)

    def _count(self, postings: Postings, new: Bools) -> int:
        """Count the postings of each document, the first of each hash and those of boilerplate; return the others."""
        rows = self._rows.rows(postings.document_ids)
        known = rows != ABSENT
        boilerplate = new & contains(self._boilerplate, postings.hashes)
        for counted, which in zip(self._counted, (known, known & new, known & boilerplate), strict=True):
            np.add.at(counted, rows[which], 1)
        return int((~known).sum())

    def _compare_counts(self) -> Iterator[str]:
        """Compare what sizes and records count of each document, and the postings if all were counted."""
        ids, (postings, hashes, boilerplate) = self._ids, self._counted
        sizes = self._snapshot.catalogue.sizes(ids)
        if self._sampler is not None:
            for document_id in ids[sizes["hashes"] != self._hashes].tolist():
                yield f"document {document_id}: its sizes are not those that its record counts"
            return
        boilerplate[ids >= FIRST_BOILERPLATE] = 0
        for document_id in ids[(sizes["hashes"] != hashes) | (sizes["boilerplate"] != boilerplate)].tolist():
            yield f"document {document_id}: its sizes are not those of its postings"
        for document_id in ids[(self._fingerprints != postings) | (self._hashes != hashes)].tolist():
            yield f"document {document_id}: its record counts other postings than the runs hold"

    def _check_text_list(self) -> Iterator[str]:
        """Check which documents have kept texts."""
        told = self._text_bytes
        if (len(told), sum(told.values())) != (self._state.texts, self._state.text_bytes):
            yield f"the state counts other kept texts than the {len(told)} that the records tell"
        try:
            for document_id in set(self._snapshot.texts.documents()) - set(told):
                yield f"there is a text of document {document_id}, whose record tells of none"
        except Corrupt as error:
            yield str(error)

    def _check_texts(self) -> Iterator[str]:
        """Check the kept texts, or their checksums alone if they cannot be unpacked."""
        document_ids = list(self._text_bytes)
        read: Callable[[int, Record], object] = self._snapshot.texts.read
        try:
            check_packages()
        except MissingPackage as error:
            if self._sampler is not None:
                return
            read = self._snapshot.texts.kept
            if count := len(document_ids):
                yield Unchecked(f"the {count} kept texts were not unpacked, only their checksums compared: {error}")
        for document_id in document_ids if self._sampler is None else document_ids[:SAMPLED_TEXTS]:
            try:
                read(document_id, self._snapshot.catalogue.record(document_id))
            except Corrupt as error:
                yield str(error)
