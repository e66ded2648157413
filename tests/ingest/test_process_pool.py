"""Processes that die are an error, and are copied only where that is safe."""

import os

import pytest

from fpdb.ingest import parallel, process_pool
from fpdb.ingest.chunk_preparer import ChunkPreparer
from fpdb.ingest.chunks import chunked
from fpdb.ingest.files import Skipped
from fpdb.ingest.parallel import prepare_chunks
from fpdb.ingest.process_pool import WorkerError
from tests.ingest.given_texts import PREPARER, given_texts


def dying(*_: object) -> None:
    os._exit(1)


@pytest.mark.usefixtures("small_chunks")
def test_a_worker_that_dies_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_start_worker", dying)
    monkeypatch.setattr(ChunkPreparer, "prepare", lambda *_: [Skipped("a", "slow")])
    with pytest.raises(WorkerError, match="--jobs 1"):
        list(prepare_chunks(chunked(given_texts(200)), PREPARER, 2))


def test_no_process_is_copied_whose_threads_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def listdir(path: str) -> list[str]:
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "listdir", listdir)
    with process_pool.forked_pool(2, int) as copies:
        assert copies is None
