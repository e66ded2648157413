"""Decide which runs are merged when, from sizes alone.

Runs stand in order of document ids, oldest first, and only neighbours are merged, so that order lasts. A run's level is
the power of FANOUT it has reached. A new run swallows the smaller runs just before it, and FANOUT runs of a level
become one of the next: levels never rise from one run to the next, a level has fewer than FANOUT runs, and a posting
is rewritten once a level. P. O'Neil et al., "The log-structured merge-tree", Acta Informatica 33, 1996.
"""

from collections.abc import Sequence

from fpdb.storage.state import Run

FANOUT_BITS = 2
FANOUT = 1 << FANOUT_BITS
SMALLEST = 512  # postings: about a block
AT_ONCE = 1 << 20  # postings that a commit may rewrite beside its own
WIDEST = 16  # runs that are merged at once: more take more room on disk meanwhile, and longer to choose from
MOSTLY_DEAD = 3  # a run is rewritten when a third of it is dead


def level(postings: int) -> int:
    """Return 0 for a run below SMALLEST * FANOUT postings, and 1 more for each further power of FANOUT."""
    return ((postings // (SMALLEST * FANOUT)).bit_length() + FANOUT_BITS - 1) // FANOUT_BITS


def absorbed(sizes: Sequence[int], new: int) -> int:
    """Return how many of the last runs, of these sizes in postings, are merged with a new run of `new` postings."""
    count, total = 0, new
    while True:
        start = len(sizes) - count
        height = level(total)
        end = start
        while end and level(sizes[end - 1]) < height:
            end -= 1
        same_level = end
        while same_level and level(sizes[same_level - 1]) == height:
            same_level -= 1
        if end - same_level >= FANOUT - 1:
            end = same_level
        if end == start:
            return count
        count = len(sizes) - end
        total = new + sum(sizes[end:])


def to_merge(runs: Sequence[Run]) -> tuple[int, int] | None:
    """Return the neighbours [start, end) to merge next, or None; a single run where much of it is dead.

    runs: all of ordinary documents, or all of boilerplate.
    """
    for index, run in enumerate(runs):
        if run.dead and run.dead * MOSTLY_DEAD >= run.postings:
            return index, index + 1
    sizes = [run.postings for run in runs]
    levels = list(map(level, sizes))
    for end in range(2, len(levels) + 1):
        if levels[end - 1] > levels[end - 2] or (end >= FANOUT and levels[end - FANOUT] == levels[end - 1]):
            # Where commits were not each followed by merges, as in a bulk load, there are more of the same level.
            start = end - 1 - absorbed(sizes[: end - 1], sizes[end - 1])
            lowest = min(levels[start:end])
            while end < min(len(sizes), start + WIDEST) and levels[end] >= lowest:
                end += 1
            return start, end
    return None
