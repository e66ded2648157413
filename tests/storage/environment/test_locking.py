"""Locks between processes and threads."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

import fpdb
from fpdb.storage.environment.locking import FileLock
from tests.storage.processes import hear, running


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
