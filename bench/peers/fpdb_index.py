"""fpdb itself, as loaded, and compacted."""

from collections.abc import Sequence
from pathlib import Path

import fpdb
from bench.corpora import Documents, name_of
from bench.peers.engine import Ranking
from bench.workspace import add
from fpdb.arrays import U64


class Fpdb:
    """A database with a commit for each 30,000 documents."""

    def __init__(self, path: Path, compacted: bool = False) -> None:
        self._db = fpdb.open(path, "x")
        self._compacted = compacted

    def build(self, documents: Sequence[Documents]) -> None:
        with self._db.bulk():
            for some in documents:
                add(self._db, some, slice(None))
        if self._compacted:
            self._db.compact()

    def ask(self, hashes: U64, top: int) -> Ranking:
        matches = self._db.query_fingerprints(hashes, top=top).matches
        return [(int(match.name.split()[1]), match.shared) for match in matches]

    def add(self, number: int, hashes: U64) -> None:
        self._db.add_fingerprints(name_of(number), hashes)

    def remove(self, number: int, _hashes: U64) -> None:
        self._db.remove(name_of(number))

    def close(self) -> None:
        self._db.close()


def compacted(path: Path) -> Fpdb:
    """Make a database that is compacted after loading; the time counts as part of the load."""
    return Fpdb(path, compacted=True)
