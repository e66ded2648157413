"""One commit to read from, whole: its state, its catalogue, and look-ups over its runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64, Bools
from fpdb.errors import Corrupt
from fpdb.storage import _sorting, file_format
from fpdb.storage.catalogue import Catalogue
from fpdb.storage.file_format import Run, State
from fpdb.storage.runs import _codec
from fpdb.storage.runs import position_lookup as place_files
from fpdb.storage.runs import run_blocks as run_files
from fpdb.storage.texts import Texts

COUNTED = 4
"""Ids a posting up to which counting by id is worth it."""
MANY = 4096
"""Hits from which counting them by id is faster than sorting,"""
SPARSE = 16
"""unless the ids go beyond so many times their number."""


@dataclass
class Cache:
    """What a store keeps from one snapshot to the next: all of it belongs to immutable runs.

    generation: the opening of the file that the runs are of. boilerplate: runs, and the hashes of their live documents;
    one tuple, since threads share the cache.
    """

    generation: int = 1
    fences: dict[int, run_files.Fences] = field(default_factory=dict)
    position_starts: dict[int, I64] = field(default_factory=dict)
    boilerplate: tuple[tuple[Run, ...], U64] = ((), np.empty(0, np.uint64))

    def keep_only(self, listed: Sequence[Run]) -> None:
        """Forgets runs that are gone, once they are many."""
        if len(self.fences) > 2 * len(listed) + 16:
            live = {run.number for run in listed}
            self.fences = {number: kept for number, kept in list(self.fences.items()) if number in live}
            starts = list(self.position_starts.items())
            self.position_starts = {number: kept for number, kept in starts if number in live}


@dataclass(frozen=True)
class Hits:
    """Who holds which of the hashes looked up.

    counts: shape (hashes,): how many documents hold each. documents: these, ascending, of one hash after the other.
    capped: bool, shape (hashes,): those found in as many documents as the cap, which are left out of the hits.
    """

    counts: I64
    documents: U32
    capped: Bools

    @property
    def indices(self) -> U32:
        """Which hash each of `documents` holds."""
        return np.repeat(np.arange(len(self.counts), dtype=np.uint32), self.counts)

    def only(self, kept: Bools) -> Hits:
        """The same with some of the documents only; shape (hits,)."""
        so_many = np.concatenate(([0], np.cumsum(kept)))
        ends = np.cumsum(self.counts)
        return Hits(so_many[ends] - so_many[ends - self.counts], self.documents[kept], self.capped)

    def spread(self, asked: Bools) -> Hits:
        """The same as hits on more hashes, of which these were asked for; the others are in no document."""
        if len(self.counts) == len(asked):
            return self
        counts, capped = np.zeros(len(asked), np.int64), np.zeros(len(asked), np.bool_)
        counts[asked], capped[asked] = self.counts, self.capped
        return Hits(counts, self.documents, capped)


def _no_hits(hashes: int) -> Hits:
    return Hits(np.zeros(hashes, np.int64), np.empty(0, np.uint32), np.zeros(hashes, np.bool_))


def concat_hits(parts: Sequence[Hits], cap: int | None) -> Hits:
    """Hits on the same hashes, of which each part has the documents after those of the one before, as one; what they
    find as often as the cap together is capped."""
    if len(parts) == 1 and cap is None:
        return parts[0]
    counts = reduce(np.add, [part.counts for part in parts])
    capped = reduce(np.logical_or, [part.capped for part in parts])
    if cap is not None:
        capped = capped | (counts >= cap)
    if len(parts) == 1 and not counts[capped].any():
        return Hits(counts, parts[0].documents, capped)
    every = [part.counts for part in parts], [part.documents for part in parts]
    return Hits(counts * ~capped, _sorting.interleaved(*every, capped.view(np.uint8)), capped)


class Snapshot:
    """One commit. Valid inside the `with` block that gave it."""

    def __init__(self, txn: lmdb.Transaction, databases: Mapping[bytes, Any], cache: Cache) -> None:
        """Raises Corrupt."""
        self.txn = txn
        self.databases = databases
        self.blocks = databases[file_format.BLOCKS]
        self.state = read_state(txn)
        self.catalogue = Catalogue(txn, databases)
        self.texts = Texts(txn, databases[file_format.TEXTS])
        self._cache = cache
        cache.keep_only(self.state.runs)

    def runs(self, *, boilerplate: bool = False) -> list[Run]:
        """The live runs of ordinary, or of boilerplate, documents, in order of their documents' ids."""
        return [run for run in self.state.runs if run.boilerplate is boilerplate]

    @property
    def version(self) -> tuple[int, int]:
        """What no other commit of this open store has."""
        return self._cache.generation, self.txn.id()

    def named(self, names: Collection[bytes]) -> dict[bytes, list[int]]:
        """By name, the ordinary documents of these names; those that there are: one. Raises Corrupt."""
        found = self.catalogue.find_all(names)
        return {name: [number] for name, number in found.items() if number < file_format.FIRST_BOILERPLATE}

    def any_dead(self) -> bool:
        """Whether there are postings of ordinary documents that are not there."""
        return any(run.dead for run in self.runs())

    def scans(self) -> list[Iterator[run_files.Postings]]:
        """The postings of ordinary documents, those of dead ones too: sorted sequences, to be merged, of which each has
        the documents after those of the one before. Raises Corrupt."""
        return [run_files.scan(self.txn, self.blocks, run) for run in self.runs()]

    def fences(self, run: Run) -> run_files.Fences:
        """Raises Corrupt."""
        found = self._cache.fences.get(run.number)
        if found is None:
            found = self._cache.fences[run.number] = run_files.read_fences(self.txn, self.blocks, run)
        return found

    def position_starts(self, run: Run) -> I64:
        """What `places.read_position_starts` gives. Raises Corrupt."""
        found = self._cache.position_starts.get(run.number)
        if found is None:
            found = place_files.read_position_starts(self.txn, self.blocks, run)
            self._cache.position_starts[run.number] = found
        return found

    def boilerplate(self) -> U64:
        """The hashes that a live boilerplate document holds; sorted, distinct. Raises Corrupt."""
        listed = tuple(self.runs(boilerplate=True))
        key, hashes = self._cache.boilerplate
        if listed != key:
            hashes = self.all_hashes(listed)
            self._cache.boilerplate = listed, hashes
        return hashes

    def all_hashes(self, listed: Sequence[Run]) -> U64:
        """The hashes that live documents of these runs hold; sorted, distinct. Raises Corrupt."""
        parts = [np.empty(0, np.uint64)]
        for run in listed:
            parts += [piece.hashes[self.live(piece.documents)] for piece in run_files.scan(self.txn, self.blocks, run)]
        return np.unique(np.concatenate(parts))

    def live(self, documents: U32) -> Bools:
        """Whether each document is in the catalogue."""
        distinct, inverse = np.unique(documents, return_inverse=True)
        there: Bools = self.catalogue.sizes(distinct)["hashes"] != file_format.DEAD
        return there[inverse]

    def look_up(self, hashes: U64, *, cap: int | None = None) -> Hits:
        """Which live, ordinary documents hold the hashes.

        hashes: sorted, distinct, shape (n,). cap: a hash found in this many documents is reported, not listed, and no
        more of its postings are read than that takes. Raises Corrupt.
        """
        listed = self.runs()
        capped = np.zeros(len(hashes), np.bool_)
        if cap is not None:
            for index in self._long(listed, hashes, cap).tolist():
                capped[index] = self._reaches(listed, hashes[index : index + 1], cap)
        wanted = ~capped
        asked = hashes if wanted.all() else hashes[wanted]
        hits = concat_hits([self._hits(run, asked) for run in listed] or [_no_hits(len(asked))], cap).spread(wanted)
        return Hits(hits.counts, hits.documents, hits.capped | capped)

    def _hits(self, run: Run, hashes: U64) -> Hits:
        """Which live documents of a run hold the hashes."""
        counts, documents = run_files.look_up(self.txn, self.blocks, run, self.fences(run), hashes)
        hits = Hits(counts, documents, np.zeros(len(hashes), np.bool_))
        return hits.only(self.live(documents)) if run.dead else hits

    def tally(self, hashes: U64) -> U32 | None:
        """How many of the hashes each ordinary document holds, by id; shape (ids,). None where that is too much for the
        few documents that hold any, and `look_up` is to be asked.

        hashes: sorted, distinct, shape (n,). Raises Corrupt.
        """
        listed = self.runs()
        if self._filled(listed, hashes).sum() * COUNTED < self.state.next_document:
            return None
        counts = np.zeros(self.state.next_document, np.uint32)
        for run in listed:
            run_files.tally(self.txn, self.blocks, run, self.fences(run), hashes, counts)
            if run.dead:
                counts[run.first_id : run.last_id + 1][self.catalogue.dead(run.first_id, run.last_id) > 0] = 0
        return counts

    def places(self, hashes: U64, documents: U32) -> tuple[U32, U32, U32]:
        """Where live documents hold the hashes.

        hashes, documents: sorted, distinct. Returns (indices, documents, positions), shape (places,): document holds
        hashes[index] at position, in symbols; sorted by index, document, position. Postings without a position give
        none. Reads only the runs of the documents, and of these the blocks that hold the hashes. Raises Corrupt.
        """
        documents = documents[self.live(documents)]
        parts = [(np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))]
        for run in self.state.runs:
            inside = documents[slice(*np.searchsorted(documents, [run.first_id, run.last_id + 1]))]
            if not len(inside) or not run.position_blocks:
                continue
            fences, starts = self.fences(run), self.position_starts(run)
            indices, holders, ranks = place_files.find_ranks(self.txn, self.blocks, run, fences, hashes, inside)
            numbers = place_files.read_numbers(self.txn, self.blocks, run, starts, ranks)
            placed = numbers > 0
            parts.append((indices[placed], holders[placed], numbers[placed] - np.uint32(1)))
        every = [np.concatenate([part[column] for part in parts]) for column in range(3)]
        order = np.argsort(every[0], kind="stable")  # runs stand in order of documents
        return every[0][order], every[1][order], every[2][order]

    def _long(self, listed: Sequence[Run], hashes: U64, cap: int) -> NDArray[np.intp]:
        """Indices of the hashes that fill blocks with at least `cap` postings: reading them all may be a waste."""
        sure = self._filled(listed, hashes)
        return np.flatnonzero((sure >= cap) & (sure > 0))

    def _filled(self, listed: Sequence[Run], hashes: U64) -> I64:
        """How many postings each hash has in blocks that it fills; shape (n,)."""
        filled = np.zeros(len(hashes), np.int64)
        for run in listed:
            fences = self.fences(run)
            lows, highs = _codec.spans(fences.first, hashes)
            for index in np.flatnonzero(highs - lows > 1).tolist():
                filled[index] += int(fences.postings[lows[index] + 1 : highs[index]].sum(dtype=np.int64))
        return filled

    def _reaches(self, listed: Sequence[Run], hash_: U64, cap: int) -> bool:
        """Whether this many live documents hold the hash, shape (1,); reads block by block until it is known."""
        count = 0
        for run in listed:
            lows, highs = _codec.spans(self.fences(run).first, hash_)
            last = -1
            for index in range(int(lows[0]), int(highs[0]) + 1):
                documents = run_files.look_in(self.txn, self.blocks, run, index, hash_)
                if not len(documents):
                    continue
                repeated = int(documents[0]) == last  # at another position, in the block before
                last = int(documents[-1])
                documents = documents[repeated:]
                count += int(self.live(documents).sum()) if run.dead else len(documents)
                if count >= cap:
                    return True
        return False


def count_each(documents: U32) -> tuple[U32, I64]:
    """The distinct documents, ascending, and how often each occurs."""
    if len(documents) < MANY or int(documents.max()) > SPARSE * len(documents):
        return _sorting.run_lengths(np.sort(documents))
    counts = np.bincount(documents)
    found = np.flatnonzero(counts)
    return found.astype(np.uint32), counts[found]


def read_state(txn: lmdb.Transaction) -> State:
    """Raises Corrupt."""
    value = txn.get(file_format.STATE_KEY)
    if value is None:
        raise Corrupt("the state record is missing; run 'fpdb check'")
    return State.unpack(value)


def write_state(txn: lmdb.Transaction, state: State) -> None:
    """The commit point: what it lists is live once the transaction is committed."""
    txn.put(file_format.STATE_KEY, state.pack())
