"""sourmash: an index of sketches in RocksDB. It keeps every 64-bit hash (scaled=1), so its answers are exact."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.corpora import Documents
from bench.peers.engine import Ranking, one_by_one
from fpdb.arrays import U64


class Sourmash:
    """An index made from all documents at once; nothing can be added later."""

    def __init__(self, path: Path) -> None:
        import sourmash
        from sourmash.index.revindex import DiskRevIndex

        self._module, self._index, self._path = sourmash, DiskRevIndex, path

    def build(self, documents: Sequence[Documents]) -> None:
        sketches = [self._sketch(number, hashes) for number, hashes in one_by_one(documents)]
        self._stored = self._index.create_from_sigs(sketches, str(self._path))

    def _sketch(self, number: int, hashes: U64) -> Any:
        sketch = self._module.MinHash(n=0, ksize=31, scaled=1)
        sketch.add_many(hashes.tolist())
        return self._module.SourmashSignature(sketch, name=str(number))

    def ask(self, hashes: U64, top: int) -> Ranking:
        query = self._sketch(0, hashes)
        results = self._stored.search(query, threshold=0.5, do_containment=True)
        found = [(int(result.signature.name), round(result.score * len(hashes))) for result in results]
        return sorted(found, key=lambda one: (-one[1], one[0]))[:top]

    def close(self) -> None:
        del self._stored
