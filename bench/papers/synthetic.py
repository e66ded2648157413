"""Repeat the winnowing paper's experiments on made-up text: random (5.1, 3.1.1, 3.1.2) and of low entropy (5.1)."""

from collections.abc import Iterator

import numpy as np

from bench.papers.page import table
from bench.papers.runs import MOD, SAME, SELECTORS, K, P, Selector, Tally, W
from fpdb.arrays import U8
from fpdb.fingerprint import DEFAULT_KEY
from fpdb.fingerprint.hashing import KGrams, derive

KEYS = 20
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz0123456789", np.uint8)
BINS = 2**16
PAPER = {"winnow": "0.019902", MOD: "0.020005"}
DIVISORS = (10, 15, 22, 30, 40, P)


def random_text(size: int) -> list[str]:
    """Return tables of densities, uniformity of the hashes, windows missed by 0 mod p, and safe-mod's divisors."""
    symbols = LETTERS[np.random.default_rng(1).integers(0, len(LETTERS), size)]
    keyed = [kgrams_of(symbols, DEFAULT_KEY + number) for number in range(KEYS)]
    rows = []
    for name, selector in SELECTORS.items():
        densities = [len(selector.positions(kgrams)) / len(kgrams) for kgrams in keyed]
        error = np.std(densities, ddof=1)
        measured = f"{densities[0]:.6f}"
        rows.append(
            (name, PAPER.get(name, "–"), f"{selector.density:.6f}", measured, f"{np.mean(densities):.6f} ± {error:.6f}")
        )
    densities_table = table(("scheme", "paper", "expected", "one key", f"{KEYS} keys"), rows)
    return [densities_table, uniformity(keyed[0]), missed(keyed), divisors(keyed[0])]


def kgrams_of(symbols: U8, key: int = DEFAULT_KEY) -> KGrams:
    """Return the k-grams of section 5.1, hashed with a key."""
    kgrams = KGrams(symbols, K, derive(key, "characters"))
    assert len(kgrams.hashes) == len(kgrams)
    return kgrams


def uniformity(kgrams: KGrams) -> str:
    """Return chi-squared by degree of freedom of several 16-bit parts of the hashes; 1 is uniform."""
    low, high = np.uint64(BINS - 1), np.uint64(48)
    parts = {
        "what schemes compare, highest 16 bits": kgrams.hashes >> high,
        "what schemes compare, lowest 16 bits": kgrams.hashes & low,
        "what a database stores, highest 16 bits": kgrams.stored >> high,
        "what a database stores, lowest 16 bits": kgrams.stored & low,
    }
    rows = []
    for name, values in parts.items():
        found = np.bincount(values.astype(np.int64), minlength=BINS)
        expected = len(values) / BINS
        rows.append((name, f"{((found - expected) ** 2).sum() / expected / (BINS - 1):.4f}"))
    error = (2 / (BINS - 1)) ** 0.5
    return table((f"hashes, {BINS:,} bins", f"χ² by degree of freedom (uniform: 1 ± {error:.4f})"), rows)


def missed(keyed: list[KGrams]) -> str:
    """Return the share of windows without a fingerprint of 0 mod P at the density of winnowing (section 3.1.1)."""
    rows = []
    for name, selector in ((MOD, SELECTORS[MOD]), (f"winnow, w={SAME}", Selector("winnow", {"w": SAME}, 1 / P, SAME))):
        tally = Tally(selector)
        for kgrams in keyed:
            tally.add(selector.positions(kgrams), len(kgrams))
        expected = (1 - 1 / P) ** SAME if name == MOD else 0.0
        rows.append((name, f"{selector.density:.4f}", f"{tally.density:.6f}", f"{expected:.2%}", f"{tally.missed:.2%}"))
    heads = ("random text", "expected density", "density", f"windows of {SAME} missed, expected", "measured")
    return table(heads, rows)


def divisors(kgrams: KGrams) -> str:
    """Return the density of safe-mod for several divisors, beside the exact expectation (section 3.1.2)."""
    rows = []
    for p in DIVISORS:
        density = len(Selector("safe-mod", {"w": W, "p": p}, 0).positions(kgrams)) / len(kgrams)
        rows.append((p, f"{1 / p + (1 - 1 / p) ** W:.5f}", f"{1 / p + np.exp(-W / p):.5f}", f"{density:.5f}"))
    return table(("p", "P + (1 − P)^w", "P + e^(−wP)", "measured"), rows)


def low_entropy(size: int) -> str:
    """Return densities on text of few distinct k-grams: the mean over keys, and the range if it is wide."""
    rows = []
    for name, symbols in monotonous(size):
        cells = []
        keyed = [kgrams_of(symbols, DEFAULT_KEY + number) for number in range(KEYS)]
        for selector in SELECTORS.values():
            densities = [len(selector.positions(kgrams)) / len(kgrams) for kgrams in keyed]
            mean = f"{np.mean(densities):.4f}"
            wide = max(densities) - min(densities) > 0.1 * np.mean(densities)
            cells.append(f"{mean} ({min(densities):.4f} to {max(densities):.4f})" if wide else mean)
        rows.append((name, *cells))
    return table(("input", *SELECTORS), rows)


def monotonous(size: int) -> Iterator[tuple[str, U8]]:
    """Yield text of low entropy: a letter, the paper's pattern, zeros with odd characters as from its sensors."""
    yield "one letter", np.full(size, ord("0"), np.uint8)
    yield "abba abba …", np.resize(np.frombuffer(b"abba", np.uint8), size)
    rng = np.random.default_rng(2)
    for apart in (1000, 100, 10):
        odd = rng.random(size) < 1 / apart
        digits = rng.integers(ord("1"), ord("9") + 1, size, np.uint8)
        yield f"zeros, one in {apart} another digit", np.where(odd, digits, np.uint8(ord("0")))
