#!/usr/bin/env python3
"""Measure the distinct sample, alone and beside its rivals, as section V of Ganguly and Veda asks.

`python -m bench.papers.distinct` writes section "Ganguly and Veda" of docs/design/papers.md. --quick: a few seconds,
and nothing is written.
"""

import argparse
import math
import time
from collections.abc import Iterator
from inspect import cleandoc

import numpy as np
from numpy.typing import NDArray

from bench.papers import artificial_text, collection, onepass, page, texts
from bench.papers.planting import (
    AROUND,
    DELTA,
    KINDS,
    MIXED,
    PERIODS,
    POOL,
    UNSAMPLED,
    Detection,
    Pair,
    Plants,
    Scheme,
    V,
    W,
    detect,
    detect_grid,
)
from fpdb.fingerprint import hash_levels
from fpdb.fingerprint.distinct import best_s, global_threshold, make_sketch, window_threshold
from fpdb.fingerprint.hashing import KGrams

TRIALS, FEWER, WORST, ONCE, QUERIES = 400, 60, 1_000, 100, 300
COLLECTION, MEGABYTES = 54, 4
SPREAD = 20  # of the large collection, one document in so many is looked at
QUICK = 50
DISTINCT = {"guarantee": W, "delta": DELTA}
DELTAS = (0.5, 0.3, 0.1, 0.01)
SHARES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)  # of the k-grams, stored
PLOT = "distinct.svg"


def guaranteed() -> list[Scheme]:
    """Return schemes that find W symbols, each in its own sense."""
    return [
        Scheme("distinct", "distinct", DISTINCT),
        Scheme("distinct, sparse", "distinct", {**DISTINCT, "sparse": 1}),
        Scheme("winnow", "winnow", {"w": V}),
        Scheme("robust-winnow", "robust-winnow", {"w": V}),
        Scheme("mod, p=211", "mod", {"p": 211}),
    ]


def of_size(share: float, kgrams: int) -> list[Scheme]:
    """Return schemes that store this share of random text's k-grams."""
    return [
        Scheme("distinct, total S", "distinct", {**DISTINCT, "total": max(round(share * kgrams), 1)}),
        Scheme("robust-winnow", "robust-winnow", {"w": max(round(2 / share) - 1, 1)}),
        Scheme("mod", "mod", {"p": max(round(1 / share), 1)}),
        Scheme("smallest", "smallest", {"n": max(round(share * kgrams), 1)}),
    ]


def size_table(plants: Plants, length: int, documents: collection.Documents) -> str:
    """Compare the sizes of the three structures with their bounds: s, 2m/k and m/L."""
    rows = []
    recipe = Scheme("", "distinct", DISTINCT).recipe
    kinds = ("random", "real", *(f"periodic {period}" for period in PERIODS), MIXED, "hostile", UNSAMPLED)
    inputs_of = {kind: [plants.document(kind, np.random.default_rng(3), length)] for kind in kinds}
    inputs_of[f"{len(documents):,} pages"] = [artificial_text.letters_of(content, recipe) for _, content in documents]
    for name, texts_of_kind in inputs_of.items():
        figures = np.array(
            [sizes_of(artificial_text.kgrams_of(letters, recipe)) for letters in texts_of_kind if len(letters) >= W]
        )
        sums = figures.sum(axis=0)
        m, distinct, sample, s, frequent, most_frequent, everywhere, most_everywhere = sums[:8].astype(int).tolist()
        cells = (
            f"{m:,}",
            f"{distinct:,}",
            f"2^-{figures[0, 8]:.0f}" if len(texts_of_kind) == 1 else "",
            f"{sample:,} of {s:,}",
            f"{frequent:,} of {most_frequent:,}",
            f"{everywhere:,} of {most_everywhere:,}",
            f"{(sample + frequent + everywhere) / m:.4f}",
        )
        rows.append((name, *cells))
        print(*rows[-1], sep="  ", flush=True)
    headers = (
        "input",
        "m",
        "distinct",
        "p",
        "sample, of s",
        "window-frequent, of 2m/k",
        "global, of m/L",
        "sketch / m",
    )
    return page.table(headers, rows)


def sizes_of(kgrams: KGrams) -> tuple[float, ...]:
    """Return m, the number of distinct k-grams, each structure's size and bound, and the first pass's level."""
    m = len(kgrams)
    s = best_s(m, V, DELTA)
    sketch = make_sketch(kgrams, W, s, DELTA)
    items = np.array(sorted(set(kgrams.stored.tolist())), np.uint64)
    level = first_level(items, s)
    frequent = 2 * m / max(window_threshold(level, V, DELTA), 1)
    everywhere = m / global_threshold(s, DELTA)
    held = (len(sketch.sample), s, len(sketch.window_frequent), frequent, len(sketch.globally_frequent), everywhere)
    return (m, len(items), *held, level)


def first_level(items: NDArray[np.uint64], s: int) -> int:
    """Return the level of the first pass: the one that a sample of all distinct k-grams reaches."""
    level, item_levels = 0, hash_levels(items)
    while np.count_nonzero(item_levels >= level) > s:
        level += 1
    return level


def pairs_of(plants: Plants, kind: str, trials: int) -> list[Pair]:
    """Return pairs of documents, the same for every scheme."""
    rng = np.random.default_rng(4)
    return [plants.pair(kind, rng) for _ in range(trials)]


def guarantee_table(plants: Plants, trials: int) -> str:
    """Measure how often W symbols are detected, and what is stored for it."""
    rows = []
    schemes = guaranteed()
    for kind in (*KINDS, UNSAMPLED):
        pairs = pairs_of(plants, kind, trials)
        detections = [detect(scheme, pairs) for scheme in schemes]
        both = detect(schemes[1], pairs, "store")
        grid = detect_grid(pairs)
        rows.append((kind, *map(cell, detections[:2]), f"{both.rate:.1%}", *map(cell, (grid, *detections[2:]))))
        print(*rows[-1], sep="  ", flush=True)
    names = [scheme.name for scheme in schemes]
    return page.table(("input", *names[:2], "sparse against sparse", f"every {V}st", *names[2:]), rows)


def cell(detection: Detection) -> str:
    """Format detection rate and size."""
    return f"{detection.rate:.1%} at {detection.density:.4f}"


def worst_table(plants: Plants, trials: int) -> str:
    """Measure the worst case: periodic passages of few distinct k-grams, none of them frequent, in random letters."""
    rows = []
    m = AROUND + V
    for delta in DELTAS:
        scheme = Scheme("distinct", "distinct", {"guarantee": W, "delta": delta})
        level = math.ceil(math.log2(m / best_s(m, V, delta)))
        often = window_threshold(level, V, delta)
        period = next(period for period in range(1, V + 1) if math.ceil(V / period) < often)
        rng = np.random.default_rng(6)
        pairs = [plants.pair("random", rng, artificial_text.periodic(rng, W, period)) for _ in range(trials)]
        detection = detect(scheme, pairs)
        rows.append((delta, f"2^-{level}", period, f"{1 - delta:.1%}", f"{1 - delta**2:.2%}", f"{detection.rate:.1%}"))
        print(*rows[-1], sep="  ", flush=True)
    return page.table(("δ", "p", "distinct k-grams", "1 − δ", "1 − δ²", "found"), rows)


def sizes_table(plants: Plants, trials: int) -> tuple[str, dict[str, dict[str, list[Detection]]]]:
    """Measure detection of W symbols by size of the store; return a table, and figures by kind and scheme."""
    rows = []
    figures: dict[str, dict[str, list[Detection]]] = {}
    for kind in (*KINDS, UNSAMPLED):
        pairs = pairs_of(plants, kind, trials)
        lines: dict[str, list[Detection]] = {}
        for share in SHARES:
            for scheme in of_size(share, AROUND + V):
                lines.setdefault(scheme.name, []).append(detect(scheme, pairs))
        figures[kind] = lines
        for name, detections in lines.items():
            rows.append(
                (
                    f"{kind}: {name}",
                    *(sized(detection, share) for detection, share in zip(detections, SHARES, strict=True)),
                )
            )
            print(*rows[-1], sep="  ", flush=True)
    return page.table(("input: scheme", *(f"S = {share:g} m" for share in SHARES)), rows), figures


def sized(detection: Detection, share: float) -> str:
    """Format the detection rate, with the size if it is far from the intended one."""
    near = share / 1.5 < detection.density < share * 1.5
    return f"{detection.rate:.0%}" if near else f"{detection.rate:.0%} at {detection.density:.2g}"


def draw(figures: dict[str, dict[str, list[Detection]]]) -> None:
    """Draw detection by size, a panel for each kind of input."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "fpdb", "font.size": 8}
    chart = Figure(figsize=(9, 3), layout="constrained")
    for axes, (kind, lines) in zip(chart.subplots(1, len(figures), sharey=True), figures.items(), strict=True):
        for (name, detections), marker in zip(lines.items(), "os^x", strict=True):
            axes.plot(
                [detection.density for detection in detections],
                [detection.rate for detection in detections],
                marker=marker,
                ms=4,
                label=name,
            )
        axes.set(xscale="log", title=kind, xlabel="stored a k-gram")
        axes.grid(visible=True, linewidth=0.3)
    chart.axes[0].set_ylabel(f"found, of {W} symbols")
    chart.axes[0].legend(fontsize=7)
    page.PLOTS.mkdir(exist_ok=True)
    chart.savefig(page.PLOTS / PLOT, metadata={"Date": None})


def experiments(quick: bool) -> Iterator[str]:
    """Yield the section in parts, and draw its plot unless the run is quick."""
    scale = QUICK if quick else 1
    pool = POOL // 8 if quick else POOL
    plants = Plants(MEGABYTES / scale, pool)
    documents = list(texts.documents("html", COLLECTION * 10**6 // scale))
    megabytes = sum(len(content) for _, content in documents) / 1e6
    yield f"""### Sizes and bounds

k=30, W={W}, δ={DELTA}, and the s that balances the bounds. One document of each kind; and pages of the collection
below, summed. Mixed: {W} random letters, {W} with a period of 60, and so on."""
    yield size_table(plants, pool, documents[::SPREAD])
    yield f"""### Detection against 1 − δ

{TRIALS} pairs of documents of {AROUND + W:,} symbols that share {W}: found, at so many fingerprints a k-gram."""
    yield guarantee_table(plants, max(TRIALS // scale, 2))
    yield f"The passages that the bound is made for: {WORST:,} pairs, a periodic passage in random surroundings."
    yield worst_table(plants, WORST // scale)
    yield f"""### At equal size

{FEWER} pairs as above; the size stands where it is far from what was asked for."""
    table, figures = sizes_table(plants, max(FEWER // scale, 2))
    yield table
    if not quick:
        draw(figures)
    yield f"![Detection by size](papers/{PLOT})"
    yield f"""### A large collection

{len(documents):,} documents, {megabytes:.0f} MB (html); {QUERIES} queries for passages of each length, among 10,000
random letters; median time of a query. Equal size: as `distinct`. The k-grams of Koala are of
consonants, and fewer."""
    yield collection.table(documents, max(QUERIES // scale, 5))
    yield f"""### One pass

{ONCE} passages of {W} symbols with few distinct k-grams, in 20,000 random letters: found."""
    yield onepass.table(max(ONCE // scale, 1))


def main() -> None:
    """Measure, print and write the section."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.papers.distinct",
        description=cleandoc(__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the size; writes nothing")
    quick = parser.parse_args().quick
    begun = time.perf_counter()
    parts = list(experiments(quick))
    print(f"took {time.perf_counter() - begun:.0f} s")
    if not quick:
        page.write("distinct", "\n\n".join(part.strip() for part in parts))


if __name__ == "__main__":
    main()
