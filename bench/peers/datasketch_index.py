"""datasketch: MinHash sketches in a MinHashLSH, in memory, pickled to a file. It estimates, and misses documents."""

import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.corpora import Documents
from bench.peers.engine import Ranking, one_by_one
from fpdb.arrays import U64

PERMUTATIONS = 128
THRESHOLD = 0.4  # resemblance from which a document is likely found


class Datasketch:
    """An LSH index in memory. A change on disk means writing the whole file again."""

    def __init__(self, path: Path) -> None:
        import datasketch

        self._module, self._path = datasketch, path
        self._sketches: dict[int, Any] = {}

    def build(self, documents: Sequence[Documents]) -> None:
        self._index = self._module.MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
        with self._index.insertion_session() as session:
            for number, hashes in one_by_one(documents):
                self._sketches[number] = self._sketch(hashes)
                session.insert(number, self._sketches[number])
        with self._path.open("wb") as file:
            pickle.dump((self._index, self._sketches), file, pickle.HIGHEST_PROTOCOL)
            file.flush()
            os.fsync(file.fileno())

    def _sketch(self, hashes: U64) -> Any:
        sketch = self._module.MinHash(num_perm=PERMUTATIONS, seed=1)
        sketch.update_batch(list(map(bytes, hashes.view("V8"))))
        return sketch

    def ask(self, hashes: U64, top: int) -> Ranking:
        query = self._sketch(hashes)
        ranked = sorted((-query.jaccard(self._sketches[number]), number) for number in self._index.query(query))
        return [(number, None) for _, number in ranked[:top]]

    def close(self) -> None:
        del self._index
