"""Tiling: turn the fingerprints that two documents a and b share into regions.

1. A run is a sequence of shared fingerprints that are consecutive in both documents (MOSS: the winnowing paper,
   section 5.2). Every pair of equal hashes belongs to one maximal run.
2. Where passages repeat, n times in a and m times in b, n m runs overlap. Of these a cover is chosen greedily, as in
   Wise's greedy string tiling (1993): the longest run first, ties by position; a later run keeps only what no earlier
   one has taken, in either document.
3. Fingerprints still left in a are matched with taken ones of b, again the longest run first; then those left in b.
   So every shared fingerprint is in a region, and there are about n + m regions at most.
4. A run of fingerprints becomes a region: from the first symbol of its first k-gram to the last symbol of its last.

Pairs of a hash that occurs more than ALL_PAIRS times in both documents are limited: each occurrence is paired with
the one of equal rank, and with those on the diagonals of neighbouring runs of rarer hashes. Time and memory are in
proportion to the fingerprints, times ALL_PAIRS.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U64, Bools
from fpdb.regions.region import Region

ALL_PAIRS: Final = 8  # occurrences of a hash in one of the documents up to which all its pairs are looked at

IndexPairs = tuple[I64, I64]
"""Pairs (i, j) of indices into the shared fingerprints of a and of b; arrays of shape (n,)."""


class FingerprintSequence(NamedTuple):
    """The fingerprints of a document.

    Attributes:
        hashes: In stored form; shape (n,).
        positions: In symbols, ascending; shape (n,).
        complete: True if these are all fingerprints that were selected, so that neighbours are consecutive; False if
            they are only the shared ones.
    """

    hashes: U64
    positions: NDArray[np.integer]
    complete: bool = True


def find_regions(a: FingerprintSequence, b: FingerprintSequence, shared: U64, k: int, slack: int) -> list[Region]:
    """Return the regions of two documents, in order of a; regions overlap where their k-grams do.

    Args:
        a: The fingerprints of document a.
        b: The fingerprints of document b.
        shared: The hashes that count, sorted, distinct. Other fingerprints only interrupt runs.
        k: The number of symbols of a k-gram.
        slack: Consecutive fingerprints do not join if their distances in the two documents differ by more symbols.
            Equal hashes stand up to w - 1 symbols apart in equal passages of few k-grams (robust winnowing, section
            5.1).
    """
    shared_a, shared_b = (_SharedSequence.select(sequence, shared) for sequence in (a, b))
    if not len(shared_a.ids) or not len(shared_b.ids):
        return []
    if len(shared_a.ids) == len(shared_b.ids) == 1:  # the usual case when all documents are compared with all
        start_a, start_b = int(shared_a.positions[0]), int(shared_b.positions[0])
        return [Region(start_a, start_a + k, start_b, start_b + k, 1)]
    pairs = _EqualPairs(shared_a, shared_b, len(shared))
    cover = _Cover(shared_a, shared_b, slack)
    i, j = pairs.of_rare_hashes()
    if pairs.any_frequent:
        guide = _Cover(shared_a, shared_b, slack)
        guide.add_runs(i, j)
        parts = [(i, j), pairs.of_equal_rank(), *pairs.on_diagonals(guide.runs)]
        i, j = (np.concatenate(indices) for indices in zip(*parts, strict=True))
    cover.add_runs(i, j)
    for side in (0, 1):
        left = ~_as_bools(cover.taken[side])[(i, j)[side]]
        cover.add_runs(i[left], j[left], exclusive=(side,))
    at_a, at_b = shared_a.positions, shared_b.positions
    return sorted(
        Region(int(at_a[i]), int(at_a[i + n - 1]) + k, int(at_b[j]), int(at_b[j + n - 1]) + k, n)
        for i, j, n in cover.runs
    )


class _SharedSequence(NamedTuple):
    """The shared fingerprints of one document in order of position; arrays of shape (n,).

    Attributes:
        ids: The index of each hash among the shared hashes.
        positions: In symbols.
        joins: True if the fingerprint is consecutive to the one before.
    """

    ids: I64
    positions: I64
    joins: Bools

    @classmethod
    def select(cls, sequence: FingerprintSequence, shared: U64) -> "_SharedSequence":
        ids = np.searchsorted(shared, sequence.hashes)
        ids[ids == len(shared)] = 0
        chosen = np.flatnonzero(shared[ids] == sequence.hashes) if len(shared) else np.empty(0, np.int64)
        joins = np.ones(len(chosen), np.bool_)
        if sequence.complete:
            joins[1:] = chosen[1:] == chosen[:-1] + 1
        return cls(ids[chosen], sequence.positions[chosen].astype(np.int64), joins)


class _EqualPairs:
    """The pairs of equal hashes of two documents."""

    def __init__(self, a: _SharedSequence, b: _SharedSequence, hash_count: int) -> None:
        self._sides = a, b
        self._counts = [np.bincount(side.ids, minlength=hash_count) for side in self._sides]
        self._starts = [np.cumsum(counts) - counts for counts in self._counts]
        self._orders = [np.argsort(side.ids, kind="stable") for side in self._sides]
        fewer = np.minimum(*self._counts)
        self._frequent = fewer > ALL_PAIRS
        self._rare = (fewer > 0) & ~self._frequent
        self.any_frequent = bool(self._frequent.any())

    def of_rare_hashes(self) -> IndexPairs:
        """Return all pairs of the hashes that occur at most ALL_PAIRS times in one of the documents."""
        i = np.flatnonzero(self._rare[self._sides[0].ids])
        ids = self._sides[0].ids[i]
        lengths = self._counts[1][ids]
        ends = np.cumsum(lengths)
        index = np.arange(int(ends[-1]) if len(ends) else 0)
        index += np.repeat(self._starts[1][ids] - ends + lengths, lengths)
        return np.repeat(i, lengths), self._orders[1][index]

    def of_equal_rank(self) -> IndexPairs:
        """Return each occurrence of a frequent hash with the other document's of the same rank, counted round."""
        found: list[IndexPairs] = []
        for side, sequence in enumerate(self._sides):
            order = self._orders[side]
            ids = sequence.ids[order]
            frequent = self._frequent[ids]
            ids, order = ids[frequent], order[frequent]
            rank = np.flatnonzero(frequent) - self._starts[side][ids]
            other = self._orders[1 - side][self._starts[1 - side][ids] + rank % self._counts[1 - side][ids]]
            found.append((order, other) if side == 0 else (other, order))
        return np.concatenate((found[0][0], found[1][0])), np.concatenate((found[0][1], found[1][1]))

    def on_diagonals(self, runs: Sequence[tuple[int, int, int]]) -> Iterator[IndexPairs]:
        """Yield pairs of frequent hashes on the diagonal of the run before or after them, in either document."""
        if not runs:
            return
        array = np.array(runs, np.int64)
        for side, sequence in enumerate(self._sides):
            ordered = array[np.argsort(array[:, side], kind="stable")]
            diagonal = ordered[:, 1 - side] - ordered[:, side]
            here = np.flatnonzero(self._frequent[sequence.ids])
            after = np.searchsorted(ordered[:, side], here)
            other_ids = self._sides[1 - side].ids
            for run in (np.maximum(after - 1, 0), np.minimum(after, len(ordered) - 1)):
                there = here + diagonal[run]
                inside = (there >= 0) & (there < len(other_ids))
                i, j = here[inside], there[inside]
                equal = sequence.ids[i] == other_ids[j]
                yield (i[equal], j[equal]) if side == 0 else (j[equal], i[equal])


class _Cover:
    """Chosen runs (i, j, length) of consecutive shared fingerprints, and the fingerprints that they take."""

    def __init__(self, a: _SharedSequence, b: _SharedSequence, slack: int) -> None:
        self._a, self._b, self._slack = a, b, slack
        self.taken = bytearray(len(a.ids)), bytearray(len(b.ids))
        self.runs: list[tuple[int, int, int]] = []

    def add_runs(self, i: I64, j: I64, exclusive: tuple[int, ...] = (0, 1)) -> None:
        """Choose runs made of these pairs, the longest first, until none is left.

        exclusive: the sides, 0 for a and 1 for b, on which no fingerprint may be taken twice.
        """
        if not len(i):
            return
        i, j, lengths = self._maximal_runs(i, j)
        long = lengths > 1
        heap = [_priority(*run) for run in zip(*(part[long].tolist() for part in (i, j, lengths)), strict=True)]
        heapify(heap)
        single: list[tuple[int, int]] = []
        while heap:
            run_i, run_j, length = heappop(heap)[-3:]
            free = list(self._free_parts(run_i, run_j, length, exclusive))
            if free == [(0, length)]:
                self._take(run_i, run_j, length)
                continue
            for start, end in free:
                if end - start > 1:
                    heappush(heap, _priority(run_i + start, run_j + start, end - start))
                else:
                    single.append((run_i + start, run_j + start))
        i, j = i[~long], j[~long]
        if single:
            rest = np.array(single, np.int64)
            i, j = np.concatenate((i, rest[:, 0])), np.concatenate((j, rest[:, 1]))
        if len(i):
            self._add_single_pairs(i, j, exclusive)

    def _add_single_pairs(self, i: I64, j: I64, exclusive: tuple[int, ...]) -> None:
        """Choose runs of one fingerprint, of which there may be very many."""
        for side in exclusive:
            free = ~_as_bools(self.taken[side])[(i, j)[side]]
            i, j = i[free], j[free]
        order = np.lexsort((i, np.abs(i - j), i + j))
        taken_a, taken_b = (
            self.taken[side] if side in exclusive else bytearray(len(self.taken[side])) for side in (0, 1)
        )
        for pair_i, pair_j in zip(i[order].tolist(), j[order].tolist(), strict=True):
            if not taken_a[pair_i] and not taken_b[pair_j]:
                self._take(pair_i, pair_j, 1)

    def _take(self, i: int, j: int, length: int) -> None:
        self.runs.append((i, j, length))
        self.taken[0][i : i + length] = b"\1" * length
        self.taken[1][j : j + length] = b"\1" * length

    def _free_parts(self, i: int, j: int, length: int, exclusive: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Yield the parts of a run that no chosen run has taken, as offsets [start, end)."""
        offset = 0
        sides = [(self.taken[side], (i, j)[side]) for side in exclusive]
        while offset < length:
            if any(taken[start + offset] for taken, start in sides):
                free = [taken.find(0, start + offset, start + length) - start for taken, start in sides]
                offset = max(free) if min(free) >= 0 else length
                continue
            ends = [taken.find(1, start + offset, start + length) - start for taken, start in sides]
            end = min((end for end in ends if end >= 0), default=length)
            yield offset, end
            offset = end

    def _maximal_runs(self, i: I64, j: I64) -> tuple[I64, I64, I64]:
        """Return the maximal runs (i, j, length) of at least one pair; arrays of shape (runs,)."""
        width = len(self._a.ids) + 1
        keys = np.sort((i - j + len(self._b.ids)) * width + i)  # by diagonal, then along it
        keys = keys[_starts(keys[1:] != keys[:-1])]
        i = keys % width
        j = i + len(self._b.ids) - keys // width
        a, b = self._a.positions, self._b.positions
        follows = (keys[1:] == keys[:-1] + 1) & self._a.joins[i[1:]] & self._b.joins[j[1:]]
        drift = (a[i[1:]] - a[i[:-1]]) - (b[j[1:]] - b[j[:-1]])
        follows &= np.abs(drift) <= self._slack
        first = np.flatnonzero(_starts(~follows))
        lengths = np.empty(len(first), np.int64)
        lengths[:-1] = first[1:] - first[:-1]
        lengths[-1] = len(i) - first[-1]
        return i[first], j[first], lengths


def _starts(differ: Bools) -> Bools:
    """Return which elements start a group, given which neighbours differ; shape (n + 1,)."""
    starts = np.ones(len(differ) + 1, np.bool_)
    starts[1:] = differ
    return starts


def _priority(i: int, j: int, length: int) -> tuple[int, int, int, int, int, int]:
    """Return a run's key in the order of choice: the longest first, then by position, equally in both documents."""
    return -length, i + j, abs(i - j), i, j, length


def _as_bools(flags: bytearray) -> Bools:
    return np.frombuffer(bytes(flags), np.bool_)
