"""The definitions in plain Python, near to the papers' words and slow: what the kernel and the schemes must equal."""

import math
import unicodedata
from collections import Counter
from functools import cache
from operator import mul
from pathlib import Path

import xxhash

from fpdb import readers

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
NO_POSITION = 2**32 - 1


class Document:
    """A document's symbols, with where each comes from, and its k-grams' hashes."""

    def __init__(self, symbols, k, key=1, alphabet="characters", bits=64, offsets=None):
        self.symbols, self.k, self.key, self.alphabet = list(symbols), k, key, alphabet
        self.offsets = list(range(len(self.symbols))) if offsets is None else offsets
        self.hashes = hash_kgrams(self.symbols, k, key, alphabet)
        self.stored = [stored(h, key, alphabet) >> 64 - bits for h in self.hashes]

    def hashes_of(self, length):
        return hash_kgrams(self.symbols, length, self.key, self.alphabet)

    @property
    def constants(self):
        return constants(self.key, self.alphabet)


# --- Winnowing ---


def windows(hashes, w):
    """(first, last + 1) of each window; fewer than w hashes are one window."""
    if not len(hashes):
        return []
    w = min(w, len(hashes))
    return [(i, i + w) for i in range(len(hashes) - w + 1)]


def rightmost_minimum(hashes, first, end):
    least = min(hashes[first:end])
    return max(i for i in range(first, end) if hashes[i] == least)


def winnow(hashes, w):
    """Definition 1."""
    selected = {rightmost_minimum(hashes, first, end) for first, end in windows(hashes, w)}
    return sorted(selected)


def robust_winnow(hashes, w):
    """Definition 3."""
    selected, last = [], None
    for first, end in windows(hashes, w):
        can_keep = last is not None and first <= last and hashes[last] == min(hashes[first:end])
        if not can_keep:
            last = rightmost_minimum(hashes, first, end)
            selected.append(last)
    return selected


WINNOWING = {"winnow": winnow, "robust-winnow": robust_winnow}


def open_closed(t_gram, s_grams):
    """Return the open-closed order of a t-gram: its smallest s-gram is in the middle, at an end, or elsewhere."""
    least = min(s_grams)
    if s_grams[(len(s_grams) - 1) // 2] == least:
        return 0, t_gram
    return 1 if least in (s_grams[0], s_grams[-1]) else 2, t_gram


def mod_winnow(document, w, r, s):
    """Select by the mod-minimizer: in w + k - 1 symbols the smallest t-gram, at x, selects the k-gram at x mod w.

    If there are several such t-grams, the one counts whose k-gram has the least hash; if there are several of those,
    the k-gram that the window to the left selected, or else the rightmost. In a document of fewer than w k-grams, those
    t-grams count that select one of them.
    """
    k, hashes = document.k, document.hashes
    t = min(t for t in range(1, k + 1) if t >= min(r, k) and (k - t) % w == 0)
    inner = document.hashes_of(t)
    if s:
        s = min(s, t)
        shortest = document.hashes_of(s)
        inner = [open_closed(inner[x] >> 2, shortest[x : x + t - s + 1]) for x in range(len(inner))]
    selected, last = [], None
    for first, end in windows(hashes, w):
        span = [x for x in range(first, end + k - t) if first + (x - first) % w < end]
        least = min(inner[x] for x in span)
        candidates = {first + (x - first) % w for x in span if inner[x] == least}
        least = min(hashes[i] for i in candidates)
        candidates = {i for i in candidates if hashes[i] == least}
        if last not in candidates:
            last = max(candidates)
            selected.append(last)
    return selected


# --- Divisible hashes ---


def mod(document, p):
    return [i for i, h in enumerate(document.hashes) if h % p == 0]


def safe_mod(document, w, p):
    """3.1.2: Good and Bad; fewer than w hashes are one window, of which the last can be Bad."""
    p = p or (max(round(w / math.log(w)), 1) if w > 1 else 1)
    good = [h % p == 0 for h in document.hashes]
    bad = {end - 1 for first, end in windows(document.hashes, w) if not any(good[first:end])}
    return [i for i in range(len(good)) if good[i] or i in bad]


# --- Whole documents ---


def first_places(values, begin=0):
    places = {}
    for i in range(begin, len(values)):
        places.setdefault(values[i], i)
    return places


def smallest(document, n):
    places = first_places(document.stored)
    return sorted(places[h] for h in sorted(places)[:n])


def full(document):
    return list(range(len(document.hashes)))


def draw(document, number, seed):
    digest = xxhash.xxh3_64_intdigest(symbol_bytes(document.symbols), seed=seed)
    ranks = [mix((i * GOLDEN & MASK) + digest & MASK) for i in range(len(document.hashes))]
    return sorted(sorted(range(len(ranks)), key=ranks.__getitem__)[:number])


def symbol_bytes(symbols):
    width = 1 if all(symbol < 256 for symbol in symbols) else 4
    return b"".join(symbol.to_bytes(width, "little") for symbol in symbols)


def koala(document, number, stored, skip):
    """Return the `number` rarest distinct k-grams, the rarest first."""
    begin = sum(offset < skip for offset in document.offsets)
    if len(document.hashes) - begin < stored:
        begin = 0
    letters = min(5, document.k)
    beginnings = [tuple(document.symbols[i : i + letters]) for i in range(len(document.symbols) - letters + 1)]
    counts = Counter(beginnings[begin:])
    places = first_places(document.hashes, begin)
    return [places[h] for h in sorted(places, key=lambda h: (counts[beginnings[places[h]]], h))][:number]


def koala_stored(document, search, stored, skip, rotation=0):
    ranked = koala(document, search, stored, skip)
    if rotation:
        spread = document.constants[1]
        ranked.sort(key=lambda i: mix(document.hashes[i] + spread + rotation * GOLDEN & MASK))
    return sorted(ranked[:stored])


# --- Distinct samples ---


def level_of(h):
    return 64 if h == 0 else (h & -h).bit_length() - 1


def sample(hashes, s, left_out=frozenset()):
    """III.A: the lowest level is dropped whenever more than s are held. Returns the level and what is held."""
    level, held = 0, set()
    for h in hashes:
        if h not in left_out and level_of(h) >= level:
            held.add(h)
        while len(held) > s:
            level += 1
            held = {h for h in held if level_of(h) >= level}
    return level, held


def sketch_places(h, rows, bits, key):
    """III.C: the bucket of a hash in each row, and its sign there."""
    for row in range(rows):
        x = mix(h + key + (row + 1) * GOLDEN & MASK)
        yield x >> 64 - bits, 1 - 2 * (x & 1)


def count_sketch(hashes, rows, bits, key):
    """III.C: the sums of signs, by bucket, of each row."""
    sketch = [Counter() for _ in range(rows)]
    for h in hashes:
        for row, (bucket, sign) in zip(sketch, sketch_places(h, rows, bits, key), strict=True):
            row[bucket] += sign
    return sketch


def estimate(h, sketch, bits, key):
    """III.C: the median of the rows' estimates of the count of a hash."""
    places = zip(sketch, sketch_places(h, len(sketch), bits, key), strict=True)
    return sorted(row[bucket] * sign for row, (bucket, sign) in places)[len(sketch) // 2]


def globally_frequent(hashes, often, delta, key):
    """IV.D: the hashes that occur `often`, by their estimates, and more than once."""
    rows = math.ceil(math.log(1 / delta)) // 2 * 2 + 1
    bits = min(max(math.ceil(math.log2(max(len(hashes) * (8 / often) ** 2, 1))), 8), 20)
    sketch, counts = count_sketch(hashes, rows, bits, key), Counter(hashes)
    return {h for h in counts if counts[h] > 1 and estimate(h, sketch, bits, key) >= often}


def window_frequent(hashes, window, often):
    """IV.D: {hash: its first place in the first of the partitions where it is frequent}."""
    found = {}
    for begin in range(0, max(len(hashes), 1), window):
        partition = hashes[begin : begin + 2 * window]
        places = first_places(partition)
        for h, count in Counter(partition).items():
            if count >= often:
                found.setdefault(h, begin + places[h])
    return found


def distinct(document, guarantee, s, delta, total=0, sparse=0):
    """IV, as (position, k-gram) pairs; total is not transcribed."""
    assert not total
    hashes, window = document.stored, guarantee - document.k + 1
    s = s or math.ceil(len(hashes) * min(math.sqrt(2 * math.log(1 / delta) / window), 1))
    everywhere = globally_frequent(hashes, max(7 * s / (16 * math.log(1 / delta)), 2), delta, document.constants[1])
    p = 2.0 ** -sample(hashes, s)[0]
    t = 2 / p * math.log(1 / delta)
    frequent = window_frequent(hashes, window, window / t)
    level, held = sample(hashes, s, everywhere | set(frequent))
    places = first_places(hashes)
    kept = {h: places[h] for h in held}
    if sparse:
        kept = thin(hashes, held, window)
    kept |= {h: place for h, place in frequent.items() if h not in everywhere}
    return level, sorted([(i, i) for i in kept.values()] + [(NO_POSITION, places[h]) for h in everywhere])


def thin(hashes, held, window):
    """V: the first sampled k-gram; of the `window` after it the last sampled one, or else the next; and so on."""
    kept, at = {}, next((i for i in range(len(hashes)) if hashes[i] in held), None)
    while at is not None:
        kept.setdefault(hashes[at], at)
        near = [i for i in range(at + 1, min(at + window + 1, len(hashes))) if hashes[i] in held]
        at = near[-1] if near else next((i for i in range(at + 1, len(hashes)) if hashes[i] in held), None)
    return kept


def select(document, scheme, parameters, purpose="store", rotation=0):
    """(level, [(position, k-gram)]) of a scheme, in order of position."""
    parameters = dict(parameters)
    if scheme == "distinct" and purpose == "search" and parameters["sparse"]:
        return 0, [(i, i) for i in sorted(first_places(document.stored).values())]
    if scheme == "distinct":
        return distinct(document, **parameters)
    if scheme in WINNOWING:
        chosen = WINNOWING[scheme](document.hashes, **parameters)
    elif scheme == "random":
        _, spread, _, store = document.constants
        chosen = draw(
            document, *((parameters["stored"], store) if purpose == "store" else (parameters["search"], spread))
        )
    elif scheme == "koala" and purpose == "search":
        chosen = sorted(koala(document, parameters["search"], parameters["stored"], parameters["skip"]))
    elif scheme == "koala":
        chosen = koala_stored(document, **parameters, rotation=rotation)
    else:
        plain = {"mod-winnow": mod_winnow, "mod": mod, "safe-mod": safe_mod, "smallest": smallest, "full": full}
        chosen = plain[scheme](document, **parameters)
    return 0, [(i, i) for i in chosen]


# --- Hashing and folding ---


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


@cache
def constants(key, alphabet):
    seed = xxhash.xxh3_64_intdigest(alphabet.encode(), seed=key)
    base, spread, multiplier, store = (mix(seed + i * GOLDEN & MASK) for i in (1, 2, 3, 4))
    return base // 8 * 8 + 5, spread, multiplier | 1, store


def hash_kgrams(symbols, k, key, alphabet):
    """Hash each k-gram from scratch, as selection compares it."""
    base, spread, multiplier, _ = constants(key, alphabet)
    powers = [pow(base, k - j, 2**64) for j in range(k)]
    spreads = [mix(spread + symbol * GOLDEN & MASK) for symbol in symbols]
    hashes = []
    for i in range(len(symbols) - k + 1):
        h = sum(map(mul, spreads[i : i + k], powers)) & MASK
        y = (h ^ h >> 32) * multiplier & MASK
        hashes.append(y ^ y >> 32)
    return hashes


def stored(h, key, alphabet):
    return mix(h + constants(key, alphabet)[3] & MASK)


def fold(text, version=2):
    """(symbol, offset) of each letter and digit."""
    pairs = []
    for offset, character in enumerate(text):
        decomposed = unicodedata.normalize("NFKD", character)
        folded = unicodedata.normalize("NFKD", decomposed.casefold())
        symbols = [symbol for symbol in folded if symbol.isalnum()]
        if version == 2 and character in LOOKS:
            symbols = LOOKS[character]
        elif version == 2:
            symbols = "".join(LOOKS.get(symbol, symbol) for symbol in symbols)
        pairs += [(ord(symbol), offset) for symbol in symbols]
    return pairs


def read_looks():
    """Return what each character and symbol of the table looks like."""
    table = (Path(readers.__file__).parent / "lookalikes.txt").read_text("utf-8")
    lines = [line.split() for line in table.splitlines() if line[0] != "#"]
    return {character: "" if look == "-" else look for look, characters in lines for character in characters}


LOOKS = read_looks()


def fold_consonants(text, version=2):
    """Fold a text, and drop vowels and digits."""
    pairs = fold(text, version)
    return [(symbol, offset) for symbol, offset in pairs if chr(symbol).isalpha() and chr(symbol) not in "aeiou"]


def read(text, recipe):
    """Return a text as a document, and its rule, under a recipe."""
    ((alphabet, rule),) = [item for item in recipe.rules.items() if item[0] != "tokens"]
    pairs = (fold if alphabet == "characters" else fold_consonants)(text, recipe.reader_version)
    symbols, offsets = [symbol for symbol, _ in pairs], [offset for _, offset in pairs]
    return Document(symbols, rule.k, recipe.key, alphabet, recipe.hash_bits, offsets), rule


def fingerprint(text, recipe, purpose="store", rotation=0):
    """Return [(stored hash, position, start)] of a text."""
    document, rule = read(text, recipe)
    _, selected = select(document, rule.scheme, rule.parameters, purpose, rotation)
    return [
        (document.stored[i], position, document.offsets[position])
        if position != NO_POSITION and (recipe.positions or purpose == "search")
        else (document.stored[i], NO_POSITION, -1)
        for position, i in selected
    ]
