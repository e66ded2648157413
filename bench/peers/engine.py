"""What the comparison asks of an engine, and what is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bench.corpora import FAMILY, Corpus, Documents

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
Found = list[tuple[int, int | None]]
"""Documents, the best first, with the hashes they share; None where the engine only estimates."""


class Engine(Protocol):
    """An index of documents on disk. Each call but `ask` has its work synced to disk when it returns."""

    def build(self, documents: Sequence[Documents]) -> None:
        """Indexes all documents, in a new file."""

    def ask(self, hashes: U64, top: int) -> Found:
        """The documents that share most of these hashes."""

    def close(self) -> None:
        """Closes the file."""


@runtime_checkable
class Changeable(Engine, Protocol):
    """An engine that changes one document without writing the whole index anew."""

    def add(self, number: int, hashes: U64) -> None:
        """Adds one document."""

    def remove(self, number: int, hashes: U64, /) -> None:
        """Removes the document of that number, which holds these hashes."""


Maker = Callable[[Path], Engine]


def columns(documents: Sequence[Documents]) -> tuple[U64, U32]:
    """All postings, unsorted: hash and document of each."""
    hashes = np.concatenate([some.hashes.ravel() for some in documents])
    numbers = [
        np.repeat(np.arange(some.first, some.first + len(some.hashes), dtype=np.uint32), some.hashes.shape[1])
        for some in documents
    ]
    return hashes, np.concatenate(numbers)


def one_by_one(documents: Sequence[Documents]) -> Iterable[tuple[int, U64]]:
    """Number and hashes of each document."""
    for some in documents:
        yield from enumerate(some.hashes, some.first)


def in_lots(items: Iterable[tuple[int, U64]], size: int) -> Iterable[list[tuple[int, U64]]]:
    """The same, so many at a time."""
    iterator = iter(items)
    while lot := list(islice(iterator, size)):
        yield lot


def bytes_on_disk(path: Path) -> int:
    """Of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


class Truth:
    """How many hashes each document really shares with each query, counted without an index."""

    def __init__(self, corpus: Corpus, count: int, queries: Sequence[U64]) -> None:
        self._count = count
        self._queries = queries
        wanted = np.unique(np.concatenate(queries))
        hashes, documents = [], []
        for some in corpus(count):
            flat = some.hashes.ravel()
            places = np.minimum(np.searchsorted(wanted, flat), len(wanted) - 1)
            hits = np.flatnonzero(wanted[places] == flat)
            hashes.append(flat[hits])
            documents.append(hits // some.hashes.shape[1] + some.first)
        self._hashes, self._documents = np.concatenate(hashes), np.concatenate(documents)

    def share_right(self, answers: Sequence[Found]) -> float:
        """The share of queries of which the first five documents are right, and what they share; as many as a family.

        Of documents that share as much, any may come first. Of an engine that estimates, only the documents count.
        """
        return sum(map(self._is_right, self._queries, answers)) / len(answers)

    def _is_right(self, query: U64, found: Found) -> bool:
        found = found[:FAMILY]
        counts = np.bincount(self._documents[np.isin(self._hashes, query)], minlength=self._count)
        best = np.argsort(-counts, kind="stable")[:FAMILY]
        best = best[counts[best] > 0]
        if any(shared is None for _, shared in found):
            return {number for number, _ in found} == set(best.tolist())
        shared = [count for _, count in found]
        return shared == counts[best].tolist() and all(counts[number] == count for number, count in found)
