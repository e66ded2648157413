#!/usr/bin/env python3
"""Repeat the experiments of "Winnowing: Local Algorithms for Document Fingerprinting" (SIGMOD 2003).

Section 5.1 with Figures 3 and 4, and the expectations of 3.1.1 and 3.1.2. Prints the tables, and writes them and the
plots into docs/design/papers.md. Needs the texts that `python -m bench.papers.texts` fetches, and matplotlib.
"""

import argparse
import time
from collections.abc import Iterator, Mapping
from inspect import cleandoc

import numpy as np

from bench.papers import page, texts
from bench.papers.frequencies import Frequencies
from bench.papers.page import table
from bench.papers.runs import LONG, MOD, SAME, SELECTORS, K, Tally, W
from bench.papers.synthetic import low_entropy, random_text
from fpdb.fingerprint import DEFAULT_KEY, KINDS
from fpdb.fingerprint.hashing import KGrams, derive
from fpdb.readers.symbols import Values

QUICK = 50  # how many times smaller a quick run is
RANDOM, LOW = 8_000_000, 500_000
COLLECTIONS = ("html", "prose", "source")
PAGES = 20_000
COMMON = 8
KEYS = 5  # other hash keys with which 0 mod p is tried
# Figure 3, and what section 5.1 says of robust winnowing and of Figure 4.
PAPER: Mapping[str, str] = {"winnow": "0.019855", "robust-winnow": "0.019829", MOD: "0.019974"}
PAPER_BYTES = ("7,182,692,852", "1,940,576,448", "1,940,576,399")
PAPER_RUN: Mapping[str, str] = {MOD: "29,983"}
PAPER_SHARES: Mapping[int, str] = {1: "82%", 2: "14%", 3: "2%"}


def main() -> None:
    """Measure, print and write the section."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.papers.winnowing",
        description=cleandoc(__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the sizes; writes nothing")
    quick = parser.parse_args().quick
    begun = time.perf_counter()
    parts = []
    for part in experiments(quick):
        parts.append(part)
        print(part, flush=True)
    print(f"took {time.perf_counter() - begun:.0f} s")
    if not quick:
        page.write("winnowing", "\n".join(parts))


def experiments(quick: bool) -> Iterator[str]:
    """Yield the section in parts, and draw its plots unless the run is quick."""
    scale = QUICK if quick else 1
    yield f"### Random text: {RANDOM // scale:,} letters and digits, k={K}, w={W}\n"
    yield from random_text(RANDOM // scale)
    yield f"### Low entropy: densities on {LOW // scale:,} characters, mean (and range) over keys\n"
    yield low_entropy(LOW // scale)
    yield "### Figure 3: real text\n"
    tallies = {}
    for collection in COLLECTIONS:
        tallies[collection] = CollectionTallies(collection, scale)
        yield f"- {collection}: {texts.describe(collection)}."
    yield ""
    yield figure_3(tallies)
    yield runs(tallies)
    if not quick:
        from bench.papers.plots import draw_runs

        html = tallies["html"].tallies
        yield draw_runs({name: html[name] for name in ("winnow", "robust-winnow", MOD)})
    yield "### Figure 4: frequency by rank, html\n"
    yield from figure_4(PAGES // scale, quick)


class CollectionTallies:
    """The selections of every scheme in a collection, and those of 0 mod p with other keys."""

    def __init__(self, collection: str, scale: int) -> None:
        """Read the collection, or one part in `scale` of it."""
        self.collection = collection
        entries = texts.listing(collection)
        limit = sum(document.size for document in entries) // scale if scale > 1 else None
        self.documents = texts.listing(collection, limit)
        self.symbols = 0
        self.tallies = {name: Tally(selector) for name, selector in SELECTORS.items()}
        self.keyed = {DEFAULT_KEY + number: Tally(SELECTORS[MOD]) for number in range(1, KEYS + 1)}
        for document, content in texts.documents(collection, limit):
            kgrams = _kgrams(content)
            self.symbols += len(kgrams.symbols)
            if not len(kgrams.hashes):
                continue
            for name, selector in SELECTORS.items():
                self.tallies[name].add(selector.positions(kgrams), len(kgrams), document)
            for key, tally in self.keyed.items():
                tally.add(SELECTORS[MOD].positions(_keyed(kgrams.symbols, key)), len(kgrams), document)

    @property
    def hashes(self) -> int:
        """Return the number of hashes that were computed."""
        return self.tallies[MOD].hashes

    def passage(self, name: str, length: int = 60) -> str:
        """Return letters and digits from the middle of a scheme's longest run, and their document."""
        document, position = self.tallies[name].place
        content = next(content for known, content in texts.documents(self.collection) if known == document)
        position += self.tallies[name].longest // 2
        return f"`…{_text(_kgrams(content), position, length)}…` in {document.rsplit('/', 1)[-1]}"


def _kgrams(content: bytes) -> KGrams:
    """Return the k-grams of a document's letters and digits."""
    return _keyed(KINDS["text"].read(content, "characters").values, DEFAULT_KEY)


def _keyed(symbols: Values, key: int) -> KGrams:
    return KGrams(symbols, K, derive(key, "characters"))


def _text(kgrams: KGrams, position: int, length: int = K) -> str:
    return "".join(map(chr, kgrams.symbols[position : position + length].tolist()))


def figure_3(collections: Mapping[str, CollectionTallies]) -> str:
    """Return the paper's table: sizes, densities, longest runs."""
    reals = collections.values()
    sizes = [
        ("documents", "500,000", *(f"{len(real.documents):,}" for real in reals)),
        ("total bytes", PAPER_BYTES[0], *(f"{sum(d.original for d in real.documents):,}" for real in reals)),
        ("text bytes", "–", *(f"{sum(d.size for d in real.documents):,}" for real in reals)),
        ("of them letters and digits", PAPER_BYTES[1], *(f"{real.symbols:,}" for real in reals)),
        ("hashes computed", PAPER_BYTES[2], *(f"{real.hashes:,}" for real in reals)),
    ]
    rows = []
    for name, selector in SELECTORS.items():
        tallies = [real.tallies[name] for real in reals]
        rows += [
            (f"{name}: fingerprints", "–", *(f"{tally.selected:,}" for tally in tallies)),
            ("measured density", PAPER.get(name, "–"), *(f"{tally.density:.6f}" for tally in tallies)),
            ("expected density", *(f"{selector.density:.6f}" for _ in range(len(tallies) + 1))),
            ("expected, page by page", "–", *(f"{tally.expected / tally.hashes:.6f}" for tally in tallies)),
            ("longest run with no fingerprint", PAPER_RUN.get(name, "–"), *(f"{tally.longest:,}" for tally in tallies)),
        ]
    return table(("", "paper", *collections), sizes + rows)


def runs(collections: Mapping[str, CollectionTallies]) -> str:
    """Return what 0 mod p leaves out of real text, and the place of its longest run."""
    rows = []
    for name, real in collections.items():
        tally = real.tallies[MOD]
        missed = [other.missed for other in real.keyed.values()]
        longest = [other.longest for other in real.keyed.values()]
        rows.append(
            (
                name,
                f"{tally.missed:.2%}",
                f"{min(missed):.2%} to {max(missed):.2%}",
                f"{tally.long:,}",
                f"{tally.longest:,}",
                f"{min(longest):,} to {max(longest):,}",
                real.passage(MOD),
            )
        )
    other_keys = f"under {KEYS} other keys"
    windows, long_runs = f"windows of {SAME} missed", f"runs of {LONG:,} or more"
    return table((MOD, windows, other_keys, long_runs, "longest", other_keys, "in its middle"), rows)


def figure_4(pages: int, quick: bool) -> Iterator[str]:
    """Yield rank and frequency of all hashes and of winnowing's, on some pages."""
    names = [document.name for document in texts.listing("html")]
    chosen = set(np.random.default_rng(3).permutation(names)[:pages].tolist())
    all_hashes, selected = [], []
    for name, content in texts.documents("html"):
        if name in chosen:
            kgrams = _kgrams(content)
            all_hashes.append(kgrams.hashes)
            selected.append(kgrams.hashes[SELECTORS["winnow"].positions(kgrams)])
    curves = {"all hashes": Frequencies(np.concatenate(all_hashes)), "winnow": Frequencies(np.concatenate(selected))}
    all_hashes.clear()
    yield ranks(len(chosen), curves)
    yield common(curves["winnow"], chosen)
    if not quick:
        from bench.papers.plots import draw_ranks

        yield draw_ranks(curves)


def ranks(pages: int, curves: Mapping[str, Frequencies]) -> str:
    """Return the shares of the low frequencies, the highest frequency, and the slopes."""
    curve_pair = curves.values()
    rows = [
        ("hashes", "–", *(f"{curve.occurrences:,}" for curve in curve_pair)),
        ("distinct ones", "–", *(f"{curve.distinct:,}" for curve in curve_pair)),
        *(
            (f"frequency {frequency}", share, *(f"{curve.share(frequency):.1%}" for curve in curve_pair))
            for frequency, share in PAPER_SHARES.items()
        ),
        ("highest frequency", "3,270", *(f"{curve.frequency[0]:,}" for curve in curve_pair)),
        ("plateaus", "–", *(f"{len(curve.number):,}" for curve in curve_pair)),
        (
            "aberrant one: hashes × frequency",
            "–",
            *(f"{curve.number[curve.aberrant]:,} × {curve.frequency[curve.aberrant]:,}" for curve in curve_pair),
        ),
        ("slope, all", "–", *(f"{curve.slope(cleaned=False):.2f}" for curve in curve_pair)),
        ("slope, cleaned", "−0.7", *(f"{curve.slope(cleaned=True):.2f}" for curve in curve_pair)),
    ]
    return table((f"{pages:,} pages", "paper", *curves), rows)


def common(curve: Frequencies, chosen: set[str]) -> str:
    """Return the most common fingerprints as text, the first of each package."""
    missing = dict(zip(curve.common.tolist(), curve.common_counts.tolist(), strict=True))
    best: dict[str, tuple[int, str]] = {}
    for name, content in texts.documents("html"):
        if name in chosen and missing:
            kgrams = _kgrams(content)
            places = SELECTORS["winnow"].positions(kgrams)
            sought = np.array(list(missing), np.uint64)
            for position in places[np.isin(kgrams.hashes[places], sought)].tolist():
                count, text = missing.pop(int(kgrams.hashes[position]), 0), _text(kgrams, position)
                package = name.split("/")[0]
                best[package] = max(best.get(package, (0, "")), (count, text))
    rows = [(f"`{text}`", package, f"{count:,}") for package, (count, text) in sorted(best.items(), key=_descending)]
    return table(("commonest fingerprints", "first found in", "frequency"), rows[:COMMON])


def _descending(item: tuple[str, tuple[int, str]]) -> int:
    return -item[1][0]


if __name__ == "__main__":
    main()
