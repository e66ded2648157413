"""The policy: whatever the sizes of commits, runs stay few, a posting is rewritten rarely, and neighbours stay so."""

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.storage.runs import merge_policy
from fpdb.storage.state import Run

LIMIT = merge_policy.SMALLEST * merge_policy.FANOUT


@given(st.integers(0, 2**40))
def test_a_level_is_a_power_of_the_fanout(postings):
    level = merge_policy.level(postings)
    assert postings < LIMIT * merge_policy.FANOUT**level
    assert level == 0 or postings >= LIMIT * merge_policy.FANOUT ** (level - 1)


class Runs:
    """Do as Store does, in sizes alone: runs are lists of commits, and each commit's rewrites are counted."""

    def __init__(self):
        self.runs = []
        self.dead = {}
        self.sizes = []
        self.rewrites = []

    def live(self, run):
        return sum(self.sizes[commit] for commit in run)

    def listed(self):
        return [
            Run(number, self.live(run), 1, 0, run[0], run[-1], min(self.dead.get(tuple(run), 0), self.live(run)))
            for number, run in enumerate(self.runs)
        ]

    def commit(self, size, *, tidy=True):
        self.sizes.append(size)
        self.rewrites.append(0)
        sizes = [self.live(run) for run in self.runs]
        count = merge_policy.absorbed(sizes, size)
        assert 0 <= count <= len(sizes)
        if sum(sizes[len(sizes) - count :]) > merge_policy.AT_ONCE:
            count = 0
        self.runs.append([len(self.sizes) - 1])
        if count:
            self.merge(len(self.runs) - 1 - count, len(self.runs))
        if tidy:
            self.tidy()

    def merge(self, start, end):
        merged = list(chain.from_iterable(self.runs[start:end]))
        for run in self.runs[start:end]:
            dead = self.dead.pop(tuple(run), 0)
            for commit in run:
                gone = min(dead, self.sizes[commit])
                self.sizes[commit] -= gone
                dead -= gone
                self.rewrites[commit] += 1
        self.runs[start:end] = [merged] if self.live(merged) else []

    def tidy(self):
        steps = 0
        while (bounds := merge_policy.to_merge(self.listed())) is not None:
            start, end = bounds
            assert 0 <= start < end <= len(self.runs)
            run = self.listed()[start]
            assert end - start > 1 or run.dead * merge_policy.MOSTLY_DEAD >= run.postings
            self.merge(start, end)
            steps += 1
            assert steps < 100

    def check(self):
        flat = list(chain.from_iterable(self.runs))
        assert flat == sorted(flat)  # only neighbours were merged
        levels = [merge_policy.level(self.live(run)) for run in self.runs]
        assert levels == sorted(levels, reverse=True)
        assert all(levels.count(level) < merge_policy.FANOUT for level in levels)


SIZES = st.one_of(
    st.integers(1, 100),
    st.integers(1, 2**22),
    st.builds(
        lambda power, near: max(int(LIMIT * merge_policy.FANOUT**power) + near, 1),
        st.integers(-4, 6),
        st.integers(-2, 2),
    ),
)


@given(st.lists(SIZES, max_size=120))
@settings(max_examples=100, deadline=None)
def test_any_commits_leave_few_runs_in_order_of_level(sizes):
    runs = Runs()
    for size in sizes:
        runs.commit(size)
        runs.check()
    if sizes:
        top = merge_policy.level(sum(sizes))
        assert len(runs.runs) <= (merge_policy.FANOUT - 1) * (top + 1)
        for commit, rewrites in enumerate(runs.rewrites):
            # A rewrite lifts a posting a level, but for those at level 0 and a merge that stays on its level once.
            assert rewrites <= 2 * (top - merge_policy.level(sizes[commit])) + LIMIT


@given(st.lists(SIZES, max_size=60), st.lists(SIZES, max_size=150))
@settings(max_examples=100, deadline=None)
def test_bulk_loads_end_in_order_too(before, sizes):
    runs = Runs()
    for size in before:
        runs.commit(size)
    for size in sizes:
        runs.commit(size, tidy=False)
    runs.tidy()
    runs.check()


@pytest.mark.parametrize("count", [2, merge_policy.FANOUT, 13, merge_policy.WIDEST])
def test_equal_batches_of_a_bulk_load_are_rewritten_once(count):
    runs = Runs()
    for _ in range(count):
        runs.commit(2 * merge_policy.AT_ONCE, tidy=False)
    runs.tidy()
    assert runs.rewrites == [int(count >= merge_policy.FANOUT)] * count


@pytest.mark.parametrize("size", [1, 40, 600, 5_000, 200_000])
def test_postings_are_rewritten_once_a_level(size):
    """The mean write amplification of equal commits, from level 1 on, is at most the number of levels."""
    runs = Runs()
    for _ in range(1_200):
        runs.commit(size)
        runs.check()
    total = 1_200 * size
    above = max(merge_policy.level(total) - merge_policy.level(size), 0)
    # On level 0, commits are collected three at a time before they are merged: SMALLEST * FANOUT / (3 * size) times.
    collecting = LIMIT / (3 * size) if size < LIMIT else 0
    assert sum(runs.rewrites) / len(runs.rewrites) <= above + 1 + collecting


@given(st.lists(st.tuples(st.integers(1, 20_000), st.integers(0, 20_000)), min_size=1, max_size=80), st.data())
@settings(max_examples=100, deadline=None)
def test_removals_end_in_order_too(commits, data):
    runs = Runs()
    for size, dead in commits:
        runs.commit(size)
        if runs.runs and dead:
            run = tuple(data.draw(st.sampled_from(runs.runs)))
            runs.dead[run] = min(runs.dead.get(run, 0) + dead, runs.live(run))
            runs.tidy()
        runs.check()
        for run in runs.listed():
            assert run.dead * merge_policy.MOSTLY_DEAD < run.postings


@given(st.lists(SIZES, max_size=12))
def test_what_is_merged_first_is_what_the_first_run_that_swallows_any_would(sizes):
    counts = [merge_policy.absorbed(sizes[:index], size) for index, size in enumerate(sizes)]
    first = next((index for index, count in enumerate(counts) if count), None)
    bounds = merge_policy.to_merge([Run(1, size, 1, 0, 0, 0) for size in sizes])
    assert (bounds is None) if first is None else bounds is not None and bounds[0] == first - counts[first]
    assert bounds is None or bounds[1] > first
