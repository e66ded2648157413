"""The calls that the comparison makes to an engine, and the true answers."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from bench.corpora import FAMILY, Corpus, Documents
from fpdb.arrays import U32, U64

Ranking = list[tuple[int, int | None]]
"""Documents, the best first, with the hashes they share; None where the engine only estimates."""


class Engine(Protocol):
    """An index of documents on disk. Each call but `ask` has its work synced to disk when it returns."""

    def build(self, documents: Sequence[Documents]) -> None:
        """Index all documents, in a new file."""

    def ask(self, hashes: U64, top: int) -> Ranking:
        """Return the documents that share most of these hashes."""

    def close(self) -> None:
        """Close the file."""


@runtime_checkable
class Changeable(Engine, Protocol):
    """An engine that changes one document without writing the whole index again."""

    def add(self, number: int, hashes: U64) -> None:
        """Add one document."""

    def remove(self, number: int, hashes: U64, /) -> None:
        """Remove the document of this number, which holds these hashes."""


Maker = Callable[[Path], Engine]


def columns(documents: Sequence[Documents]) -> tuple[U64, U32]:
    """Return hash and document of all postings, unsorted."""
    hashes = np.concatenate([batch.hashes.ravel() for batch in documents])
    numbers = [
        np.repeat(np.arange(batch.first, batch.first + len(batch.hashes), dtype=np.uint32), batch.hashes.shape[1])
        for batch in documents
    ]
    return hashes, np.concatenate(numbers)


def one_by_one(documents: Sequence[Documents]) -> Iterable[tuple[int, U64]]:
    """Yield number and hashes of each document."""
    for batch in documents:
        yield from enumerate(batch.hashes, batch.first)


def in_lots(items: Iterable[tuple[int, U64]], size: int) -> Iterable[list[tuple[int, U64]]]:
    """Yield the items in lists of `size`."""
    iterator = iter(items)
    while lot := list(islice(iterator, size)):
        yield lot


def bytes_on_disk(path: Path) -> int:
    """Return the size of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


class Truth:
    """Numbers of hashes that each document really shares with each query, counted without an index."""

    def __init__(self, corpus: Corpus, count: int, queries: Sequence[U64]) -> None:
        self._count = count
        self._queries = queries
        wanted = np.unique(np.concatenate(queries))
        hashes, documents = [], []
        for batch in corpus(count):
            flat = batch.hashes.ravel()
            places = np.minimum(np.searchsorted(wanted, flat), len(wanted) - 1)
            hits = np.flatnonzero(wanted[places] == flat)
            hashes.append(flat[hits])
            documents.append(hits // batch.hashes.shape[1] + batch.first)
        self._hashes, self._documents = np.concatenate(hashes), np.concatenate(documents)

    def share_right(self, answers: Sequence[Ranking]) -> float:
        """Return the share of queries whose first five documents are right, with the number of shared hashes.

        Five is the size of a family. Documents that share equally many hashes may come in any order. Of an engine that
        estimates, only the documents count.
        """
        return sum(map(self._is_right, self._queries, answers)) / len(answers)

    def _is_right(self, query: U64, ranking: Ranking) -> bool:
        ranking = ranking[:FAMILY]
        counts = np.bincount(self._documents[np.isin(self._hashes, query)], minlength=self._count)
        best = np.argsort(-counts, kind="stable")[:FAMILY]
        best = best[counts[best] > 0]
        if any(shared is None for _, shared in ranking):
            return {number for number, _ in ranking} == set(best.tolist())
        shared = [count for _, count in ranking]
        return shared == counts[best].tolist() and all(counts[number] == count for number, count in ranking)
