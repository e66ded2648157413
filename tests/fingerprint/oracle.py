"""The definitions in plain Python, near to the papers' words and slow: what the kernel must equal."""

import unicodedata

import xxhash

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


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


SCHEMES = {"winnow": winnow, "robust-winnow": robust_winnow}


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def constants(key, alphabet):
    seed = xxhash.xxh3_64_intdigest(alphabet.encode(), seed=key)
    base, spread, multiplier, store = (mix(seed + i * GOLDEN & MASK) for i in (1, 2, 3, 4))
    return base // 8 * 8 + 5, spread, multiplier | 1, store


def hash_kgrams(symbols, k, key, alphabet):
    """The hash of each k-gram from scratch, as selection compares it."""
    base, spread, multiplier, _ = constants(key, alphabet)
    hashes = []
    for i in range(len(symbols) - k + 1):
        h = 0
        for j in range(k):
            h += mix(spread + symbols[i + j] * GOLDEN & MASK) * pow(base, k - j, 2**64)
        h &= MASK
        y = (h ^ h >> 32) * multiplier & MASK
        hashes.append(y ^ y >> 32)
    return hashes


def stored(h, key, alphabet):
    return mix(h + constants(key, alphabet)[3] & MASK)


def fold(text):
    """(symbol, offset) of each letter and digit."""
    pairs = []
    for offset, character in enumerate(text):
        decomposed = unicodedata.normalize("NFKD", character)
        folded = unicodedata.normalize("NFKD", decomposed.casefold())
        pairs += [(ord(symbol), offset) for symbol in folded if symbol.isalnum()]
    return pairs


def fingerprint(text, recipe):
    """[(stored hash, position, start)] of a text."""
    rule = recipe.rules["characters"]
    pairs = fold(text)
    hashes = hash_kgrams([symbol for symbol, _ in pairs], rule.k, recipe.key, "characters")
    positions = SCHEMES[rule.scheme](hashes, rule.parameters["w"])
    return [(stored(hashes[p], recipe.key, "characters"), p, pairs[p][1]) for p in positions]
