"""LMDB without fpdb: the hash is the key, and the documents that hold it are its sorted duplicates (DUPFIXED)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import lmdb
import numpy as np

from bench.corpora import Documents
from bench.peers.engine import Ranking, columns
from fpdb.arrays import U64

NUMBER = 4  # bytes of a document


class Dupfixed:
    """An index loaded in order, in one transaction: the best case of this layout."""

    def __init__(self, path: Path) -> None:
        self._env = lmdb.open(str(path), subdir=False, map_size=1 << 37, max_dbs=1, lib_version=0)
        self._postings = self._env.open_db(b"postings", dupsort=True, dupfixed=True)

    def build(self, documents: Sequence[Documents]) -> None:
        hashes, numbers = columns(documents)
        order = np.lexsort((numbers, hashes))
        keys, values = hashes[order].astype(">u8").tobytes(), numbers[order].astype(">u4").tobytes()
        with self._env.begin(write=True, db=self._postings) as txn:
            pairs = zip(_cut(keys, 8), _cut(values, NUMBER), strict=True)
            txn.cursor().putmulti(pairs, append=True)

    def ask(self, hashes: U64, top: int) -> Ranking:
        keys = _cut(np.sort(hashes).astype(">u8").tobytes(), 8)
        with self._env.begin(db=self._postings) as txn:
            found = txn.cursor().getmulti(list(keys), dupdata=True, dupfixed_bytes=NUMBER)
            documents = np.frombuffer(b"".join(value for _, value in found), ">u4").astype(np.int64)
        counts = np.bincount(documents)
        best = np.argsort(-counts, kind="stable")[:top]
        return [(int(number), int(counts[number])) for number in best if counts[number]]

    def add(self, number: int, hashes: U64) -> None:
        value = number.to_bytes(NUMBER, "big")
        with self._env.begin(write=True, db=self._postings) as txn:
            for key in np.sort(hashes).tolist():
                txn.put(key.to_bytes(8, "big"), value)

    def remove(self, number: int, hashes: U64) -> None:
        value = number.to_bytes(NUMBER, "big")
        with self._env.begin(write=True, db=self._postings) as txn:
            for key in np.sort(hashes).tolist():
                txn.delete(key.to_bytes(8, "big"), value)

    def close(self) -> None:
        self._env.close()


def _cut(data: bytes, size: int) -> Iterator[bytes]:
    return map(bytes, np.frombuffer(data, f"V{size}"))
