"""The scheme distinct: a distinct sample, and what is too frequent to be left to it.

Ganguly, Veda, "A new randomized algorithm for Document Fingerprinting": III (levels, COUNTSKETCH), IV.A to IV.D, V.

Where the paper leaves it open, or counts characters for k-grams:
- Logarithms are natural ones. A hash's level is the number of zeros at the end of its stored form, one less than the
  paper's. So a sample of level l holds the k-grams of level l and above: p = 2^-l of them. Whoever holds stored
  hashes can sample them at a higher level, and so compare documents at the higher of their levels.
- A passage of W symbols has V = W - k + 1 k-grams. Windows and partitions are measured in k-grams, V for W, which is
  what the argument of IV.E needs: either one of a passage's k-grams is window-frequent, or more than t are distinct.
- p is the first pass's estimate: 2^-l where l is the level that a sample of all k-grams, the frequent ones included,
  would come to. The second pass leaves those out, and may end at a lower level, which only helps.
- A k-gram's place is its first occurrence; that of a window-frequent one its first occurrence in the first window where
  it is frequent; a globally frequent one has none.
- The first pass is needed for p alone. A single pass whose level grows as it reads does not see, at a document's
  beginning, which k-grams will count as window-frequent in the end, and misses passages of few distinct ones there.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint import _kernel
from fpdb.fingerprint.hashing import KGrams
from fpdb.fingerprint.sampling import find_distinct
from fpdb.fingerprint.selection import NO_POSITION, Selection, pick

Indices = NDArray[np.intp]

MOST_LEVELS = 65
# COUNTSKETCH: a bucket's noise, about sqrt(m / buckets), is an eighth of L, unless that takes too many buckets.
NOISE = 8
LEAST_BITS, MOST_BITS = 8, 20


class Sketch(NamedTuple):
    """The three structures of IV, as positions of k-grams, in ascending order.

    sample: the distinct sample. frequent: the window-frequent k-grams. everywhere: the globally frequent ones.
    """

    level: int
    sample: Indices
    frequent: Indices
    everywhere: Indices

    @property
    def size(self) -> int:
        """How many k-grams it holds."""
        return len(self.sample) + len(self.frequent) + len(self.everywhere)


def select_stored(kgrams: KGrams, *, guarantee: int, s: int, delta: float, total: int, sparse: int) -> Selection:
    """What is stored: the sketch, or with `sparse` section V's variant of it, of O(m / W) k-grams."""
    sketch = make_sketch(kgrams, guarantee, s, delta, total)
    if sparse:
        sketch = sketch._replace(sample=thin(kgrams, sketch, guarantee - kgrams.k + 1))
    return _combine(kgrams, sketch)


def select_search(kgrams: KGrams, *, guarantee: int, s: int, delta: float, total: int, sparse: int) -> Selection:
    """What a search looks up: the sketch too, but every distinct k-gram for `sparse`.

    Which one of a passage's k-grams `thin` has kept hangs on what precedes the passage in the document, and on that
    document's level: two sparse sketches need not meet, nor a sparse one and a sample of a higher level.
    """
    if sparse:
        return pick(kgrams, np.flatnonzero(find_distinct(kgrams.stored)))
    return _combine(kgrams, make_sketch(kgrams, guarantee, s, delta, total))


def refuse(k: int, *, guarantee: int, **_: float) -> str | None:
    """What is wrong with a recipe's numbers."""
    return f"no passage shorter than k={k} can be found: guarantee={guarantee}" if guarantee < k else None


def levels_of(stored: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """The level of each stored hash: how many zeros it ends with; 64 for 0."""
    return _kernel.trailing_zeros(stored)


def make_sketch(kgrams: KGrams, guarantee: int, s: int, delta: float, total: int = 0) -> Sketch:
    """Section IV's sketch for passages of W = `guarantee` symbols: a sample of at most s, and the frequent k-grams.

    s: 0 for the one that `best_s` says. total: section V's S, the size of the whole sketch, which then never exceeds
    it; s does not matter. There may be no guarantee then; with s there always is one, but an s that is too small for
    W makes every k-gram a frequent one.
    """
    window = guarantee - kgrams.k + 1
    items = _Items(kgrams.stored, window)
    s = s or best_s(len(kgrams), window, delta)
    nominal = total / 2 if total else s
    everywhere = items.find_everywhere(least_everywhere(nominal, delta), delta, kgrams.hashing.spread)
    if total:
        return _split(items, everywhere, delta, total)
    return items.sketch(items.level_within(s), everywhere, delta, s)


def best_s(kgrams: int, window: int, delta: float) -> int:
    """The s that balances sample and window-frequent k-grams, each at most m p at p = sqrt(2 log(1/delta) / W).

    So the sketch has O(m sqrt(log(1/delta) / W)) k-grams, the bound of IV.E.
    """
    return math.ceil(kgrams * min(math.sqrt(2 * math.log(1 / delta) / window), 1))


def least_everywhere(s: float, delta: float) -> float:
    """L of IV.D: how often a globally frequent k-gram occurs at least; here never less than twice."""
    return max(7 * s / (16 * math.log(1 / delta)), 2.0)


def least_in_window(level: int, window: int, delta: float) -> float:
    """W / t of IV.D: how often a window-frequent k-gram occurs at least in a partition."""
    return window * 2.0**-level / (2 * math.log(1 / delta))


def thin(kgrams: KGrams, sketch: Sketch, window: int) -> Indices:
    """Section V: of the sampled k-grams the first; then, of the `window` k-grams after it, the last one; and so on.

    Where there is none, the next. So no passage of `window` k-grams that holds a sampled one is left without any.
    Every occurrence of a sampled k-gram counts; its first choice is kept.
    """
    sampled = np.zeros(len(kgrams), bool)
    sampled[sketch.sample] = True
    firsts = _kernel.first_occurrences(kgrams.stored)
    places = np.flatnonzero(sampled[firsts])
    last = np.searchsorted(places, places + window, "right") - 1
    following = np.maximum(last, np.arange(len(places)) + 1).tolist()
    chain, at = [], 0
    while at < len(places):
        chain.append(at)
        at = following[at]
    chosen = places[chain]
    return chosen[np.sort(np.unique(firsts[chosen], return_index=True)[1])]


class _Items:
    """A document's distinct k-grams, and how often each occurs in the windows of the document.

    Masks, and arrays of (n,), run along the document's k-grams, and count where `distinct`, at first occurrences.
    A run is the occurrences of a repeated k-gram in one of the document's blocks of `window` k-grams; a partition is
    two blocks, so a run and the next block's, if there is one, are what a partition holds of a k-gram.
    """

    def __init__(self, hashes: NDArray[np.uint64], window: int) -> None:
        self.hashes, self.window = hashes, window
        self.levels = levels_of(hashes)
        firsts = _kernel.first_occurrences(hashes)
        self.distinct = np.equal(firsts, np.arange(len(firsts), dtype=np.uint32))
        self.repeated = np.zeros(len(firsts), bool)
        self.repeated[firsts[~self.distinct]] = True
        places = np.flatnonzero(self.repeated[firsts])
        pairs = np.sort(firsts[places].astype(np.uint64) << np.uint64(32) | places.astype(np.uint64))
        item, place = (pairs >> np.uint64(32)).astype(np.intp), (pairs & np.uint64(2**32 - 1)).astype(np.intp)
        block = place // window
        runs = np.flatnonzero(_changes(item) | _changes(block))
        lengths = np.diff(runs, append=len(pairs))
        self.run_item, self.run_place, block = item[runs], place[runs], block[runs]
        follows = (self.run_item[1:] == self.run_item[:-1]) & (block[1:] == block[:-1] + 1)
        self.run_count = lengths + np.append(lengths[1:] * follows, 0)[: len(lengths)]

    def find_everywhere(self, often: float, delta: float, key: int) -> NDArray[np.bool]:
        """First pass: the mask of those that occur `often`, as COUNTSKETCH estimates. Only repeated ones can."""
        bits = math.ceil(math.log2(max(len(self.hashes) * (NOISE / often) ** 2, 1)))
        bits = min(max(bits, LEAST_BITS), MOST_BITS)
        rows = math.ceil(math.log(1 / delta)) // 2 * 2 + 1
        sketch = _kernel.count_sketch(self.hashes, rows, bits, key)
        mask = self.repeated.copy()
        mask[mask] = _kernel.estimate_counts(self.hashes[mask], sketch, bits, key) >= often
        return mask

    def find_frequent(self, level: int, delta: float) -> tuple[NDArray[np.bool], Indices, Indices]:
        """Second pass: the mask of those that are frequent in a window, themselves, and the place of each there."""
        often = least_in_window(level, self.window, delta)
        if often <= 1:
            items = np.flatnonzero(self.distinct)
            return self.distinct, items, items
        runs = np.flatnonzero(self.run_count >= often)
        runs = runs[_changes(self.run_item[runs])]
        mask = np.zeros(len(self.distinct), bool)
        mask[self.run_item[runs]] = True
        return mask, self.run_item[runs], self.run_place[runs]

    def level_within(self, s: int, left_out: NDArray[np.bool] | None = None) -> int:
        """The level that a sample of at most s comes to: the lowest is dropped whenever there are more."""
        held = self.levels[self.distinct if left_out is None else self.distinct & ~left_out]
        level = 0
        while len(held) > s:
            level += 1
            held = held[held >= level]
        return level

    def sample(self, level: int, left_out: NDArray[np.bool]) -> Indices:
        """The distinct sample of the others, at a level."""
        return np.flatnonzero(self.distinct & ~left_out & (self.levels >= level))

    def sketch(self, estimate: int, everywhere: NDArray[np.bool], delta: float, s: int) -> Sketch:
        """The sketch whose sample has at most s, p being 2^-estimate."""
        frequent, items, places = self.find_frequent(estimate, delta)
        left_out = frequent | everywhere
        level = self.level_within(s, left_out)
        return Sketch(
            level, self.sample(level, left_out), np.sort(places[~everywhere[items]]), np.flatnonzero(everywhere)
        )


def _split(items: _Items, everywhere: NDArray[np.bool], delta: float, total: int) -> Sketch:
    """Section V: at most `total` k-grams, whichever structure holds them.

    The lowest level at which sample and frequent k-grams fit together, the sample getting what these leave. If none
    does, there is no guarantee for so little: half of it goes to those that are most frequent in a window.
    """
    for level in range(MOST_LEVELS):
        frequent, _, _ = items.find_frequent(level, delta)
        fixed = int(np.count_nonzero(frequent | everywhere))
        if fixed > total:
            break
        sketch = items.sketch(level, everywhere, delta, total - fixed)
        if sketch.level <= level:
            return sketch
    peaks = np.zeros(len(items.hashes), np.int64)
    np.maximum.at(peaks, items.run_item, items.run_count)
    repeated = np.flatnonzero(peaks > 1)
    kept = repeated[np.lexsort((items.hashes[repeated], -peaks[repeated]))][: total // 2]
    left_out = np.zeros(len(peaks), bool)
    left_out[kept] = True
    level = items.level_within(total - len(kept), left_out)
    return Sketch(level, items.sample(level, left_out), np.sort(kept), kept[:0])


def _changes(values: NDArray[np.intp]) -> NDArray[np.bool]:
    """Where a value differs from the one before; the first one does."""
    return np.not_equal(np.diff(values, prepend=values[:1] - 1), 0)


def _combine(kgrams: KGrams, sketch: Sketch) -> Selection:
    places = np.sort(np.concatenate([sketch.sample, sketch.frequent]))
    positions = np.append(places, np.full(len(sketch.everywhere), NO_POSITION))
    return Selection(
        positions.astype(np.uint32), kgrams.hashes[np.append(places, sketch.everywhere)], level=sketch.level
    )
