"""Processes that die are an error, and are copied only where that is safe."""

import os
import subprocess
import sys

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


FORKED = """
import threading
from fpdb.ingest.process_pool import forked_pool

wait = threading.Event()
for _ in range({others}):
    threading.Thread(target=wait.wait).start()
with forked_pool({processes}, int) as copies:
    print(0 if copies is None else len(copies.executor._processes))
wait.set()
"""


@pytest.mark.parametrize(("processes", "others", "copies"), [(1, 0, 0), (2, 0, 1), (4, 0, 3), (4, 1, 0)])
def test_a_process_is_copied_only_while_it_has_one_thread(
    processes: int, others: int, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as the program has it
    script = FORKED.format(processes=processes, others=others)
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (shown.stdout, shown.stderr) == (f"{copies}\n", "")
