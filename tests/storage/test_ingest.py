"""Documents with sorted postings come in under new ids, each of them whole or not at all."""

import numpy as np
import pytest

from fpdb.errors import BadFolder
from fpdb.storage import file_format, ingest
from fpdb.storage.ingest import IncomingDocument, IncomingRun, ingest_sorted
from fpdb.storage.records import Record
from fpdb.storage.runs.postings import Postings


class ListedDocuments:
    """A `SortedPostingsSource` of documents' postings (hash, encoded position), in runs of four documents.

    told: by number, another count of postings than a document has.
    """

    def __init__(self, postings, told=None):
        self.postings, self.told = postings, told or {}
        self.size = len(postings)

    def runs(self):
        for first in range(0, self.size, 4):
            last = min(first + 3, self.size - 1)
            triples = sorted(
                (hash_, number, position)
                for number in range(first, last + 1)
                for hash_, position in self.postings[number]
            )
            yield IncomingRun(first, last, self.pieces(triples))

    def pieces(self, triples):
        for start in range(0, len(triples), 5):
            hashes, document_ids, positions = zip(*triples[start : start + 5], strict=True)
            yield Postings(
                np.array(hashes, np.uint64), np.array(document_ids, np.uint32), np.array(positions, np.uint32)
            )

    def check(self, numbers, postings):
        pass

    def documents(self, numbers):
        for number in numbers.tolist():
            count = self.told.get(number, len(self.postings[number]))
            record = Record(f"new {number}".encode(), "hashes", bytes(16), 0, 0, count, min(count, 1), 0)
            yield IncomingDocument(number, record, file_format.WHOLE)

    def text(self, _):
        return None

    def miscounted(self, number, told, found):
        return BadFolder(f"document {number} has {found} postings, not {told}")


@pytest.fixture
def postings(rng):
    """Return the postings of each document, none of some."""
    return [
        sorted(set(zip(rng.integers(0, 30, count).tolist(), rng.integers(0, 4, count).tolist(), strict=True)))
        for count in rng.integers(0, 25, 18).tolist()
    ]


@pytest.fixture(autouse=True)
def _small_commits(monkeypatch):
    monkeypatch.setattr(ingest, "DOCUMENTS_PER_COMMIT", 3)


@pytest.mark.usefixtures("small_limits")
def test_the_documents_that_come_hold_their_postings(db, postings):
    db.add_fingerprints("new 2", [1], boilerplate=True)
    db.add_fingerprints("new 4", [99])
    db.add_fingerprints("template", [5, 6], boilerplate=True)
    numbers = np.delete(np.arange(18, dtype=np.uint32), [0, 7, 8])
    with db._store.exclude_writers():
        ingest_sorted(db._store, ListedDocuments(postings), numbers, [b"new 2"])
    assert {document.name for document in db.documents()} == {"template", *(f"new {number}" for number in numbers)}
    for hash_ in range(30):
        holders = {f"new {number}" for number in numbers if hash_ in dict(postings[number])}
        answer = db.query_fingerprints([hash_])
        assert {match.name for match in answer.matches} == (set() if hash_ in (5, 6) else holders)


def test_an_error_of_the_source_changes_nothing(db, postings, monkeypatch):
    def refuse(*_):
        raise BadFolder("it is wrong")

    db.add_fingerprints("here", [1])
    with db._store.snapshot() as snapshot:
        documents, runs = list(db.documents()), snapshot.state.runs
    monkeypatch.setattr(ListedDocuments, "check", refuse)
    with db._store.exclude_writers(), pytest.raises(BadFolder, match="it is wrong"):
        ingest_sorted(db._store, ListedDocuments(postings), np.arange(18, dtype=np.uint32))
    with db._store.snapshot() as snapshot:
        assert (list(db.documents()), snapshot.state.runs) == (documents, runs)


def test_a_wrong_count_is_said_and_what_came_is_whole(db, postings):
    source = ListedDocuments(postings, told={7: 1000})
    with db._store.exclude_writers(), pytest.raises(BadFolder, match=r"document 7 has .* not 1000"):
        ingest_sorted(db._store, source, np.arange(18, dtype=np.uint32))
    assert [document.name for document in db.documents()] == [f"new {number}" for number in range(6)]
