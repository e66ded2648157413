"""Several snapshots as one IndexReader."""

from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

import fpdb
from fpdb.storage.multi_snapshot import MultiSnapshot, MultiSnapshotCache
from tests.storage.index_reader_tests import GivenDocument, IndexReaderTests, snapshots


class TestMultiSnapshot(IndexReaderTests):
    @contextmanager
    def reader(self, folder, given_documents):
        with snapshots(folder, given_documents, stores=3) as parts:
            yield MultiSnapshot(parts, MultiSnapshotCache())


def test_documents_of_one_name_are_several(tmp_path):
    given_documents = [GivenDocument(b"a", [(1, 0)], store=index) for index in (0, 2)]
    with snapshots(tmp_path, given_documents, stores=3) as parts:
        reader = MultiSnapshot(parts, MultiSnapshotCache())
        ids = reader.find_by_name([b"a"])[b"a"]
        assert [reader.store_of(document_id) for document_id in ids] == [0, 2]
        assert [reader.file_id(document_id) for document_id in ids] == [parts[0].file_id(), parts[2].file_id()]
        assert [record.name for _, record in reader.catalogue.records()] == [b"a", b"a"]


def test_what_is_boilerplate_anywhere_is_worked_out_once(tmp_path):
    given_documents = [GivenDocument(b"a", [(1, 0)]), GivenDocument(b"b", [(1, 0)], boilerplate=True, store=1)]
    with snapshots(tmp_path, given_documents, stores=2) as parts:
        cache = MultiSnapshotCache()
        first = cache.boilerplate(parts)
        assert cache.boilerplate(parts) == first
        assert first[0].tolist() == [1]
        assert {index: counts.tolist() for index, counts in first[1].items()} == {0: [1]}


@pytest.fixture
def databases(tmp_path):
    """Three databases with boilerplate of their own, closed and checked in the end."""
    rng = np.random.default_rng(7)
    with ExitStack() as stack:
        opened = []
        for store in range(3):
            db = stack.enter_context(fpdb.open(tmp_path / f"{store}.fpdb"))
            with db.batch() as batch:
                batch.add_fingerprints(f"template {store}", range(store, store + 4), boilerplate=True)
                for number in range(30):
                    batch.add_fingerprints(f"{store}/{number}", rng.integers(0, 60, 20).astype(np.uint64))
            opened.append(db)
        yield {db.path: db for db in opened}
        assert [db.check() for db in opened] == [[], [], []]


def by_measures(answer):
    return {(match.database, match.name): match[1:5] for match in answer.matches}


@pytest.mark.parametrize("by", ["containment", "reverse_containment", "resemblance", "shared"])
@pytest.mark.parametrize("top", [1, 3, 10, 50])
def test_the_first_matches_have_the_measures_that_they_have_among_all(databases, by, top):
    """Only the sizes of promising documents are read then, whose ids are in any order."""
    query = np.arange(60, dtype=np.uint64)
    together = fpdb.MultiDatabase(databases)
    every = together.query_fingerprints(query, by=by)
    first = together.query_fingerprints(query, by=by, top=top)
    assert first.matches == every.matches[:top]
    assert by_measures(first).items() <= by_measures(every).items()
