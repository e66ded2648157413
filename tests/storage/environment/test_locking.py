"""Locks between processes and threads."""

import errno
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import fpdb
from fpdb.storage.environment.locking import FileLock
from tests.storage.processes import hear, running, tell


def test_a_child_forked_meanwhile_does_not_keep_the_lock(tmp_path):
    program = """
from fpdb.storage.environment.locking import FileLock
with FileLock(path, "testing", 0).held():
    child = os.fork()
    if not child:
        hear()
        os._exit(0)
with FileLock(path, "testing", 0).held():
    say("free")
os.kill(child, signal.SIGKILL)
"""
    with running(program, str(tmp_path / "lock")) as process:
        assert hear(process) == "free"


def test_a_thread_may_take_a_lock_again_and_another_waits(tmp_path):
    lock = FileLock(str(tmp_path / "lock"), "testing", 0.05)
    with lock.held(), lock.held(), ThreadPoolExecutor() as pool:

        def take():
            with lock.held():
                return True

        with pytest.raises(fpdb.Locked, match="another thread"):
            pool.submit(take).result()
    with ThreadPoolExecutor() as pool:
        assert pool.submit(take).result()


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the system does not tell what is stopped")
@pytest.mark.parametrize(
    "command", [["add", "more.txt"], ["remove", "a"], ["compact"], ["rotate"], ["import", "x.jsonl"]]
)
def test_a_command_that_comes_while_the_writer_is_stopped_says_so_in_time(tmp_path, monkeypatch, command):
    """The writer is stopped in the middle of a commit, before the database is opened."""
    monkeypatch.chdir(tmp_path)
    Path("more.txt").write_text("some words")
    path = str(tmp_path / "x.fpdb")
    with fpdb.open(path) as db, open("x.jsonl", "wb") as file:
        db.add_fingerprints("a", [1])
        db.export(file)
    program = """
db = fpdb.open(path)
with db._store.env.write():
    say("writing")
    hear()
"""
    with running(program, path) as writer:
        assert hear(writer) == "writing"
        writer.send_signal(signal.SIGSTOP)
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "fpdb", "--db", path, "--timeout", "0.5", *command],
            capture_output=True,
            text=True,
            timeout=30,
            env={**os.environ, "PYTHONPATH": str(Path(fpdb.__file__).parents[1])},
        )
        assert time.monotonic() - begun < 20
        writer.send_signal(signal.SIGCONT)
        tell(writer)
        writer.wait()
    assert done.returncode == 1
    assert f"process {writer.pid} is writing to the database and is stopped" in done.stderr
    with fpdb.open(path) as again:
        assert again.check() == []


def test_a_failing_lock_file_is_a_storage_failure(db, monkeypatch):
    plain = os.open

    def refusing(name, *options, **more):
        if str(name).endswith(("-writer", "-merge")):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        return plain(name, *options, **more)

    monkeypatch.setattr(os, "open", refusing)
    for change in (lambda: db.add_fingerprints("a", [1]), db.compact, db.check):
        with pytest.raises(fpdb.StorageFailure, match="make room"):
            change()
    monkeypatch.undo()
    assert db.add_fingerprints("a", [1]) == "added"


def test_what_is_said_of_the_writer_may_find_no_room(db, monkeypatch):
    """A full disk does not keep anyone from removing documents or merging in the pages that are there."""

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    monkeypatch.setattr(os, "truncate", full)
    assert db.add_fingerprints("a", [1]) == "added"
    db.compact()
    db.remove("a")
