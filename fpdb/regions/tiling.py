"""Tiling: which runs of shared fingerprints stand for what two documents have in common.

A run is a sequence of fingerprints that are shared, and consecutive in both documents. Runs are chosen greedily, the
longest first, as in Wise's greedy string tiling (1993). Knows indices into the two sequences, and no symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U64, Bools

FEW: Final = 8  # times that a hash may stand in one of the documents for all its pairs to be looked at


class Side(NamedTuple):
    """The shared fingerprints of one document in order of position.

    ids: index of each hash among the shared ones; joins: whether it is consecutive to the one before; shapes (n,).
    """

    ids: I64
    positions: I64
    joins: Bools

    @classmethod
    def of(cls, hashes: U64, positions: NDArray[np.integer], shared: U64, *, whole: bool) -> Side:
        """hashes, positions: of a document's fingerprints; whole: all of them, so that neighbours are consecutive."""
        ids = np.searchsorted(shared, hashes)
        ids[ids == len(shared)] = 0
        kept = np.flatnonzero(shared[ids] == hashes) if len(shared) else np.empty(0, np.int64)
        joins = np.ones(len(kept), np.bool_)
        if whole:
            joins[1:] = kept[1:] == kept[:-1] + 1
        return cls(ids[kept], positions[kept].astype(np.int64), joins)


class Pairs:
    """Pairs (i, j) of equal hashes: arrays of indices into the two sequences, shape (n,)."""

    def __init__(self, ours: Side, theirs: Side, hashes: int) -> None:
        self._ours, self._theirs = ours, theirs
        self._counts = [np.bincount(side.ids, minlength=hashes) for side in (ours, theirs)]
        self._starts = [np.cumsum(counts) - counts for counts in self._counts]
        self._orders = [np.argsort(side.ids, kind="stable") for side in (ours, theirs)]
        fewer = np.minimum(*self._counts)
        self._frequent = fewer > FEW
        self._rare = (fewer > 0) & ~self._frequent
        self.any_frequent = bool(self._frequent.any())

    def rare(self) -> tuple[I64, I64]:
        """All pairs of the hashes that stand at most FEW times in one of the documents."""
        i = np.flatnonzero(self._rare[self._ours.ids])
        ids = self._ours.ids[i]
        lengths = self._counts[1][ids]
        ends = np.cumsum(lengths)
        at = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(self._starts[1][ids] - ends + lengths, lengths)
        return np.repeat(i, lengths), self._orders[1][at]

    def of_equal_rank(self) -> tuple[I64, I64]:
        """Each occurrence of a frequent hash, and the other document's of the same rank, counted round."""
        found = []
        for side, sequence in enumerate((self._ours, self._theirs)):
            order = self._orders[side]
            ids = sequence.ids[order]
            frequent = self._frequent[ids]
            ids, order = ids[frequent], order[frequent]
            rank = np.flatnonzero(frequent) - self._starts[side][ids]
            other = self._orders[1 - side][self._starts[1 - side][ids] + rank % self._counts[1 - side][ids]]
            found.append((order, other) if side == 0 else (other, order))
        return np.concatenate((found[0][0], found[1][0])), np.concatenate((found[0][1], found[1][1]))

    def beside(self, runs: Sequence[tuple[int, int, int]]) -> Iterable[tuple[I64, I64]]:
        """Pairs of frequent hashes that lie on the diagonal of the run before or after them, in either document."""
        if not runs:
            return
        array = np.array(runs, np.int64)
        for side, sequence in enumerate((self._ours, self._theirs)):
            own = array[np.argsort(array[:, side], kind="stable")]
            diagonal = own[:, 1 - side] - own[:, side]
            here = np.flatnonzero(self._frequent[sequence.ids])
            after = np.searchsorted(own[:, side], here)
            other_ids = (self._theirs, self._ours)[side].ids
            for run in (np.maximum(after - 1, 0), np.minimum(after, len(own) - 1)):
                there = here + diagonal[run]
                inside = (there >= 0) & (there < len(other_ids))
                i, j = here[inside], there[inside]
                same = sequence.ids[i] == other_ids[j]
                yield (i[same], j[same]) if side == 0 else (j[same], i[same])


class Cover:
    """Runs (i, j, length) of consecutive shared fingerprints, chosen longest first; what they take of either side."""

    def __init__(self, ours: Side, theirs: Side, slack: int) -> None:
        self._ours, self._theirs, self._slack = ours, theirs, slack
        self.taken = bytearray(len(ours.ids)), bytearray(len(theirs.ids))
        self.runs: list[tuple[int, int, int]] = []

    def tile(self, i: I64, j: I64, against: tuple[int, ...] = (0, 1)) -> None:
        """Chooses from the runs of these pairs until all is taken; against: the sides where none may be taken twice."""
        if not len(i):
            return
        i, j, lengths = self._runs_of(i, j)
        long = lengths > 1
        heap = [_place(*run) for run in zip(*(part[long].tolist() for part in (i, j, lengths)), strict=True)]
        heap.sort()
        single: list[tuple[int, int]] = []
        while heap:
            i0, j0, length = heappop(heap)[-3:]
            parts = list(self._free(i0, j0, length, against))
            if parts == [(0, length)]:
                self._take(i0, j0, length)
                continue
            for start, end in parts:
                if end - start > 1:
                    heappush(heap, _place(i0 + start, j0 + start, end - start))
                else:
                    single.append((i0 + start, j0 + start))
        i, j = i[~long], j[~long]
        if single:
            rest = np.array(single, np.int64)
            i, j = np.concatenate((i, rest[:, 0])), np.concatenate((j, rest[:, 1]))
        if len(i):
            self._tile_single(i, j, against)

    def _tile_single(self, i: I64, j: I64, against: tuple[int, ...]) -> None:
        """The same for runs of one fingerprint, of which there may be very many."""
        for side in against:
            free = ~as_bools(self.taken[side])[(i, j)[side]]
            i, j = i[free], j[free]
        order = np.lexsort((i, np.abs(i - j), i + j))
        ours, theirs = (self.taken[side] if side in against else bytearray(len(self.taken[side])) for side in (0, 1))
        for i0, j0 in zip(i[order].tolist(), j[order].tolist(), strict=True):
            if not ours[i0] and not theirs[j0]:
                self._take(i0, j0, 1)

    def _take(self, i: int, j: int, length: int) -> None:
        self.runs.append((i, j, length))
        self.taken[0][i : i + length] = b"\1" * length
        self.taken[1][j : j + length] = b"\1" * length

    def _free(self, i: int, j: int, length: int, against: tuple[int, ...]) -> Iterable[tuple[int, int]]:
        """The stretches of a run, as offsets in it, that no chosen run has taken."""
        at = 0
        sides = [(self.taken[side], (i, j)[side]) for side in against]
        while at < length:
            if any(taken[start + at] for taken, start in sides):
                free = [taken.find(0, start + at, start + length) - start for taken, start in sides]
                at = max(free) if min(free) >= 0 else length
                continue
            ends = [taken.find(1, start + at, start + length) - start for taken, start in sides]
            end = min((end for end in ends if end >= 0), default=length)
            yield at, end
            at = end

    def _runs_of(self, i: I64, j: I64) -> tuple[I64, I64, I64]:
        """The runs of consecutive pairs, one at least, as long as they go: (i, j, length), shape (runs,)."""
        wide = len(self._ours.ids) + 1
        keys = np.sort((i - j + len(self._theirs.ids)) * wide + i)  # by diagonal, and along it
        keys = keys[_begin(keys[1:] != keys[:-1])]
        i = keys % wide
        j = i + len(self._theirs.ids) - keys // wide
        ours, theirs = self._ours.positions, self._theirs.positions
        follows = (keys[1:] == keys[:-1] + 1) & self._ours.joins[i[1:]] & self._theirs.joins[j[1:]]
        drift = (ours[i[1:]] - ours[i[:-1]]) - (theirs[j[1:]] - theirs[j[:-1]])
        follows &= np.abs(drift) <= self._slack
        first = np.flatnonzero(_begin(~follows))
        lengths = np.empty(len(first), np.int64)
        lengths[:-1] = first[1:] - first[:-1]
        lengths[-1] = len(i) - first[-1]
        return i[first], j[first], lengths


def _begin(differ: Bools) -> Bools:
    """Where each stretch of neighbours that do not differ begins, the first one included; shape (n + 1,)."""
    begin = np.ones(len(differ) + 1, np.bool_)
    begin[1:] = differ
    return begin


def _place(i: int, j: int, length: int) -> tuple[int, int, int, int, int, int]:
    """In which order runs are chosen: the longest first, then the first ones, alike for both documents if possible."""
    return -length, i + j, abs(i - j), i, j, length


def as_bools(flags: bytearray) -> Bools:
    return np.frombuffer(bytes(flags), np.bool_)
