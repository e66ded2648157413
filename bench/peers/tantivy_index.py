"""tantivy: a full-text index with the hashes as a field of many numbers; a document's score counts its matches."""

from collections.abc import Sequence
from pathlib import Path

from bench.corpora import Documents
from bench.peers.engine import Ranking, one_by_one
from fpdb.arrays import U64

HEAP = 256_000_000  # bytes


class Tantivy:
    """An index with one segment writer for each core."""

    def __init__(self, path: Path) -> None:
        import tantivy

        self._module = tantivy
        path.mkdir()
        schema = tantivy.SchemaBuilder()
        schema.add_unsigned_field("number", stored=True, indexed=True, fast=True)
        schema.add_unsigned_field("hash", stored=False, indexed=True)
        self._schema = schema.build()
        self._index = tantivy.Index(self._schema, path=str(path))
        self._writer = self._index.writer(HEAP)

    def build(self, documents: Sequence[Documents]) -> None:
        for number, hashes in one_by_one(documents):
            self._put(number, hashes)
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._writer = self._index.writer(HEAP)
        self._writer.garbage_collect_files()
        self._read()

    def _put(self, number: int, hashes: U64) -> None:
        document = self._module.Document()
        document.add_unsigned("number", number)
        for value in hashes.tolist():
            document.add_unsigned("hash", value)
        self._writer.add_document(document)

    def _read(self) -> None:
        self._index.reload()
        self._searcher = self._index.searcher()

    def ask(self, hashes: U64, top: int) -> Ranking:
        query, occur = self._module.Query, self._module.Occur.Should
        terms = [
            (occur, query.const_score_query(query.term_query(self._schema, "hash", value), 1.0))
            for value in hashes.tolist()
        ]
        hits = self._searcher.search(query.boolean_query(terms), top).hits
        return [(self._searcher.doc(place)["number"][0], round(score)) for score, place in hits]

    def add(self, number: int, hashes: U64) -> None:
        self._put(number, hashes)
        self._writer.commit()
        self._read()

    def remove(self, number: int, _hashes: U64) -> None:
        self._writer.delete_documents_by_term("number", number)
        self._writer.commit()
        self._read()

    def close(self) -> None:
        self._writer.wait_merging_threads()
