"""Snapshot: one commit of an LMDB file to read from, with its state, catalogue, kept texts and look-ups in its runs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import lmdb
import numpy as np

from fpdb.arrays import I64, U32, U64, Bools, sorted_distinct
from fpdb.errors import Corrupt
from fpdb.storage import file_format, long_lists
from fpdb.storage.catalogue import Catalogue, CatalogueCache, GivenIds, live_documents
from fpdb.storage.hits import Hits, concat_hits
from fpdb.storage.index_reader import Occurrences
from fpdb.storage.runs import _fences
from fpdb.storage.runs._probe import Places
from fpdb.storage.runs.blocks import Blocks, Fences, RunReader, block_count
from fpdb.storage.runs.look_up import look_up, look_up_in_block, tally
from fpdb.storage.state import Run, State

if TYPE_CHECKING:
    from fpdb.storage.runs.postings import Postings
    from fpdb.storage.texts import Texts

IDS_A_POSTING = 4
"""Ids for each posting up to which an array of counts by id is worth it."""
COMMON = 4096
"""Postings of a hash in blocks of its own from which it is common, see `IndexReader.are_common`."""
FREQUENT = 16
"""Postings of a hash in a run from which hashes of so many are looked up faster than all postings are read."""
IDS_A_DOCUMENT = 16
"""Ids for each document up to which there is one: ids cost nothing in the file."""


@dataclass
class Cache:
    """Values that a store keeps from one snapshot to the next, all derived from what never changes.

    Attributes:
        generation: The opening of the file that the runs belong to.
        fences: By run number.
        places: Where blocks lie in the map of the file, by run number.
        position_starts: By run number.
        first_documents: Of the inner blocks of a common hash, by run number and hash.
        holder_counts: A state, and how many documents hold a common hash.
        boilerplate: The boilerplate runs, and the hashes of their live documents. One tuple, since threads share it.
        catalogue: Of the documents.
        state: The last state, and the checksum of its record.
    """

    generation: int = 1
    fences: dict[int, Fences] = field(default_factory=dict)
    places: dict[int, Places] = field(default_factory=dict)
    position_starts: dict[int, I64] = field(default_factory=dict)
    first_documents: dict[tuple[int, int], U32] = field(default_factory=dict)
    holder_counts: tuple[State | None, dict[int, int]] = (None, {})
    boilerplate: tuple[tuple[Run, ...], U64] = ((), np.empty(0, np.uint64))
    catalogue: CatalogueCache = field(default_factory=CatalogueCache)
    state: tuple[bytes, State] = (b"", State())

    def keep_only(self, runs: Sequence[Run]) -> None:
        """Forget all other runs, once they are many."""
        if len(self.fences) > 2 * len(runs) + 16:
            listed = {run.number for run in runs}
            self.fences = {number: fences for number, fences in list(self.fences.items()) if number in listed}
            self.places = {number: places for number, places in list(self.places.items()) if number in listed}
            starts = list(self.position_starts.items())
            self.position_starts = {number: array for number, array in starts if number in listed}
            firsts = list(self.first_documents.items())
            self.first_documents = {key: array for key, array in firsts if key[0] in listed}


class Snapshot:
    """A reader of one commit, valid inside the `with` block that gave it. Every method raises Corrupt."""

    def __init__(
        self, txn: lmdb.Transaction, databases: Mapping[bytes, Any], cache: Cache, *, keeps_places: bool = False
    ) -> None:
        """Read the state of the commit that a transaction sees.

        keeps_places: Look for posting blocks where they were before. Only in a transaction that reads, under LMDB's
        lock, which keeps writers from using its pages again.
        """
        self.txn = txn
        self._keeps_places = keeps_places
        self.databases = databases
        self.blocks = Blocks(txn, databases[file_format.BLOCKS])
        self.state = self._read_state(cache)
        ids = GivenIds(self.state.next_document, self.state.next_boilerplate)
        self.catalogue = Catalogue(txn, databases, self.state.seals, cache.catalogue, ids)
        self._cache = cache
        cache.keep_only(self.state.runs)

    def _read_state(self, cache: Cache) -> State:
        """Return the state, which most snapshots share with the one before."""
        checksum = bytes(self.txn.get(file_format.STATE_KEY, b"")[: file_format.CHECKSUM])
        if checksum != cache.state[0]:
            state = read_state(self.txn)
            self._check_room(state)
            cache.state = checksum, state
        return cache.state[1]

    def write_state(self, state: State) -> None:
        """Write the state record in the snapshot's write transaction; the next snapshot need not read it again."""
        self._cache.state = write_state(self.txn, state, self.state.runs), state

    def _check_room(self, state: State) -> None:
        """Raise Corrupt where the file has no room for what the state counts, so that memory is bounded by the file."""
        groups = self.txn.stat(self.databases[file_format.DOCUMENTS])["entries"]
        blocks = self.txn.stat(self.databases[file_format.BLOCKS])["entries"]
        documents = state.documents + state.boilerplate_documents
        if groups * file_format.RECORDS_PER_GROUP < documents or blocks < sum(map(block_count, state.runs)):
            raise Corrupt("the state record counts more documents or blocks than there are; run 'fpdb check'")

    @cached_property
    def texts(self) -> "Texts":
        """The kept texts."""
        from fpdb.storage.texts import Texts

        return Texts(self.txn, self.databases[file_format.TEXTS])

    @property
    def document_count(self) -> int:
        """The number of documents, boilerplate excluded."""
        return self.state.documents

    @property
    def posting_count(self) -> int:
        """The number of postings of live documents, boilerplate included."""
        return self.state.postings

    @property
    def version(self) -> tuple[int, int]:
        """A value that differs for every commit of this open store."""
        return self._cache.generation, self.txn.id()

    def file_id(self, _document_id: int = 0) -> bytes:
        """Return the random id of the file, see `IndexReader`."""
        return self._file_id

    @cached_property
    def _file_id(self) -> bytes:
        return file_format.unpack_format(self.txn.get(file_format.FORMAT_KEY, b"")).file_id

    def runs(self, *, boilerplate: bool = False) -> list[Run]:
        """Return the live runs of ordinary, or of boilerplate, documents, in order of their documents' ids."""
        return self.state.runs_of(boilerplate=boilerplate)

    def find_by_name(self, names: Collection[bytes]) -> dict[bytes, list[int]]:
        """Return the id of the document of each name that exists, boilerplate excluded."""
        ids = self.catalogue.find_all(names)
        return {name: [document_id] for name, document_id in ids.items() if document_id < file_format.FIRST_BOILERPLATE}

    def has_dead_postings(self) -> bool:
        """Return True if `scans` yields postings of removed documents."""
        return any(run.dead for run in self.runs())

    def find_frequent(self, minimum: int) -> U64 | None:
        """Return all hashes that this many documents hold, see `IndexReader.find_frequent`."""
        from fpdb.storage.runs.frequent import find_frequent

        runs = self.runs()
        in_a_run = -(-minimum // max(len(runs), 1))
        if in_a_run < FREQUENT:
            return None
        parts = [find_frequent(self.run_reader(run), self.fences(run), in_a_run) for run in runs]
        hashes: U64 = np.concatenate([np.empty(0, np.uint64), *parts])
        return sorted_distinct(hashes)

    def scans(self, document_ids: U32 | None = None) -> "list[Iterator[Postings]]":
        """Return the postings of each ordinary run, or of those of some documents, those of dead ones included."""
        runs = self.runs()
        if document_ids is not None:
            places = [np.searchsorted(document_ids, (run.first_id, run.last_id + 1)) for run in runs]
            runs = [run for run, (start, end) in zip(runs, places, strict=True) if start < end]
        return [self.scan(run) for run in runs]

    def scan(self, run: Run) -> "Iterator[Postings]":
        """Yield the postings of a run in order, those of dead documents included."""
        from fpdb.storage.runs.scan import scan

        return scan(self.run_reader(run))

    def run_reader(self, run: Run) -> RunReader:
        """Return what reads a run in this transaction."""
        return RunReader(self.blocks, run, self._places(run))

    def _places(self, run: Run) -> Places | None:
        """Return what is known of where a run's blocks lie; None if they may be elsewhere now."""
        if not self._keeps_places:
            return None
        places = self._cache.places.get(run.number)
        if places is None:
            places = self._cache.places[run.number] = Places(run.blocks)
        return places

    def fences(self, run: Run) -> Fences:
        """Return a run's fences."""
        fences = self._cache.fences.get(run.number)
        if fences is None:
            fences = self._cache.fences[run.number] = self.run_reader(run).read_fences()
        return fences

    def position_starts(self, run: Run) -> I64:
        """Return what `position_lookup.read_position_starts` gives for a run."""
        from fpdb.storage.runs import position_lookup

        starts = self._cache.position_starts.get(run.number)
        if starts is None:
            starts = position_lookup.read_position_starts(self.run_reader(run))
            self._cache.position_starts[run.number] = starts
        return starts

    def boilerplate(self) -> U64:
        """Return the hashes that a live boilerplate document holds; sorted, distinct."""
        runs = tuple(self.runs(boilerplate=True))
        cached_runs, hashes = self._cache.boilerplate
        if runs != cached_runs:
            hashes = self.live_hashes(runs)
            self._cache.boilerplate = runs, hashes
        return hashes

    def live_hashes(self, runs: Sequence[Run]) -> U64:
        """Return the hashes that live documents of the runs hold; sorted, distinct."""
        parts = [np.empty(0, np.uint64)]
        for run in runs:
            for piece in self.scan(run):
                parts.append(piece.hashes[live_documents(self.catalogue, piece.document_ids)])
        return sorted_distinct(np.concatenate(parts))

    def look_up(self, hashes: U64, *, cap: int | None = None) -> Hits:
        """Find the live ordinary documents that hold the hashes, see `IndexReader.look_up`."""
        runs = self.runs()
        capped = np.zeros(len(hashes), np.bool_)
        if cap is not None:
            full_postings = long_lists.count_inner_postings(self, runs, hashes)
            for index in np.flatnonzero((full_postings >= cap) & (full_postings > 0)).tolist():
                capped[index] = self._reaches(runs, hashes[index : index + 1], cap)
        listed = ~capped
        asked = hashes if listed.all() else hashes[listed]
        parts = [self._look_up_in(run, asked) for run in runs] or [Hits.none(len(asked))]
        hits = concat_hits(parts, cap).scatter(listed)
        return Hits(hits.counts, hits.document_ids, hits.capped | capped)

    def _look_up_in(self, run: Run, hashes: U64) -> Hits:
        counts, document_ids = look_up(self.run_reader(run), self.fences(run), hashes)
        hits = Hits(counts, document_ids, np.zeros(len(hashes), np.bool_))
        return hits.filter(live_documents(self.catalogue, document_ids)) if run.dead else hits

    def count_by_document(self, hashes: U64) -> U32 | None:
        """Count the hashes each ordinary document holds, by id; see `IndexReader.count_by_document`."""
        runs, ids = self.runs(), self.state.next_document
        if not self._has_dense_ids:
            return None
        if long_lists.count_inner_postings(self, runs, hashes).sum() * IDS_A_POSTING < ids:
            return None
        counts = np.zeros(self.state.next_document, np.uint32)
        for run in runs:
            tally(self.run_reader(run), self.fences(run), hashes, counts)
            if run.dead:
                live_ids = self.catalogue.live_ids(run.first_id, run.last_id)
                live_counts = counts[live_ids]
                counts[run.first_id : run.last_id + 1] = 0
                counts[live_ids] = live_counts
        return counts

    @property
    def _has_dense_ids(self) -> bool:
        """True if an array by id takes no more memory than documents may."""
        return self.state.next_document <= IDS_A_DOCUMENT * self.state.documents + IDS_A_DOCUMENT

    def are_common(self, hashes: U64) -> Bools:
        """Return which hashes very many documents hold, see `IndexReader.are_common`."""
        if not self._has_dense_ids:
            return np.zeros(len(hashes), np.bool_)
        common: Bools = long_lists.count_inner_postings(self, self.runs(), hashes) >= COMMON
        return common

    def find_holders(self, hashes: U64, document_ids: U32) -> Bools:
        """Return which documents hold which hashes, see `IndexReader.find_holders`."""
        return long_lists.find_holders(self, self._cache, hashes, document_ids)

    def count_holders(self, hashes: U64) -> I64:
        """Return how many documents hold each hash, see `IndexReader.count_holders`."""
        return long_lists.count_holders(self, self._cache, hashes)

    def find_occurrences(self, hashes: U64, document_ids: U32) -> Occurrences:
        """Find where live documents hold the hashes, see `IndexReader.find_occurrences`.

        Reads only the runs of the documents, and of these the blocks that hold the hashes.
        """
        from fpdb.storage.runs import position_lookup

        document_ids = document_ids[live_documents(self.catalogue, document_ids)]
        parts = []
        for run in self.state.runs:
            inside = document_ids[slice(*np.searchsorted(document_ids, [run.first_id, run.last_id + 1]))]
            if len(inside) and run.position_blocks:
                reader = self.run_reader(run)
                indices, holders, ranks = position_lookup.find_ranks(reader, self.fences(run), hashes, inside)
                positions = position_lookup.read_encoded_positions(reader, self.position_starts(run), ranks)
                placed = positions > 0
                parts.append(Occurrences(indices[placed], holders[placed], positions[placed] - np.uint32(1)))
        return Occurrences.concatenate(parts)

    def _reaches(self, runs: Sequence[Run], hash_: U64, cap: int) -> bool:
        """Return True if this many live documents hold the hash, shape (1,); read no more blocks than that takes."""
        count = 0
        for run in runs:
            for document_ids in self._holders_by_block(run, hash_):
                count += int(live_documents(self.catalogue, document_ids).sum()) if run.dead else len(document_ids)
                if count >= cap:
                    return True
        return False

    def _holders_by_block(self, run: Run, hash_: U64) -> Iterator[U32]:
        """Yield the distinct documents of a run that hold the hash, shape (1,), block by block."""
        fences = self.fences(run)
        lows, highs = _fences.find_blocks(fences.first_hashes, hash_)
        last = -1
        for index in range(int(lows[0]), int(highs[0]) + 1):
            document_ids = look_up_in_block(self.run_reader(run), fences, index, hash_)
            if len(document_ids):
                repeated = int(document_ids[0]) == last  # at another position, in the block before
                last = int(document_ids[-1])
                yield document_ids[repeated:]


def read_state(txn: lmdb.Transaction) -> State:
    """Read the state record. Raises Corrupt."""
    value = txn.get(file_format.STATE_KEY)
    if value is None:
        raise Corrupt("the state record is missing; run 'fpdb check'")
    return State.unpack(value)


def write_state(txn: lmdb.Transaction, state: State, checked: Sequence[Run] = ()) -> bytes:
    """Write the state record, and return its checksum.

    It is the commit point: what it lists is live once the transaction is committed. checked: see `State.pack`.
    """
    value = state.pack(checked)
    txn.put(file_format.STATE_KEY, value)
    return value[: file_format.CHECKSUM]
