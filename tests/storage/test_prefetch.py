"""A IndexReader with look-ups made ahead."""

from contextlib import contextmanager

import numpy as np
import pytest

from fpdb.storage import prefetch
from fpdb.storage.prefetch import PrefetchedSnapshot
from tests.storage.index_reader_tests import GREATEST, IndexReaderTests, snapshots


class TestPrefetchedSnapshot(IndexReaderTests):
    """Documents of very common hashes are not held; other hashes were not prefetched at all."""

    @pytest.fixture(autouse=True, params=[(1, 1), (2, 30), (16, 1 << 24)])
    def _held(self, request, monkeypatch):
        minimum, maximum = request.param
        monkeypatch.setattr(prefetch, "MIN_CAP", minimum)
        monkeypatch.setattr(prefetch, "MAX_HITS", maximum)

    @contextmanager
    def reader(self, folder, given_documents):
        with snapshots(folder, given_documents) as (snapshot,):
            yield PrefetchedSnapshot(snapshot, np.array([0, 1, 2, 3, 4, 5, 11, GREATEST], np.uint64))
