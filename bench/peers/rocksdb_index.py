"""RocksDB through rocksdict: a key of hash and document for each posting, without a value; counted in Python."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.corpora import Documents
from bench.peers.engine import Ranking, in_lots, one_by_one
from fpdb.arrays import U64

HASH = 8  # bytes
LOT = 1000  # documents a batch


class Rocks:
    """An index that is compacted after loading."""

    def __init__(self, path: Path) -> None:
        import rocksdict

        self._module = rocksdict
        self._db = rocksdict.Rdict(str(path), rocksdict.Options(raw_mode=True))
        self._synced = rocksdict.WriteOptions()
        self._synced.sync = True

    def build(self, documents: Sequence[Documents]) -> None:
        for lot in in_lots(one_by_one(documents), LOT):
            batch = self._module.WriteBatch(raw_mode=True)
            for number, hashes in lot:
                for key in _keys(number, hashes):
                    batch.put(key, b"")
            self._db.write(batch)
        self._db.flush()
        self._db.compact_range(None, None)

    def ask(self, hashes: U64, top: int) -> Ranking:
        counts: Counter[bytes] = Counter()
        iterator = self._db.iter()
        for prefix in map(bytes, hashes.astype(">u8").view("V8")):
            iterator.seek(prefix)
            while iterator.valid() and (key := iterator.key()).startswith(prefix):
                counts[key[HASH:]] += 1
                iterator.next()
        return [(int.from_bytes(document, "big"), shared) for document, shared in counts.most_common(top)]

    def add(self, number: int, hashes: U64) -> None:
        batch = self._module.WriteBatch(raw_mode=True)
        for key in _keys(number, hashes):
            batch.put(key, b"")
        self._db.write(batch, self._synced)

    def remove(self, number: int, hashes: U64) -> None:
        batch = self._module.WriteBatch(raw_mode=True)
        for key in _keys(number, hashes):
            batch.delete(key)
        self._db.write(batch, self._synced)

    def close(self) -> None:
        self._db.close()


def _keys(number: int, hashes: U64) -> list[bytes]:
    document = number.to_bytes(4, "big")
    return [value.to_bytes(HASH, "big") + document for value in hashes.tolist()]
