"""The snapshot of one file as an IndexReader."""

from contextlib import contextmanager

from tests.storage.index_reader_tests import IndexReaderTests, snapshots


class TestSnapshot(IndexReaderTests):
    @contextmanager
    def reader(self, folder, given_documents):
        with snapshots(folder, given_documents) as (snapshot,):
            yield snapshot
