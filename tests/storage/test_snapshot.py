"""The snapshot of one file as a Reader."""

from contextlib import contextmanager

from tests.storage.reader_tests import ReaderTests, snapshots


class TestSnapshot(ReaderTests):
    @contextmanager
    def reader(self, folder, given_documents):
        with snapshots(folder, given_documents) as (snapshot,):
            yield snapshot
