"""Answer section V's question about one pass: compute the sketch with p taken while reading, or from the length."""

import math

import numpy as np

from bench.papers import artificial_text, page
from bench.papers.planting import DELTA, Scheme, V, W
from fpdb.arrays import U64
from fpdb.fingerprint import hash_levels
from fpdb.fingerprint.distinct import best_s, window_threshold

REST = 20_000
PASSAGES = ((10, True), (20, True), (40, True), (80, True), (160, True), (10, False), (40, False))


def read_once(stored: U64, s: int, level: int | None) -> set[int]:
    """Read the partitions once: keep the frequent k-grams of each at the current level, and a sample of the rest.

    Args:
        stored: hashes of the document.
        s: size of the sample.
        level: decides which k-grams are frequent; None for the level of the sample, which grows while reading.
    """
    lowest = 0
    sample: dict[int, int] = {}
    frequent: set[int] = set()
    for begin in range(0, len(stored), V):
        part = np.sort(stored[begin : begin + 2 * V])
        starts = np.flatnonzero(np.append(True, part[1:] != part[:-1]))
        values, counts = part[starts], np.diff(starts, append=len(part))
        threshold = window_threshold(lowest if level is None else level, V, DELTA)
        frequent.update(values[counts >= threshold].tolist())
        rest = values[counts < threshold]
        sample |= zip(rest.tolist(), hash_levels(rest).tolist(), strict=True)
        sample = {h: item_level for h, item_level in sample.items() if item_level >= lowest and h not in frequent}
        while len(sample) > s:
            lowest += 1
            sample = {h: item_level for h, item_level in sample.items() if item_level >= lowest}
    return frequent | set(sample)


def table(trials: int) -> str:
    """Return how often a passage of low entropy is found that stands at a document's beginning, or at its end."""
    recipe = Scheme("", "distinct", {"guarantee": W, "delta": DELTA}).recipe
    rows = []
    for period, beginning in PASSAGES:
        rng = np.random.default_rng(period)
        found = np.zeros(3, np.int64)
        for _ in range(trials):
            passage = artificial_text.periodic(rng, W, period)
            first, second = ([passage, artificial_text.random(rng, REST)] for _ in range(2))
            letters = np.concatenate(first if beginning else first[::-1])
            stored = artificial_text.kgrams_of(letters, recipe).stored
            s = best_s(len(stored), V, DELTA)
            query = recipe.fingerprint(artificial_text.text_of(np.concatenate(second[::-1])), purpose="search").hashes
            own = set(artificial_text.kgrams_of(passage, recipe).stored.tolist()) & set(query.tolist())
            twice = recipe.fingerprint(artificial_text.text_of(letters)).hashes.tolist()
            sketches = (
                set(twice),
                read_once(stored, s, None),
                read_once(stored, s, math.ceil(math.log2(len(stored) / s))),
            )
            found += [bool(own & sketch) for sketch in sketches]
        place = "beginning" if beginning else "end"
        rows.append((f"{period} distinct, at the {place}", *(f"{rate:.1%}" for rate in found / trials)))
        print(*rows[-1], sep="  ", flush=True)
    return page.table(("passage", "two passes", "one, level grows", "one, level from the length"), rows)
