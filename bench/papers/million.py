#!/usr/bin/env python3
"""Measure a million documents under the preset koala: bytes a document, chance hits a search, times.

Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996): 500 bytes a document (1, 4), 370 hits a search (6.1).

The stored hashes are simulated: uniform numbers of the recipe's width, 100 a document. `koala` checks that real
hashes are uniform, too. Names, sources and contacts are made up in the shape of URLs and addresses.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path

import lmdb
import numpy as np
from numpy.typing import NDArray

import fpdb
from bench.measuring import percentile, seconds
from bench.papers import page
from fpdb.fingerprint import Recipe, content_digest
from fpdb.ingest.files import InputDocument
from fpdb.ingest.prepare import PrepareOptions, ReadDocument, StoredFingerprints, prepare_fingerprints

DOCUMENTS = 1_000_000
BATCH = 20_000  # documents a commit
SEARCHES = 2_000
QUICK = 200  # how many times smaller a quick run is
PAPER_BITS = 28
TARGET_BYTES, TARGET_HITS = 600, 1
SYMBOLS = 46_000  # consonants of a document, as many as the paper's: 30 MB of text in 366 reports
HOSTS = 50_000
WORDS = ("papers", "reports", "users", "docs", "theses", "archive", "drafts", "people", "journal", "pub")


@dataclass(frozen=True)
class DocumentLog:
    """The log entry of a document, kept besides its fingerprints: the paper's document log (section 4)."""

    name: str
    source: str
    contact: str


@dataclass(frozen=True)
class SimulatedDatabase:
    """A database of simulated documents. seconds: to load, to compact; loaded: bytes before compacting."""

    path: Path
    documents: int
    seconds: tuple[float, float]
    loaded: int
    some: NDArray[np.uint64]

    @property
    def bytes(self) -> float:
        """Return the bytes of the whole file, divided by its documents."""
        return self.path.stat().st_size / self.documents


def logs(rng: np.random.Generator, first: int, count: int) -> Iterator[DocumentLog]:
    """Yield distinct made-up URLs of about 40 bytes, those of one host far from each other, and addresses of 26."""
    hosts = rng.integers(0, HOSTS, count).tolist()
    words = rng.integers(0, len(WORDS), (count, 2)).tolist()
    for number, host, (one, two) in zip(range(first, first + count), hosts, words, strict=True):
        site = f"cs.univ{host}.example"
        name = f"https://{site}/{WORDS[one]}/{number}.pdf"
        yield DocumentLog(name, f"https://{site}/{WORDS[two]}/{number}.ps.gz", f"{WORDS[two]}{number % 997}@{site}")


def fill(path: Path, documents: int, *, bits: int, described: bool) -> SimulatedDatabase:
    """Load `documents` documents and compact; `described` documents have source and contact."""
    recipe = Recipe.preset("koala").with_(hash_bits=bits)
    stored = int(recipe.rules["consonants"].parameters["stored"])
    rng = np.random.default_rng(1)
    nowhere = np.zeros(stored, np.uint32)
    sample = []
    started = time.perf_counter()
    with fpdb.open(path, "x", recipe=recipe) as db:
        for first in range(0, documents, BATCH):
            count = min(BATCH, documents - first)
            hashes = rng.integers(0, 2**bits, (count, stored), np.uint64)
            sample.append(hashes[::500])
            with db.batch() as batch:
                for row, log in enumerate(logs(rng, first, count)):
                    # Not `add_fingerprints`: these records are to be as long as those of real documents.
                    found = StoredFingerprints(SYMBOLS, SYMBOLS - 19, "utf-8", hashes[row], nowhere)
                    description = InputDocument(log.name)
                    if described:
                        description = description._replace(source=log.source, contact=log.contact)
                    document = ReadDocument(description, "", content_digest(log.name))
                    batch.put(prepare_fingerprints(document, "text", found, PrepareOptions()))
        loading = time.perf_counter() - started
        loaded = path.stat().st_size
        compacting = seconds(db.compact)
    return SimulatedDatabase(path, documents, (loading, compacting), loaded, np.concatenate(sample))


def page_usage(filled: SimulatedDatabase) -> dict[str, tuple[float, float]]:
    """Return bytes a document of each part of the file: on pages, and of keys and values."""
    parts: dict[str, tuple[float, float]] = {}
    with lmdb.open(str(filled.path), subdir=False, readonly=True, lock=False, max_dbs=8, map_size=1 << 40) as env:
        for name in ("blocks", "documents", "names", "sizes"):
            database = env.open_db(f"fpdb.{name}".encode(), create=False)
            with env.begin(db=database) as txn:
                stat = txn.stat(database)
                pages = stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]
                content = sum(len(key) + len(value) for key, value in txn.cursor())
            parts[name] = pages * stat["psize"] / filled.documents, content / filled.documents
    parts["pages that nothing uses"] = filled.bytes - sum(pages for pages, _ in parts.values()), 0.0
    return parts


def noise(filled: SimulatedDatabase, searches: int) -> tuple[float, float, float]:
    """Return the mean hits of searches with random hashes, and the median and 99th percentile of their seconds."""
    hits, elapsed = [], []
    with fpdb.open(filled.path, "r") as db:
        number = int(db.recipe.rules["consonants"].parameters["search"])
        rng = np.random.default_rng(2)
        for _ in range(searches):
            hashes = rng.integers(0, 2**db.recipe.hash_bits, number, np.uint64)
            started = time.perf_counter()
            hits.append(len(db.query_fingerprints(hashes).matches))
            elapsed.append(time.perf_counter() - started)
    return statistics.mean(hits), statistics.median(elapsed), percentile(elapsed, 99)


def found(filled: SimulatedDatabase) -> tuple[int, float]:
    """Count the documents found first and in full by their hashes among 900 others; return the median time, too."""
    right, elapsed = 0, []
    with fpdb.open(filled.path, "r") as db:
        number = int(db.recipe.rules["consonants"].parameters["search"])
        rng = np.random.default_rng(3)
        for stored in filled.some[:500]:
            others = rng.integers(0, 2**db.recipe.hash_bits, number - len(stored), np.uint64)
            started = time.perf_counter()
            matches = db.query_fingerprints(np.concatenate([stored, others]), by="reverse_containment").matches
            elapsed.append(time.perf_counter() - started)
            right += matches[0].shared >= len(stored)
    return right, statistics.median(elapsed)


def measure(folder: Path, documents: int, searches: int) -> str:
    """Measure everything and return it as Markdown."""
    bits = Recipe.preset("koala").hash_bits
    large = fill(folder / "large.fpdb", documents, bits=bits, described=True)
    plain = fill(folder / "plain.fpdb", documents // 10, bits=bits, described=False)
    narrow = fill(folder / "narrow.fpdb", documents // 10, bits=PAPER_BITS, described=False)
    parts, bare = page_usage(large), page_usage(plain)
    less = parts["documents"][0] - bare["documents"][0]
    hits, median, tail = noise(large, searches)
    paper, _, _ = noise(narrow, max(searches // 20, 5))
    right, full = found(large)
    asked, some = 1000, len(large.some[:500])
    rows = [
        ("bytes a document in all, with source and contact", f"{large.bytes:.0f}", f"≤ {TARGET_BYTES}", "500"),
        ("the same without, reckoned from a tenth", f"{large.bytes - less:.0f}", "", ""),
        (f"chance hits a search, {bits} bits", f"{hits:.3f}", f"< {TARGET_HITS}", ""),
        (f"the same, reckoned: {asked} · 100 · documents / 2^{bits}", f"{_reckoned(documents, bits):.3f}", "", ""),
        (f"chance hits a search, {PAPER_BITS} bits, from a tenth", f"{paper * 10:.0f}", "", "370"),
        ("a search that finds nothing, median, ms", f"{median * 1000:.1f}", "", ""),
        ("the same, 99th percentile, ms", f"{tail * 1000:.1f}", "", ""),
        ("a search that finds a document, median, ms", f"{full * 1000:.1f}", "", ""),
        (f"documents found first and in full, of {some}", right, "all", ""),
        ("seconds to load", f"{large.seconds[0]:.0f}", "", ""),
        ("seconds to compact", f"{large.seconds[1]:.0f}", "", ""),
        ("bytes a document before compacting", f"{large.loaded / documents:.0f}", "", ""),
    ]
    return "\n".join(
        [
            f"### {documents:,} documents\n",
            page.table(["", "fpdb", "target", "paper"], rows),
            "Where the bytes of a document are:\n",
            page.table(
                ["part of the file", "on pages", "keys and values", "on pages, without source and contact"],
                _page_usage_rows(parts, bare),
            ),
            "Other widths, by the same reckoning; a bit is 12.5 bytes a document:\n",
            page.table(
                ["bits of a hash", *map(str, range(34, 44))],
                [("chance hits a search", *(f"{_reckoned(documents, width):.2f}" for width in range(34, 44)))],
            ),
        ]
    )


def _page_usage_rows(
    parts: Mapping[str, tuple[float, float]], bare: Mapping[str, tuple[float, float]]
) -> Iterator[tuple[str, ...]]:
    for name, (pages, content) in parts.items():
        yield name, f"{pages:.1f}", f"{content:.1f}", f"{bare[name][0]:.1f}"


def _reckoned(documents: int, bits: int) -> float:
    return 1000 * 100 * documents / float(2**bits)


def main() -> None:
    """Measure, print, and write the page unless the run is quick."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.papers.million",
        description=cleandoc(__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} times smaller, and write nothing")
    parser.add_argument("--folder", type=Path, help="where to put 2 GB of databases, for as long as it runs")
    options = parser.parse_args()
    shrink = QUICK if options.quick else 1
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        report = measure(Path(folder), DOCUMENTS // shrink, SEARCHES // shrink)
    print(report)
    if not options.quick:
        page.write("million", report)


if __name__ == "__main__":
    main()
