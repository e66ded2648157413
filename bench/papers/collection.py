"""Compare the distinct sample with its rivals on a large collection of real documents, through `Database`."""

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import fpdb
from bench.papers import artificial_text, page
from bench.papers.artificial_text import Letters
from bench.papers.planting import DELTA, K, Scheme, V, W
from fpdb.fingerprint import Recipe

LENGTHS = (W, 300, 100)
BATCH = 8_000_000  # bytes of text a commit
BUILD = Path(__file__).parents[1] / "_build"
DISTINCT = {"guarantee": W, "delta": DELTA}
SMALL = 100  # fingerprints of each document, however long

Documents = Sequence[tuple[str, bytes]]


def rivals(density: float) -> list[tuple[str, Recipe]]:
    """Return the schemes to compare, with their recipes, for a sketch with `density` postings a k-gram.

    First those of the same guarantee, then those of the sketch's size, then those with a fixed number of fingerprints
    for each document.
    """
    schemes = [
        Scheme(f"distinct, W={W}", "distinct", DISTINCT),
        Scheme(f"distinct, W={W}, sparse", "distinct", {**DISTINCT, "sparse": 1}),
        Scheme(f"robust-winnow, W={W}", "robust-winnow", {"w": V}),
        Scheme("mod, p=211", "mod", {"p": 211}),
        Scheme("robust-winnow, equal size", "robust-winnow", {"w": max(round(2 / density) - 1, 1)}),
        Scheme("mod, equal size", "mod", {"p": max(round(1 / density), 1)}),
        Scheme(f"distinct, S={SMALL}", "distinct", {**DISTINCT, "total": SMALL}),
        Scheme(f"smallest, n={SMALL}", "smallest", {"n": SMALL}),
    ]
    named = [(scheme.name, scheme.recipe) for scheme in schemes]
    koala = replace(Recipe.preset("koala"), max_df=None, max_ignored=None)
    return [*named, (f"koala, {SMALL} stored", koala)]


def table(documents: Documents, queries: int) -> str:
    """Measure the costs of each rival, and the share of passages of several lengths that a query finds."""
    BUILD.mkdir(exist_ok=True)
    rng = np.random.default_rng(5)
    queries_by_length = {length: passages(documents, rng, length, queries) for length in LENGTHS}
    density = 2 / (V + 1)
    rows = []
    for place in range(len(rivals(density))):
        name, recipe = rivals(density)[place]
        with tempfile.TemporaryDirectory(prefix="distinct-", dir=BUILD) as folder:
            row, postings, kgrams = measure(Path(folder, "a.fpdb"), recipe, documents, queries_by_length)
        if place == 0:
            density = postings / kgrams
        rows.append((name, *row))
        print(*rows[-1], sep="  ", flush=True)
    headers = ("scheme", "postings a k-gram", "MB", "MB/s (CPU)", *(f"{length} symbols" for length in LENGTHS), "query")
    return page.table(headers, rows)


def passages(documents: Documents, rng: np.random.Generator, length: int, count: int) -> list[tuple[str, str]]:
    """Return names of documents, each with a document of random letters that shares one passage with it."""
    recipe = Recipe.preset("text").with_(k=K)
    chosen: list[tuple[str, str]] = []
    for number in rng.permutation(len(documents)).tolist():
        name, content = documents[number]
        if len(content) < 2 * W:
            continue
        letters: Letters = artificial_text.letters_of(content, recipe)
        if len(letters) <= W:
            continue
        start = int(rng.integers(len(letters) - length))
        parts = [
            artificial_text.random(rng, 5_000),
            letters[start : start + length],
            artificial_text.random(rng, 5_000),
        ]
        chosen.append((name, artificial_text.text_of(np.concatenate(parts))))
        if len(chosen) == count:
            break
    return chosen


def measure(
    path: Path, recipe: Recipe, documents: Documents, queries_by_length: dict[int, list[tuple[str, str]]]
) -> tuple[list[str], int, int]:
    """Return the cells of a row after the name, and the postings and k-grams of the whole collection."""
    size = sum(len(content) for _, content in documents)
    with fpdb.open(path, "x", recipe=recipe) as db:
        elapsed = cpu_seconds(db, documents)
        db.compact()
        info = db.info()
        kgrams = sum(document.kgrams for document in db.documents())
        rates, times = [], []
        for queries in queries_by_length.values():
            found = 0
            for name, content in queries:
                started = time.perf_counter()
                answer = db.query(content)
                times.append(time.perf_counter() - started)
                found += any(match.name == name for match in answer.matches)
            rates.append(found / len(queries))
    cells = [
        f"{info['postings'] / kgrams:.4f}",
        f"{info['file_bytes'] / 1e6:.1f}",
        f"{size / 1e6 / elapsed:.0f}",
        *(f"{rate:.1%}" for rate in rates),
        f"{statistics.median(times) * 1e3:.1f} ms",
    ]
    return cells, info["postings"], kgrams


def cpu_seconds(db: fpdb.Database, documents: Documents) -> float:
    """Return the processor time of adding all documents, without waiting for the disk or for other processes."""
    started = time.process_time()
    add(db, documents)
    return time.process_time() - started


def add(db: fpdb.Database, documents: Documents) -> None:
    """Add all documents, some megabytes in each commit."""
    position = 0
    while position < len(documents):
        bytes_left = BATCH
        with db.batch() as batch:
            while position < len(documents) and bytes_left > 0:
                name, content = documents[position]
                batch.add(name, content)
                bytes_left -= len(content)
                position += 1
