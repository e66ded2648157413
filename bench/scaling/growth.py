"""Measure growth: build databases of random documents at several sizes, and measure their bytes and times.

Seconds are processor time, so a busy machine does not change them. Waiting for the disk is not included.
"""

import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log
from pathlib import Path
from statistics import median

import numpy as np

import fpdb
from bench import corpora
from bench.corpora import DOCUMENT, WINDOW, record_texts
from bench.scaling.sizes import Shard, block_postings, position_bytes, posting_bytes, used
from bench.workspace import StoredDatabase, load
from fpdb.fingerprint import Recipe
from fpdb.storage import file_format
from fpdb.storage.store import Store

ASKED = 1000  # hashes of a query, of as many documents as hold them
TIMES = 30
OPENED = 200  # databases tried


@dataclass(frozen=True)
class Point:
    """Measurements of a compacted database of random documents, and of its making.

    posting, placed, document: bytes of a posting without and with its position, and of names, record and sizes of a
    document. loaded, merged: million postings a second, in durable batches, and taken over from another database.
    query: milliseconds of ASKED hashes that the database holds, warm. fences: bytes that a reader holds in memory.
    """

    postings: int
    posting: float
    placed: float
    document: float
    loaded: float
    merged: float
    query: float
    fences: int


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call, of all threads."""
    started = time.process_time()
    work()
    return time.process_time() - started


def shard_of(documents: int, hashes: int = DOCUMENT) -> Shard:
    """Return a shard with the positions of `bench.corpora`: as in winnowing, half a window apart on average."""
    return Shard(documents, hashes, hashes * (WINDOW + 1) // 2)


def measured(folder: Path, postings: int) -> Point:
    """Build databases of about `postings` postings, query one, and remove them."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return _measured(Path(place), postings)


def _measured(folder: Path, postings: int) -> Point:
    documents = max(postings // DOCUMENT, ASKED // DOCUMENT * 50)
    stored_databases: list[StoredDatabase] = []
    path, placed, other = (folder / f"{documents}-{sort}.fpdb" for sort in ("plain", "placed", "other"))
    load(folder / "first.fpdb", "random", 100)  # modules are loaded, and compiled
    making = seconds(lambda: list(map(len, corpora.random(documents))))
    loading = seconds(lambda: stored_databases.append(load(path, "random", documents))) - making
    (stored,) = stored_databases
    with fpdb.open(other, "x") as db, fpdb.open(path, "r") as theirs:
        merging = seconds(lambda: db.merge(theirs))
    load(placed, "random", documents, positions=True)
    for path_to_compact in (path, placed):
        with fpdb.open(path_to_compact) as db:
            db.compact()
    sizes, with_places = used(path), used(placed)
    with fpdb.open(path, "r") as db:
        query = stored.sample[: ASKED // DOCUMENT].ravel()
        db.query_fingerprints(query)
        elapsed = [seconds(lambda: db.query_fingerprints(query)) for _ in range(TIMES)]
    fences = fence_memory(path)
    return Point(
        postings=stored.postings,
        posting=sizes[file_format.BLOCKS] / stored.postings,
        placed=with_places[file_format.BLOCKS] / stored.postings,
        document=sum(sizes[name] for name in (file_format.NAMES, file_format.DOCUMENTS, file_format.SIZES)) / documents,
        loaded=stored.postings / 1e6 / loading,
        merged=stored.postings / 1e6 / merging,
        query=1e3 * median(elapsed),
        fences=fences,
    )


def fence_memory(path: Path) -> int:
    """Return the bytes of the arrays that a reader keeps of all runs."""
    store = Store(str(path), readonly=True)
    with store.snapshot() as snapshot:
        fences = [snapshot.fences(run) for run in snapshot.runs()]
        size = sum(run_fences.first_hashes.nbytes + run_fences.posting_counts.nbytes for run_fences in fences)
    store.close()
    return size


def expected(postings: int) -> tuple[float, float, float]:
    """Return, by formula, the bytes of a posting without and with its position, and of the fences."""
    shard = shard_of(postings // DOCUMENT)
    plain = posting_bytes(shard)
    return plain, plain + position_bytes(shard), postings / block_postings(shard) * file_format.FENCE.itemsize


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the exponent x of the power nˣ that fits the values best, by least squares of logarithms."""
    if len(sizes) < 2:
        return 0.0
    slope = np.polyfit([log(size) for size in sizes], [log(value) for value in values], 1)[0]
    return round(float(slope), 2) + 0.0  # and never a negative zero


def fingerprinted(characters: int, count: int) -> tuple[float, float]:
    """Return the MB/s at which one process fingerprints `count` installed texts, and fingerprints of a text."""
    recipe = Recipe.preset()
    texts = [text for _, text in islice(record_texts(characters), count)]
    made: list[int] = []
    elapsed = seconds(lambda: made.extend(len(recipe.fingerprint(text, "text").hashes) for text in texts))
    return sum(map(len, texts)) / 1e6 / elapsed, sum(made) / count


def opened_at_once(folder: Path) -> int:
    """Return how many databases this process can open at the same time, up to OPENED.

    Each one takes 2^40 addresses.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8 * OPENED)), hard))
    databases: list[fpdb.Database] = []
    try:
        for number in range(OPENED):
            databases.append(fpdb.open(folder / f"{number}.fpdb"))
    except fpdb.Error:
        pass
    for database in databases:
        database.close()
    return len(databases)
