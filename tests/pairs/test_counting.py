"""The kernel sums as defined; pairs do not depend on how they are divided; samples and common hashes are considered."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.pairs import _counting, access_path, compared_set, counting
from fpdb.pairs import options as pair_options
from tests.pairs.reference_pairs import LIMITS, OPTIONS, agree, oracle


def encode(lists):
    """Return posting lists in the form of the kernel."""
    members = [rank | compared_set.LAST * (rank == max(ranks)) for ranks in lists for rank in sorted(ranks)]
    return np.array(members, np.uint32)


def decode(members):
    ends = np.flatnonzero(members >= compared_set.LAST) + 1
    return [(each & ~compared_set.LAST).tolist() for each in np.split(members, ends)[:-1]]


@given(
    postings=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 6) | st.sampled_from([2**31 - 1, compared_set.NONE]))
    ),
    new=st.integers(0, 7),
)
def test_posting_lists_are_the_ranks_of_each_hash(postings, new):
    postings.sort(key=lambda posting: posting[0])
    mixed = [(hash_, rank < new) for hash_, rank in postings]  # ranks of either part ascend where those of it stood
    ascending = {part: iter(sorted(r for h, r in postings if (h, r < new) == part)) for part in mixed}
    ranks = [next(ascending[part]) for part in mixed]
    expected = [sorted({rank for of, rank in postings if of == hash_} - {compared_set.NONE}) for hash_ in range(4)]
    expected = [each for each in expected if each]
    hashes = np.array([hash_ for hash_, _ in [*postings, *postings[-1:]]], np.uint64)[: len(postings)]  # more behind it
    lists = _counting.posting_lists(hashes, np.array(ranks, np.uint32), new)
    assert decode(lists) == expected
    assert decode(_counting.lists_of_new(lists, new)) == [each for each in expected if each[0] < new and len(each) > 1]


def make_lists(rng):
    """Return random posting lists of a few documents."""
    count = int(rng.integers(2, 10))
    held = rng.random((rng.integers(5, 30), count)) < rng.choice([0.1, 0.3, 0.6])
    lists = [set(np.flatnonzero(row).tolist()) for row in held if row.any()]
    owners = rng.integers(0, 3, count).tolist() if rng.random() < 0.5 else []
    weights = [7.0, 5.0, 3.0, 2.0] + [1.0] * count if rng.random() < 0.5 else []
    return _Listed(count, lists, owners, weights, rng.random() < 0.5, int(rng.choice([0, 0, 0, 2, 3, 5, 8])))


class _Listed(NamedTuple):
    count: int
    lists: list[set[int]]
    owners: list[int]
    weights: list[float]
    cap_owners: bool
    max_df: int

    def df(self, ranks):
        return len({self.owners[rank] for rank in ranks} if self.owners else ranks)

    def counts(self, ranks):
        return not self.max_df or (self.df(ranks) if self.cap_owners else len(ranks)) < self.max_df

    def weight(self, lists):
        return sum(self.weights[self.df(ranks)] for ranks in lists)

    @property
    def frequencies(self):
        return _counting.Frequencies(np.array(self.owners, np.uint32), self.cap_owners)


@pytest.mark.parametrize("seed", range(4))
def test_the_survey_sums_over_the_lists(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        listed, new, cut = make_lists(rng), int(rng.integers(0, 10)), int(rng.integers(0, 30))
        weights = np.array(listed.weights)
        survey = _counting.Survey(listed.count, new, listed.max_df, weights, listed.frequencies)
        for part in listed.lists[:cut], listed.lists[cut:]:
            survey.add(encode(part))
        held = [{number for number, ranks in enumerate(listed.lists) if rank in ranks} for rank in range(listed.count)]
        counting = [
            [listed.lists[number] for number in numbers if listed.counts(listed.lists[number])] for numbers in held
        ]
        common = [
            [listed.lists[number] for number in numbers if not listed.counts(listed.lists[number])] for numbers in held
        ]
        assert survey.sizes.tolist() == list(map(len, counting))
        assert survey.paired.tolist() == [
            sum(len(each) > 1 and min(each) < new for each in lists) for lists in counting
        ]
        assert survey.common_sizes.tolist() == list(map(len, common))
        assert survey.common == sum(not listed.counts(ranks) for ranks in listed.lists)
        assert survey.totals.tolist() == (list(map(listed.weight, counting)) if listed.weights else [])
        assert survey.common_totals.tolist() == (list(map(listed.weight, common)) if listed.weights else [])
        if listed.max_df:
            signatures = survey.signatures.tolist()
            assert [signatures.index(each) for each in signatures] == [held.index(each) for each in held]
        else:
            assert not len(survey.signatures)


def make_panel(rng, count):
    """Return two ranges of ranks: that of b begins with that of a, and does not end before it, or lies behind it."""
    if rng.random() < 0.5:
        return 0, int(rng.integers(0, count + 1)), 0, count
    a_start, a_end, b_start, b_end = np.sort(rng.integers(0, count + 1, 4)).tolist()
    return (a_start, a_end, b_start, b_end) if rng.random() < 0.5 else (a_start, b_start, a_start, b_end)


@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_two_ranges_share_what_their_lists_say(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        listed = make_lists(rng)
        count, of_union = listed.count, rng.random() < 0.5
        min_shared, tenths = rng.integers(1, 3), rng.choice([0, 2, 5, 10])
        a_start, a_end, b_start, b_end = panel = make_panel(rng, count)
        sizes = rng.integers(0, 12, count).tolist()
        owners, sets = (rng.integers(0, 6, count).tolist() if rng.random() < 0.3 else [] for _ in range(2))
        lists = _counting.PanelLists(
            panel, sum(map(len, listed.lists)), listed.max_df, bool(listed.weights), listed.frequencies
        )
        for ranks in listed.lists:
            lists.add(encode([ranks]))
        lists.finish()
        expected = []
        for a, b in itertools.product(range(a_start, a_end), range(b_start, b_end)):
            shared = [ranks for ranks in listed.lists if {a, b} <= ranks and listed.counts(ranks)]
            value = listed.weight(shared) if listed.weights else len(shared)
            bound = sizes[a] + sizes[b] - value if of_union else min(sizes[a], sizes[b])
            differ = all(not values or values[a] != values[b] for values in (owners, sets))
            if a < b and differ and len(shared) >= min_shared and 10 * value >= tenths * bound:
                expected.append((a, b, len(shared), value))
        room = count + rng.integers(0, 9)
        owner_ids, set_ids = (np.array(values, np.uint32) for values in (owners, sets))
        counter = _counting.Counter(
            room, np.array(listed.weights), np.array(sizes, np.float64), owner_ids, set_ids, of_union
        )
        row, pairs = a_start, []
        while row < a_end:
            row, number = counter.count(lists, row, a_end, min_shared, tenths / 10)
            values = counter.weight if listed.weights else counter.shared
            pairs += zip(
                *(column[:number].tolist() for column in (counter.a, counter.b, counter.shared, values)), strict=True
            )
        assert sorted(pairs) == expected


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(("budget", "documents"), [(2, 12), (100, 25), (700, 40), (1 << 20, 40)])
def test_any_budget_gives_the_same(db, crowd, monkeypatch, budget, documents):
    crowd = dict(list(crowd.items())[:documents])
    for name, held in crowd.items():
        db.add_fingerprints(name, held, labels={"term": str(len(held) % 3)})
    labels = {name: {"term": str(len(held) % 3)} for name, held in crowd.items()}
    for limit in [*LIMITS, (counting, "BUDGET", budget)]:
        monkeypatch.setattr(*limit)
    for options in OPTIONS:
        agree(db, oracle({name: set(held) for name, held in crowd.items()}, (), labels, **options), **options)


def test_ranges_really_split(db, crowd, monkeypatch):
    """Any two ranges hold no more than the budget, and all pairs of ranges are counted."""
    with db.batch() as batch:
        for name, held in crowd.items():
            batch.add_fingerprints(name, held)
    monkeypatch.setattr(counting, "BUDGET", 200)
    sizes = []
    tile_lists = _counting.PanelLists

    def watched(panel, room, *arguments):
        sizes.append(room)
        return tile_lists(panel, room, *arguments)

    monkeypatch.setattr(_counting, "PanelLists", watched)
    list(db.pairs())
    assert len(sizes) > 10
    assert max(sizes) <= 400


def test_a_large_collection_has_common_hashes(db, monkeypatch):
    monkeypatch.setattr(pair_options, "SMALL", 5)
    monkeypatch.setattr(pair_options, "COMMON", 3)
    for number in range(5):
        db.add_fingerprints(f"{number}", [1, 10 + number // 2])
    assert len(list(db.pairs())) == 10
    db.add_fingerprints("5", [1])
    assert [(pair.a, pair.b, pair.containment_a) for pair in db.pairs()] == [("0", "1", 1), ("2", "3", 1)]
    assert len(list(db.pairs(max_df=0))) == 15


@pytest.mark.parametrize("cost", [0, 10**9])  # of a look-up: all hashes are looked up, or all postings scanned
def test_progress_is_told_in_nouns_of_which_an_s_makes_the_plural(db, crowd, monkeypatch, cost):
    """On a terminal, 1,234 hashs were looked up."""
    monkeypatch.setattr(access_path, "SCANNED_PER_LOOK_UP", cost)
    for name, held in crowd.items():
        db.add_fingerprints(name, held, labels={"term": "1" if len(held) % 3 else "2"})
    told = []
    assert list(db.pairs(new=("term", "2"), watch=lambda *stage: told.append(stage)))
    looked_up = ("reading", "posting" if cost else "fingerprint")
    assert {stage[:2] for stage in told} == {looked_up, ("comparing", "document")}
    assert all(stage[2] <= stage[3] for stage in told)
    assert told[-1][2] == told[-1][3]
