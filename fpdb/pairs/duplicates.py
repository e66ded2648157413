"""Documents that hold the same hashes, of which a cap leaves some out: they are compared as if it left out nothing.

Else whoever adds a document a thousand times would hide it: its hashes would be common. Equal sets of hashes are told
by their signatures, see `_counting.Survey`. Takes memory and time for the documents, not for their pairs.
"""

from collections.abc import Iterator
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64, Bools, group_starts
from fpdb.pairs.compared_set import NO_U32, ComparedSet

ROOM: Final = 1 << 18  # pairs that are made at once


class DuplicateGroups:
    """Groups of two or more ranks that hold the same hashes.

    Attributes:
        sets: A number by rank, equal for the ranks of a group only; shape (0,) if there are no groups.
        members: The ranks of all groups, one group after the other, by name; shape (members,).
        groups: The group of each member, ascending from 0; shape (members,).
    """

    def __init__(self, compared_set: ComparedSet, sets: U32, members: U32, groups: I64) -> None:
        """Take the groups among what is compared."""
        self.sets, self.members, self.groups = sets, members, groups
        self._new: Bools = members < compared_set.new
        self._owners: U32 = compared_set.owners[members] if len(compared_set.owners) else members
        self._starts = group_starts(groups)
        self._ends = np.r_[self._starts[1:], len(groups)]

    @classmethod
    def find(cls, compared_set: ComparedSet, ranks: NDArray[np.intp], sizes: U32, signatures: U64) -> Self:
        """Return the groups of equal size and signature among some ranks; sizes and signatures: of these."""
        order = np.lexsort((compared_set.name_order[ranks], signatures, sizes))
        ranks, sizes, signatures = ranks[order], sizes[order], signatures[order]
        begins = np.r_[True, (sizes[1:] != sizes[:-1]) | (signatures[1:] != signatures[:-1])][: len(ranks)]
        groups = np.cumsum(begins) - 1
        repeated = np.bincount(groups)[groups] > 1 if len(groups) else begins
        members, groups = ranks[repeated].astype(np.uint32), np.unique(groups[repeated], return_inverse=True)[1]
        sets = NO_U32
        if len(members):
            sets = np.arange(len(compared_set), dtype=np.uint32)
            sets[members] = members[group_starts(groups)][groups]
        return cls(compared_set, sets, members, groups)

    def are_equal(self, a: U32, b: U32) -> Bools:
        """Return which of the pairs of ranks hold the same hashes; shape (n,)."""
        return self.sets[a] == self.sets[b] if len(self.sets) else np.zeros(len(a), np.bool_)

    def select(self, compared_set: ComparedSet, passing: Bools) -> "DuplicateGroups":
        """Return the groups of the members that pass, which are all of a group or none."""
        groups = np.unique(self.groups[passing], return_inverse=True)[1]
        return DuplicateGroups(compared_set, self.sets, self.members[passing], groups)

    def pairs(self, top: int | None = None) -> Iterator[tuple[U32, U32]]:
        """Yield the pairs, a before b in the order of names, in parts; or some, with the first `top` of each group."""
        rows, counts = self._rows()
        totals = np.cumsum(counts)
        row_groups = self.groups[rows]
        room = ROOM if top is None else min(max(4 * top, 1 << 12), ROOM)
        start, group, made = 0, -1, 0
        while start < len(rows):
            before = int(totals[start - 1]) if start else 0
            end = max(int(np.searchsorted(totals, before + room, "right")), start + 1)
            a = np.repeat(rows[start:end], counts[start:end])
            b = a + 1 + np.arange(len(a)) - np.repeat(totals[start:end] - counts[start:end] - before, counts[start:end])
            valid = (self._owners[a] != self._owners[b]) & (self._new[a] | self._new[b])
            a, b = a[valid], b[valid]
            yield self.members[a], self.members[b]
            last = int(row_groups[end - 1])
            made = (made if last == group else 0) + int((self.groups[a] == last).sum())
            group, start = last, end
            if top is not None and made >= top:
                start = int(np.searchsorted(row_groups, last, "right"))

    def _rows(self) -> tuple[NDArray[np.intp], I64]:
        """Return the members that are a pair with later ones of their group, and how many follow up to the last such.

        The last one with another owner is the last member, or, for the owner of that, the last one of another owner.
        """
        index = np.arange(len(self.members))
        last = (self._ends - 1)[self.groups]
        others = self._last_of_group(self._owners != self._owners[last])
        last = np.where(self._owners != self._owners[last], last, others)
        last = np.where(self._new, last, np.minimum(last, self._last_of_group(self._new)))
        rows = np.flatnonzero(last > index)
        return rows, last[rows] - rows

    def _last_of_group(self, marked: Bools) -> NDArray[np.intp]:
        """Return, for each member, the last marked one of its group, or -1; shape (members,)."""
        if not len(marked):
            return np.empty(0, np.intp)
        return np.maximum.reduceat(np.where(marked, np.arange(len(marked)), -1), self._starts)[self.groups]

    def pair_counts(self) -> tuple[U32, I64]:
        """Return the first member of each group, and how many pairs there are in it; shape (groups,)."""
        old = ~self._new
        counts = self._count_pairs(np.ones(len(old), np.bool_)) - self._count_pairs(old)
        return self.members[self._starts], counts

    def _count_pairs(self, chosen: Bools) -> I64:
        """Count the pairs of different owners among the chosen members of each group; shape (groups,)."""
        keys = self.groups[chosen].astype(np.uint64) << np.uint64(32) | self._owners[chosen]
        owned, sizes = np.unique(keys, return_counts=True)
        groups = len(self._starts)
        members = np.bincount(self.groups[chosen], minlength=groups)
        same = np.bincount((owned >> np.uint64(32)).astype(np.intp), sizes * (sizes - 1) // 2, groups)
        return members * (members - 1) // 2 - same.astype(np.int64)

    def edges(self) -> tuple[U32, U32]:
        """Return pairs that connect what all pairs connect; two a member at most.

        A new member has pairs with all of other owners. So have the first of these that is new, or, if none of them
        is, the first with all new ones: between them, these two reach every member that is in any pair.
        """
        first = self._first_of_group(self._new)
        others = (first >= 0) & (self._owners != self._owners[first])
        new_others = self._first_of_group(others & self._new)
        second = np.where(new_others >= 0, new_others, self._first_of_group(others))
        rest = (second >= 0) & (self._owners != self._owners[second]) & (self._new[second] | self._new)
        a = np.concatenate((first[others], second[rest]))
        b = np.concatenate((np.flatnonzero(others), np.flatnonzero(rest)))
        return self.members[a], self.members[b]

    def _first_of_group(self, marked: Bools) -> NDArray[np.intp]:
        """Return, for each member, the first marked one of its group, or -1; shape (members,)."""
        if not len(marked):
            return np.empty(0, np.intp)
        none = len(marked)
        first = np.minimum.reduceat(np.where(marked, np.arange(none), none), self._starts)
        return np.where(first < none, first, -1)[self.groups]

    def partners(self, index: int) -> U32:
        """Return the ranks that a member, given by its index, is a pair with."""
        group = slice(self._starts[self.groups[index]], self._ends[self.groups[index]])
        valid = (self._owners[group] != self._owners[index]) & (self._new[group] | self._new[index])
        partners: U32 = self.members[group][valid]
        return partners

    def owner(self, index: int) -> int:
        """Return the owner's number of a member, given by its index."""
        return int(self._owners[index])
