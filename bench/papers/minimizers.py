#!/usr/bin/env python3
"""Compare mod-winnow with robust winnowing on real text: density, guarantee, shorter passages found, speed.

`python -m bench.papers.minimizers` writes section "Minimizers" of docs/design/papers.md. --quick: a few seconds, and
nothing is written. The schemes: Groot Koerkamp, Pibiri (2024) and Groot Koerkamp, Liu, Pibiri (2025). The lower bound
of all forward schemes: Kille and others (2024).
"""

import argparse
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from inspect import cleandoc
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fpdb
from bench.measuring import in_turns, percentile, ratios
from bench.papers import page, texts
from bench.papers.artificial_text import LATIN, Letters, kgrams_of, letters_of, random
from bench.papers.collection import BUILD, cpu_seconds
from fpdb.fingerprint import SCHEMES, Recipe
from fpdb.fingerprint.hashing import KGrams

COLLECTIONS = ("prose", "html", "source")
SETTINGS = ((30, 21), (23, 17), (50, 100))
MEGABYTES, TRIALS, ROUNDS = 24, 5_000, 5
QUICK = 50
ROBUST, MOD, OPEN = "robust-winnow", "mod-winnow", "open-closed"
AROUND = 100  # symbols on either side of a passage; more than any window reaches
SHOWN = (31, 34, 37, 40, 43, 46, 49, 50)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class SchemeSetting:
    """A scheme with its parameters, under its name in the tables."""

    name: str
    scheme: str
    parameters: dict[str, int]

    def positions(self, kgrams: KGrams) -> NDArray[np.int64]:
        """Return the positions of the selected k-grams."""
        return SCHEMES[self.scheme].select(kgrams, **self.parameters).positions.astype(np.int64)


@dataclass
class Tally:
    """Numbers of k-grams, of selected ones, and of windows of w without any selected one."""

    w: int
    kgrams: int = 0
    selected: int = 0
    empty: int = 0

    def add(self, positions: NDArray[np.int64], count: int) -> None:
        """Count a document of `count` k-grams."""
        runs = np.diff(np.concatenate(([-1], positions, [count]))) - 1
        self.kgrams += count
        self.selected += len(positions)
        self.empty += int(np.maximum(runs - self.w + 1, 0).sum())

    @property
    def density(self) -> float:
        """Return fingerprints a k-gram."""
        return self.selected / self.kgrams


def schemes(w: int) -> list[SchemeSetting]:
    """Return the three schemes that are compared, with the same guarantee."""
    return [
        SchemeSetting(ROBUST, "robust-winnow", {"w": w}),
        SchemeSetting(MOD, "mod-winnow", {"w": w, "r": 4, "s": 0}),
        SchemeSetting(OPEN, "mod-winnow", {"w": w, "r": 4, "s": 3}),
    ]


def lower_bound(k: int, w: int) -> float:
    """Return the least density of a forward scheme, by Kille and others."""
    return math.ceil((w + k) / w) / (w + k)


def recipe_of(k: int, chosen: SchemeSetting) -> Recipe:
    """Return the recipe text with another k and scheme."""
    base = Recipe.preset("text")
    return Recipe(base.key, {"characters": base.rules["characters"].with_(k, chosen.scheme, **chosen.parameters)})


def read(collection: str, limit: int) -> dict[str, Letters]:
    """Return the folded documents of a collection, or random letters."""
    if collection == "random":
        return {"random": random(np.random.default_rng(1), limit)}
    recipe = Recipe.preset("text")
    return {name: letters_of(content, recipe) for name, content in texts.documents(collection, limit)}


def densities(documents: Mapping[str, Letters], k: int, w: int) -> dict[str, Tally]:
    """Tally what each scheme selects of all documents."""
    tallies = {chosen.name: Tally(w) for chosen in schemes(w)}
    recipe = Recipe.preset("text").with_(k=k)
    for letters in documents.values():
        kgrams = kgrams_of(letters, recipe)
        if len(kgrams) < w:
            continue
        for chosen in schemes(w):
            tallies[chosen.name].add(chosen.positions(kgrams), len(kgrams))
    return tallies


def shares(letters: Letters, k: int, chosen: SchemeSetting, lengths: range, trials: int) -> list[float]:
    """Return, for each length, the share of passages in two different surroundings that have a common fingerprint."""
    recipe = Recipe.preset("text").with_(k=k)
    found = []
    for length in lengths:
        rng = np.random.default_rng(length)
        width = length + 2 * AROUND
        passages = _pieces(rng, letters, trials, length)
        keys = []
        for _ in range(2):
            rows = _pieces(rng, letters, trials, width)
            rows[:, AROUND : AROUND + length] = passages
            kgrams = kgrams_of(rows.ravel(), recipe)
            positions = chosen.positions(kgrams)
            positions = positions[(positions % width >= AROUND) & (positions % width <= AROUND + length - k)]
            keys.append(
                (positions // width, kgrams.hashes[positions] + (positions // width).astype(np.uint64) * GOLDEN)
            )
        (row, first), (_, second) = keys
        second = np.sort(second)
        nearest = np.minimum(np.searchsorted(second, first), len(second) - 1)
        matched_rows = row[second[nearest] == first]
        found.append(float(np.count_nonzero(np.bincount(matched_rows, minlength=trials)) / trials))
    return found


def _pieces(rng: np.random.Generator, letters: Letters, count: int, length: int) -> NDArray[np.uint32]:
    """Return random stretches of the letters, shape (count, length)."""
    starts = rng.integers(0, len(letters) - length, count)
    pieces: NDArray[np.uint32] = letters[starts[:, None] + np.arange(length)]
    return pieces


def density_table(documents: Mapping[str, Mapping[str, Letters]]) -> str:
    """Return a table of fingerprints a k-gram, and of windows without any."""
    rows = []
    for k, w in SETTINGS:
        for collection, held in documents.items():
            tallies = densities(held, k, w)
            robust, mod, is_open = (tally.density for tally in tallies.values())
            rows.append(
                (
                    f"{collection}, k={k}, w={w}",
                    f"{tallies[ROBUST].kgrams / 1e6:.1f}",
                    *(f"{density:.4f}" for density in (robust, mod, is_open)),
                    f"{mod / robust - 1:+.0%}",
                    f"{is_open / robust - 1:+.0%}",
                    f"{2 / (w + 1):.4f}",
                    f"{lower_bound(k, w):.4f}",
                    sum(tally.empty for tally in tallies.values()),
                )
            )
            print(*rows[-1], sep="  ", flush=True)
    headers = (
        "text",
        "million k-grams",
        ROBUST,
        MOD,
        OPEN,
        f"{MOD}, change",
        f"{OPEN}, change",
        "2/(w+1)",
        "lower bound",
        "empty windows",
    )
    return page.table(headers, rows)


def share_table(documents: Mapping[str, Mapping[str, Letters]], trials: int) -> str:
    """Return a table of short passages found, at equal guarantee and at the size of mod-winnow."""
    k, w = SETTINGS[0]
    lengths = range(k + 1, k + w)
    rivals = [*schemes(w), SchemeSetting(f"{ROBUST}, w=28", "robust-winnow", {"w": 28})]
    rows = []
    for collection, held in documents.items():
        letters = np.concatenate(list(held.values()))
        for chosen in rivals:
            rates = shares(letters, k, chosen, lengths, trials)
            shown = [rates[lengths.index(length)] for length in SHOWN]
            rows.append((f"{collection}: {chosen.name}", *(f"{share:.1%}" for share in (*shown, np.mean(rates)))))
            print(*rows[-1], sep="  ", flush=True)
    return page.table(("scheme", *(f"{length}" for length in SHOWN), f"mean {lengths[0]}–{lengths[-1]}"), rows)


def low_entropy(limit: int) -> dict[str, Letters]:
    """Return two texts of low entropy: zeros with one other digit in a hundred on average, and a period of seven."""
    rng = np.random.default_rng(2)
    rare = np.where(rng.random(limit) < 0.01, random(rng, limit), LATIN[0])
    return {"rare": rare, "periodic": np.resize(random(rng, 7), limit)}


def database_table(collection: str, limit: int) -> str:
    """Add a collection to a database with each scheme, and return the sizes and the processor time."""
    k, w = SETTINGS[0]
    documents = list(texts.documents(collection, limit))
    size = sum(len(content) for _, content in documents)
    rows = []
    BUILD.mkdir(exist_ok=True)
    for chosen in schemes(w):
        with (
            tempfile.TemporaryDirectory(prefix="minimizers-", dir=BUILD) as folder,
            fpdb.open(Path(folder, "a.fpdb"), "x", recipe=recipe_of(k, chosen)) as db,
        ):
            elapsed = cpu_seconds(db, documents)
            db.compact()
            info = db.info()
        rows.append(
            (chosen.name, f"{info['postings']:,}", f"{info['file_bytes'] / 1e6:.1f}", f"{size / 1e6 / elapsed:.1f}")
        )
        print(*rows[-1], sep="  ", flush=True)
    return page.table(("scheme", "postings", "file, MB", "MB/s (CPU)"), rows)


def speed_text(documents: Mapping[str, Mapping[str, Letters]], rounds: int) -> str:
    """Return how much slower than robust winnowing the other two are, from text to fingerprints."""
    k, w = SETTINGS[0]
    letters = np.concatenate(list(documents["prose"].values()))[: 2**21].astype(np.uint8)
    content = letters.tobytes()
    works = [partial(recipe_of(k, chosen).fingerprint, content) for chosen in schemes(w)]
    robust, mod, is_open = in_turns(rounds, *works)
    slower = [percentile(ratios(elapsed, robust), 50) for elapsed in (mod, is_open)]
    line = (
        f"Fingerprinting prose with k={k}, w={w} takes {slower[0]:.1f} times as long with `{MOD}` as with `{ROBUST}`, "
        f"and {slower[1]:.1f} times with s=3 ({len(content) / 1e6 / min(robust):.0f} MB/s for `{ROBUST}` on this run)."
    )
    print(line)
    return line


def main() -> None:
    """Measure, print and write the section."""
    parser = argparse.ArgumentParser(description=cleandoc(__doc__ or ""))
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the size; writes nothing")
    quick = parser.parse_args().quick
    smaller = QUICK if quick else 1
    limit = MEGABYTES * 10**6 // smaller
    documents = {name: read(name, limit) for name in (*COLLECTIONS, "random")}
    densities_of = {**documents, "low entropy": low_entropy(limit // 8)}
    parts = [
        f"{MEGABYTES} MB of text of each collection; {TRIALS:,} passages of each length. {OPEN}: `mod-winnow` with "
        "s=3. Change: against robust winnowing.",
        density_table(densities_of),
        f"Shared passages found, by length in symbols, with k={SETTINGS[0][0]}, w={SETTINGS[0][1]}:",
        share_table(documents, TRIALS // smaller),
        f"The collection prose in a database, with k={SETTINGS[0][0]}, w={SETTINGS[0][1]}:",
        database_table("prose", limit),
        speed_text(documents, 1 if quick else ROUNDS),
    ]
    if not quick:
        page.write("minimizers", "\n\n".join(part.strip() for part in parts))


if __name__ == "__main__":
    main()
