"""The scheme distinct: a distinct sample, and the k-grams that are too frequent to be left to it.

Source: Ganguly, Veda, "A new randomized algorithm for Document Fingerprinting": III (levels, COUNTSKETCH), IV.A to
IV.D (the sketch), V (variants).

Where the paper leaves a choice, or counts characters instead of k-grams:

- Logarithms are natural. The level of a hash is the number of zeros at the end of its stored form, one less than the
  paper's. A sample of level l holds p = 2^-l of the k-grams, those of level l and above, and can be sampled again at a
  higher level: so documents are compared at the higher of their levels.
- A passage of W symbols has V = W - k + 1 k-grams. Windows and partitions are measured in k-grams, V for W, as the
  argument of IV.E needs: one of a passage's k-grams is window-frequent, or more than t are distinct.
- p is the estimate 2^-l of the first pass, where l is the level of a sample of all k-grams, frequent ones included. The
  second pass leaves these out, and may end at a lower level, which only helps. A single pass cannot tell, at the
  beginning of a document, which k-grams will be window-frequent, and misses passages of few distinct k-grams there.
- The position of a k-gram is its first occurrence; of a window-frequent one, its first occurrence in the first window
  where it is frequent; a globally frequent one has none.
"""

import math
from typing import NamedTuple

import numpy as np

from fpdb.arrays import U64, Bools, Indices, group_starts
from fpdb.fingerprint._sketch import count_sketch, estimate_counts, first_occurrences
from fpdb.fingerprint.hashing import KGrams
from fpdb.fingerprint.sampling import is_first_occurrence
from fpdb.fingerprint.selection import NO_POSITION, Selection, hash_levels, select_positions

LEVELS = 65
# COUNTSKETCH: the noise of a bucket, about sqrt(m / buckets), is an eighth of L, unless that takes too many buckets.
NOISE = 8
MIN_BITS, MAX_BITS = 8, 20


class Sketch(NamedTuple):
    """The level of the distinct sample, and the three structures of section IV, as ascending positions of k-grams."""

    level: int
    sample: Indices
    window_frequent: Indices
    globally_frequent: Indices


def select_stored(kgrams: KGrams, *, guarantee: int, s: int, delta: float, total: int, sparse: int) -> Selection:
    """Select the sketch (IV), or if `sparse` its variant of O(m / W) k-grams (V)."""
    sketch = make_sketch(kgrams, guarantee, s, delta, total)
    if sparse:
        sketch = sketch._replace(sample=thin(kgrams, sketch, guarantee - kgrams.k + 1))
    return _to_selection(kgrams, sketch)


def select_search(kgrams: KGrams, *, guarantee: int, s: int, delta: float, total: int, sparse: int) -> Selection:
    """Select the sketch too, but all distinct k-grams if `sparse`.

    The k-grams of a passage that `thin` keeps depend on what precedes the passage in its document, and on the
    document's level: two sparse sketches need not meet, nor a sparse one and a sample of a higher level.
    """
    if sparse:
        return select_positions(kgrams, np.flatnonzero(is_first_occurrence(kgrams.stored)))
    return _to_selection(kgrams, make_sketch(kgrams, guarantee, s, delta, total))


def _to_selection(kgrams: KGrams, sketch: Sketch) -> Selection:
    with_position = np.sort(np.concatenate([sketch.sample, sketch.window_frequent]))
    positions = np.append(with_position, np.full(len(sketch.globally_frequent), NO_POSITION))
    hashes = kgrams.hashes[np.append(with_position, sketch.globally_frequent)]
    return Selection(positions.astype(np.uint32), hashes, sketch.level)


def find_conflict(k: int, *, guarantee: int, **_: float) -> str | None:
    """Return what is wrong with k and parameters that are each in their range, or None."""
    return f"no passage shorter than k={k} can be found: guarantee={guarantee}" if guarantee < k else None


def make_sketch(kgrams: KGrams, guarantee: int, s: int, delta: float, total: int = 0) -> Sketch:
    """Make the sketch of section IV for passages of W symbols.

    Args:
        kgrams: The document's k-grams.
        guarantee: W. Passages are found whatever s is; but an s too small for W makes all k-grams frequent ones.
        s: Maximum size of the sample; 0 for that of `best_s`.
        delta: Probability to miss a passage.
        total: S of section V, the maximum size of the whole sketch, instead of s; 0 for none. Passages may be missed.
    """
    window = guarantee - kgrams.k + 1
    occurrences = _Occurrences(kgrams.stored, window)
    s = s or best_s(len(kgrams), window, delta)
    threshold = global_threshold(total / 2 if total else s, delta)
    globally_frequent = occurrences.find_globally_frequent(threshold, delta, kgrams.hashing.spread)
    if total:
        return _fit_total(occurrences, globally_frequent, delta, total)
    return occurrences.sketch(occurrences.level_within(s), globally_frequent, delta, s)


def best_s(kgrams: int, window: int, delta: float) -> int:
    """Return the s that balances sample and window-frequent k-grams (IV.E).

    Each is at most m p at p = sqrt(2 log(1/delta) / W), so the sketch has O(m sqrt(log(1/delta) / W)) k-grams.
    """
    return math.ceil(kgrams * min(math.sqrt(2 * math.log(1 / delta) / window), 1))


def global_threshold(s: float, delta: float) -> float:
    """Return L of IV.D, the minimum count of a globally frequent k-gram; here at least 2."""
    return max(7 * s / (16 * math.log(1 / delta)), 2.0)


def window_threshold(level: int, window: int, delta: float) -> float:
    """Return W / t of IV.D, the minimum count of a window-frequent k-gram in a partition."""
    return window * 2.0**-level / (2 * math.log(1 / delta))


def thin(kgrams: KGrams, sketch: Sketch, window: int) -> Indices:
    """Thin a sample to about one k-gram per window (V).

    Keeps the first sampled k-gram; then, of the `window` k-grams after it, the last sampled one, or if there is none
    the next one; and so on. So no passage of `window` k-grams that holds a sampled one loses all of them. All
    occurrences of a sampled k-gram take part; the first one kept counts.
    """
    is_sampled = np.zeros(len(kgrams), bool)
    is_sampled[sketch.sample] = True
    firsts = first_occurrences(kgrams.stored)
    sampled = np.flatnonzero(is_sampled[firsts])
    last_in_window = np.searchsorted(sampled, sampled + window, "right") - 1
    following = np.maximum(last_in_window, np.arange(len(sampled)) + 1).tolist()
    chain, index = [], 0
    while index < len(sampled):
        chain.append(index)
        index = following[index]
    chosen = sampled[chain]
    return chosen[np.sort(np.unique(firsts[chosen], return_index=True)[1])]


class _Occurrences:
    """The distinct k-grams of a document, and how often each occurs in its windows.

    Masks and arrays of (n,) have an element for each k-gram of the document; a distinct one is at its first occurrence.
    A run is the occurrences of a repeated k-gram in one of the document's blocks of `window` k-grams. A partition is
    two blocks: `run_count` counts the occurrences in a run and in that of the next block.
    """

    def __init__(self, hashes: U64, window: int) -> None:
        self.hashes, self.window = hashes, window
        self.levels = hash_levels(hashes)
        firsts = first_occurrences(hashes)
        self.is_first = firsts == np.arange(len(firsts), dtype=np.uint32)
        self.is_repeated = np.zeros(len(firsts), bool)
        self.is_repeated[firsts[~self.is_first]] = True
        positions = np.flatnonzero(self.is_repeated[firsts])
        pairs = np.sort(firsts[positions].astype(np.uint64) << np.uint64(32) | positions.astype(np.uint64))
        kgram, position = (pairs >> np.uint64(32)).astype(np.intp), (pairs & np.uint64(2**32 - 1)).astype(np.intp)
        block = position // window
        runs = group_starts(pairs - (position % window).astype(np.uint64))
        lengths = np.diff(runs, append=len(pairs))
        self.run_kgram, self.run_position, block = kgram[runs], position[runs], block[runs]
        continues = (self.run_kgram[1:] == self.run_kgram[:-1]) & (block[1:] == block[:-1] + 1)
        self.run_count = lengths + np.append(lengths[1:] * continues, 0)[: len(lengths)]

    def find_globally_frequent(self, threshold: float, delta: float, key: int) -> Bools:
        """First pass: return the mask of the repeated k-grams whose count, by COUNTSKETCH, reaches the threshold."""
        bits = math.ceil(math.log2(max(len(self.hashes) * (NOISE / threshold) ** 2, 1)))
        bits = min(max(bits, MIN_BITS), MAX_BITS)
        rows = math.ceil(math.log(1 / delta)) // 2 * 2 + 1
        sketch = count_sketch(self.hashes, rows, bits, key)
        mask = self.is_repeated.copy()
        mask[mask] = estimate_counts(self.hashes[mask], sketch, bits, key) >= threshold
        return mask

    def find_window_frequent(self, level: int, delta: float) -> tuple[Bools, Indices, Indices]:
        """Second pass: return the window-frequent k-grams, as a mask and as indices, and the position of each."""
        threshold = window_threshold(level, self.window, delta)
        if threshold <= 1:
            kgrams = np.flatnonzero(self.is_first)
            return self.is_first, kgrams, kgrams
        runs = np.flatnonzero(self.run_count >= threshold)
        runs = runs[group_starts(self.run_kgram[runs])]
        mask = np.zeros(len(self.is_first), bool)
        mask[self.run_kgram[runs]] = True
        return mask, self.run_kgram[runs], self.run_position[runs]

    def level_within(self, s: int, excluded: Bools | None = None) -> int:
        """Return the level of a sample of at most s: the lowest level is dropped while there are more."""
        levels = self.levels[self.is_first if excluded is None else self.is_first & ~excluded]
        level = 0
        while len(levels) > s:
            level += 1
            levels = levels[levels >= level]
        return level

    def sample(self, level: int, excluded: Bools) -> Indices:
        """Return the distinct sample of a level, of the k-grams that are not excluded."""
        return np.flatnonzero(self.is_first & ~excluded & (self.levels >= level))

    def sketch(self, estimate: int, globally_frequent: Bools, delta: float, s: int) -> Sketch:
        """Return the sketch with a sample of at most s, where p is 2^-estimate."""
        is_frequent, kgrams, positions = self.find_window_frequent(estimate, delta)
        excluded = is_frequent | globally_frequent
        level = self.level_within(s, excluded)
        window_frequent = np.sort(positions[~globally_frequent[kgrams]])
        return Sketch(level, self.sample(level, excluded), window_frequent, np.flatnonzero(globally_frequent))


def _fit_total(occurrences: _Occurrences, globally_frequent: Bools, delta: float, total: int) -> Sketch:
    """Return a sketch of at most `total` k-grams (V).

    Takes the lowest level at which sample and frequent k-grams fit together. If none does, so small a sketch gives no
    guarantee: half of it goes to the k-grams most frequent in a window.
    """
    for level in range(LEVELS):
        is_frequent, _, _ = occurrences.find_window_frequent(level, delta)
        frequent = int(np.count_nonzero(is_frequent | globally_frequent))
        if frequent > total:
            break
        sketch = occurrences.sketch(level, globally_frequent, delta, total - frequent)
        if sketch.level <= level:
            return sketch
    peaks = np.zeros(len(occurrences.hashes), np.int64)
    np.maximum.at(peaks, occurrences.run_kgram, occurrences.run_count)
    repeated = np.flatnonzero(peaks > 1)
    order = np.lexsort((occurrences.hashes[repeated], -peaks[repeated]))
    most_frequent = repeated[order][: total // 2]
    excluded = np.zeros(len(peaks), bool)
    excluded[most_frequent] = True
    level = occurrences.level_within(total - len(most_frequent), excluded)
    return Sketch(level, occurrences.sample(level, excluded), np.sort(most_frequent), most_frequent[:0])
