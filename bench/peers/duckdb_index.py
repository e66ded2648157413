"""DuckDB: a table of (hash, document), sorted by hash when it is loaded, so that a look-up reads few row groups."""

from collections.abc import Sequence
from pathlib import Path

from bench.corpora import Documents
from bench.peers.engine import Ranking, columns
from fpdb.arrays import U64

ASK = """
    WITH asked AS (SELECT unnest(?::UBIGINT[]) AS hash)
    SELECT document, count(*) AS shared FROM postings JOIN asked USING (hash)
    GROUP BY document ORDER BY shared DESC, document LIMIT ?
"""


class DuckDB:
    """A table in a DuckDB file. Rows that are added later are not sorted in."""

    def __init__(self, path: Path) -> None:
        import duckdb

        self._connection = duckdb.connect(str(path))

    def build(self, documents: Sequence[Documents]) -> None:
        hashes, numbers = columns(documents)
        self._connection.register("given", {"hash": hashes, "document": numbers})
        self._connection.execute("CREATE TABLE postings AS SELECT hash, document FROM given ORDER BY hash, document")
        self._connection.execute("CHECKPOINT")
        self._connection.unregister("given")

    def ask(self, hashes: U64, top: int) -> Ranking:
        found: Ranking = self._connection.execute(ASK, [hashes.tolist(), top]).fetchall()
        return found

    def add(self, number: int, hashes: U64) -> None:
        self._connection.execute("INSERT INTO postings SELECT unnest(?::UBIGINT[]), ?", [hashes.tolist(), number])

    def remove(self, number: int, _hashes: U64) -> None:
        self._connection.execute("DELETE FROM postings WHERE document = ?", [number])

    def close(self) -> None:
        self._connection.close()
