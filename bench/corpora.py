"""Deterministic corpora to store and query: random documents, families of near-duplicates, common hashes, files.

A corpus comes in batches of hashes and positions, shape (documents, hashes). It is the same for every engine.
"""

import json
import os
import shutil
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from itertools import count as counted
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from fpdb.arrays import U32, U64

DOCUMENT = 100  # hashes of a document
LONG = 1000  # of a long one
BATCH = 30_000  # documents at a time; a multiple of FAMILY
WINDOW = 21  # of the recipe that random positions imitate
FAMILY = 5  # documents that are near-duplicates of each other
COMMON = 5  # hashes that every document of the families corpus holds
FREQUENCIES = (1, 2, 5, 10, 20, 50, 100)  # of a hash, in the corpus for pairs
NEIGHBOURS = 5  # up to this frequency, those that hold a hash stand next to each other

LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz     \n", np.uint8)
TEXTS = {".py", ".pyi", ".txt", ".rst", ".md", ".html", ".c", ".h", ".toml", ".cfg", ".json", ".xml"}
ELSEWHERE = {"site-packages", "dist-packages", "__pycache__"}


class Documents(NamedTuple):
    """A batch of documents: the number of the first, and hashes and positions of shape (documents, hashes)."""

    first: int
    hashes: U64
    positions: U32


class Corpus(Protocol):
    """A function that makes `count` documents, in batches."""

    def __call__(self, count: int, seed: int = 1) -> Iterator[Documents]:
        """Yield the documents."""


def random(count: int, seed: int = 1, length: int = DOCUMENT) -> Iterator[Documents]:
    """Yield documents of `length` random hashes. They share hashes by chance only."""
    rng = np.random.default_rng(seed)
    batch = BATCH * DOCUMENT // length
    for first in range(0, count, batch):
        shape = min(batch, count - first), length
        yield Documents(first, rng.integers(0, 2**64, shape, np.uint64), _positions(rng, shape))


def long(count: int, seed: int = 1) -> Iterator[Documents]:
    """Yield documents of LONG random hashes."""
    return random(count, seed, LONG)


def families(count: int, seed: int = 1) -> Iterator[Documents]:
    """Yield near-duplicates: each five documents in a row form a family, and all documents hold COMMON hashes.

    The other members keep 90, 80, 70 and 60 percent of the DOCUMENT hashes of the first member, in order. The rest of
    their hashes is their own.
    """
    rng = np.random.default_rng(seed)
    common = rng.integers(0, 2**64, COMMON, np.uint64)
    for first in range(0, count, BATCH):
        number = min(BATCH, count - first)
        heads = rng.integers(0, 2**64, (-(-number // FAMILY), DOCUMENT), np.uint64)
        hashes = rng.integers(0, 2**64, (number, DOCUMENT + COMMON), np.uint64)
        hashes[:, DOCUMENT:] = common
        for member in range(FAMILY):
            rows = hashes[member::FAMILY]
            kept = kept_by(member)
            rows[:, :kept] = heads[: len(rows), :kept]
        yield Documents(first, hashes, _positions(rng, hashes.shape))


def kept_by(member: int) -> int:
    """Return how many hashes of its head a member of a family keeps; the head is member 0."""
    return DOCUMENT - member * (DOCUMENT // 10)


def shared_groups(count: int, seed: int = 1) -> Iterator[Documents]:
    """Yield documents for pairs: each holds 14 hashes of each frequency in FREQUENCIES, and 2 more of frequency 1.

    Documents that share a rarer hash are neighbours, as near-duplicates are; documents that share a more common hash
    are chosen at random. The whole corpus is in memory at once.
    """
    rng = np.random.default_rng(seed)
    per_frequency = DOCUMENT // len(FREQUENCIES)
    hashes = rng.integers(0, 2**64, (count, DOCUMENT), np.uint64)
    for column_group, frequency in enumerate(FREQUENCIES[1:]):
        keys = rng.integers(0, 2**64, (-(-count // frequency), per_frequency), np.uint64)
        for column in range(per_frequency):
            order = np.arange(count) if frequency <= NEIGHBOURS else rng.permutation(count)
            hashes[:, column_group * per_frequency + column] = keys[order // frequency, column]
    for first in range(0, count, BATCH):
        batch = hashes[first : first + BATCH]
        yield Documents(first, batch, _positions(rng, batch.shape))


def _positions(rng: np.random.Generator, shape: tuple[int, ...]) -> U32:
    gaps = rng.integers(1, WINDOW + 1, shape, np.uint32)
    return np.cumsum(gaps, axis=1, dtype=np.uint32)


def name_of(number: int) -> str:
    """Return the name of a document."""
    return f"document {number:08}"


def texts(size: int, count: int, seed: int = 3) -> Iterator[bytes]:
    """Yield `count` files of `size` bytes: random words of about five letters."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield LETTERS[np.frombuffer(rng.bytes(size), np.uint8) & 31].tobytes()


@lru_cache(maxsize=1)
def essay() -> str:
    """Return 4,096 characters of words, always the same."""
    return next(texts(4096, 1)).decode()


def write_texts(folder: Path, size: int, count: int) -> int:
    """Write `count` files of random words, a thousand to a folder, and return their bytes."""
    for number, text in enumerate(texts(size, count)):
        place = folder / f"{number // 1000:04}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:08}.txt").write_bytes(text)
    os.sync()  # not while something is timed
    return size * count


def installed(root: Path, suffixes: set[str]) -> list[Path]:
    """List the files with these suffixes below a folder of the Python installation.

    Installed packages are included only if the folder is the one of the packages.
    """
    paths = []
    for place, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - ELSEWHERE)
        paths += [Path(place, file) for file in sorted(files) if Path(file).suffix in suffixes]
    return paths


def copy_installation(folder: Path, every: int, suffixes: set[str]) -> int:
    """Copy every nth of the Python installation's sources and texts, and return their bytes."""
    library = Path(sysconfig.get_path("stdlib"))
    size = 0
    for path in installed(library, suffixes)[::every]:
        copy = folder / path.relative_to(library)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        size += copy.stat().st_size
    return size


def record_texts(size: int) -> Iterator[tuple[str, str]]:
    """Yield names and texts of records without end: pieces of `size` characters of the installed sources and texts.

    Each piece stands below its name. When all files are used up, they are cut again at other places.
    """
    paths = [path for root in ("stdlib", "purelib") for path in installed(Path(sysconfig.get_path(root)), TEXTS)]
    for turn in counted():
        shift = turn * size * 3 // 7 % size
        for path in paths:
            text = path.read_text("utf-8", "replace")
            for start in range(-shift, len(text) - size // 2, size):
                name = f"{path.parent.name}/{path.name}, turn {turn}, from {start}"
                yield name, f"{name}\n{text[max(start, 0) : start + size]}"


def write_records(path: Path, count: int, size: int = 1000, *, start: int = 0) -> int:
    """Write `count` records as JSON Lines, from number `start` on, and return the bytes."""
    with path.open("w", encoding="utf-8") as file:
        for number, (name, text) in enumerate(islice(record_texts(size), start, start + count), start):
            file.write(json.dumps({"id": f"{number:08} {name}", "text": text}, ensure_ascii=False) + "\n")
    return path.stat().st_size


def read_all(folder: Path) -> None:
    """Read and lower-case every file: the least work of anything that compares texts."""
    for place, _, files in os.walk(folder):
        for file in files:
            with open(os.path.join(place, file), "rb", buffering=0) as content:
                content.read().lower()


KINDS: dict[str, Corpus] = {"random": random, "long": long, "families": families, "groups": shared_groups}
