"""DuplicateGroups: their pairs are those of the definition, and what takes their place connects and counts the same."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.pairs import duplicates
from fpdb.pairs.duplicates import DuplicateGroups
from fpdb.pairs.union_find import connect


class Compared(NamedTuple):
    """The parts of a `ComparedSet` that finding copies needs."""

    owners: np.ndarray
    new: int
    name_order: np.ndarray

    def __len__(self):
        return len(self.name_order)


def groups_of(signatures, owners, new, order):
    """Return the groups of documents with these signatures; `order` is their place by name."""
    corpus = Compared(np.array(owners, np.uint32), new, np.array(order, np.uint32))
    sizes = np.ones(len(order), np.uint32)
    return DuplicateGroups.find(corpus, np.arange(len(order)), sizes, np.array(signatures, np.uint64))


@st.composite
def collections(draw):
    count = draw(st.integers(0, 12))
    signatures = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    owners = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count) | st.just([]))
    return signatures, owners, draw(st.integers(0, count)), draw(st.permutations(range(count)))


def plain_pairs(signatures, owners, new, order):
    """Pairs of equal signatures, different owners, of which one is new; a before b by name; sorted by name."""
    ranks = sorted(range(len(order)), key=order.__getitem__)
    return [
        (a, b)
        for place, a in enumerate(ranks)
        for b in ranks[place + 1 :]
        if signatures[a] == signatures[b] and (not owners or owners[a] != owners[b]) and min(a, b) < new
    ]


def components(count, pairs):
    roots = np.arange(count, dtype=np.uint32)
    a, b = (np.array(side, np.uint32) for side in (zip(*pairs, strict=True) if pairs else ((), ())))
    connect(roots, a, b)
    return roots.tolist()


@given(collections(), st.integers(1, 5), st.integers(1, 9))
def test_pairs_counts_and_edges_are_those_of_the_definition(collection, top, room):
    signatures, _, _, order = collection
    groups = groups_of(*collection)
    expected = plain_pairs(*collection)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "ROOM", room)
        found = [pair for a, b in groups.pairs() for pair in zip(a.tolist(), b.tolist(), strict=True)]
        first = [pair for a, b in groups.pairs(top) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    assert sorted(found) == sorted(expected)
    for signature in set(signatures):
        own = [pair for pair in expected if signatures[pair[0]] == signature]
        assert [pair for pair in first if signatures[pair[0]] == signature][:top] == own[:top]
    ranks, counts = groups.pair_counts()
    told = {signatures[rank]: count for rank, count in zip(ranks.tolist(), counts.tolist(), strict=True)}
    assert told == {
        signature: sum(signatures[a] == signature for a, _ in expected)
        for signature in set(signatures)
        if signatures.count(signature) > 1
    }
    a, b = groups.edges()
    edges = list(zip(a.tolist(), b.tolist(), strict=True))
    assert {tuple(sorted(edge)) for edge in edges} <= {tuple(sorted(pair)) for pair in expected}
    assert components(len(order), edges) == components(len(order), expected)
    assert len(edges) <= 2 * len(order)
    for index, rank in enumerate(groups.members.tolist()):
        partners = sorted({a + b - rank for a, b in expected if rank in (a, b)})
        assert sorted(groups.partners(index).tolist()) == partners


@pytest.mark.parametrize("owners", [[], list(range(200_000)), [0] * 199_999 + [1]])
def test_many_copies_take_no_room_for_their_pairs(owners):
    count = 200_000  # 20 billion pairs
    groups = groups_of([7] * count, owners, count, range(count))
    assert sum(len(a) for a, _ in groups.pairs(10)) < 10 * duplicates.ROOM
    pairs = count - 1 if owners[:1] == [0] and owners[1] == 0 else count * (count - 1) // 2
    assert groups.pair_counts()[1].tolist() == [pairs]
    assert len(groups.edges()[0]) <= 2 * count
