"""Locks between processes and threads."""

import errno
import fcntl
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

import fpdb
from fpdb.cli.program import cli
from fpdb.storage.environment.locking import FileLock
from tests.storage.processes import hear, run_in_child, running, tell


def test_a_child_forked_meanwhile_does_not_keep_the_lock(tmp_path):
    program = """
from fpdb.storage.environment.locking import FileLock
with FileLock(path, "-writer", "testing", 0).held():
    child = os.fork()
    if not child:
        hear()
        os._exit(0)
with FileLock(path, "-writer", "testing", 0).held():
    say("free")
os.kill(child, signal.SIGKILL)
"""
    with running(program, str(tmp_path / "t")) as process:
        assert hear(process) == "free"


def test_a_thread_may_take_a_lock_again_and_another_waits(tmp_path):
    lock = FileLock(str(tmp_path / "t"), "-writer", "testing", 0.05)
    with lock.held(), lock.held(), ThreadPoolExecutor() as pool:

        def take():
            with lock.held():
                return True

        with pytest.raises(fpdb.Locked, match="another thread"):
            pool.submit(take).result()
    with ThreadPoolExecutor() as pool:
        assert pool.submit(take).result()


def test_no_want_of_memory_keeps_a_lock(tmp_path):
    """Whichever allocation of Python fails, the lock is free afterwards."""
    nomemory = pytest.importorskip("_testcapi")
    paths = str(tmp_path / "t"), "-writer", "testing", 0

    def run():
        failed = 0
        for nth in range(1, 80):
            lock = FileLock(*paths)
            nomemory.set_nomemory(nth, nth + 1)
            try:
                with lock.held():
                    pass
            except (MemoryError, fpdb.Error):
                failed += 1
            finally:
                nomemory.remove_mem_hooks()
            for each in (FileLock(*paths), lock):
                with each.held():
                    pass
        return f"{failed > 20}"

    assert run_in_child(run) == "True"


WRITING = {
    "add": ["more.txt"],
    "adopt": ["folder"],
    "compact": [],
    "import": ["x.jsonl"],
    "merge": ["other.fpdb"],
    "publish": ["other.fpdb", "x.fpdb"],
    "remove": ["a.txt"],
    "rename": ["a.txt", "c.txt"],
    "rotate": ["a.txt"],
}
READING = {
    "backup": ["copy.fpdb"],
    "check": [],
    "common": [],
    "dedup": ["more.txt", "-o", "kept.txt"],
    "drop-list": [],
    "explain": ["a.txt", "b.txt"],
    "export": ["-"],
    "fingerprint": ["more.txt"],
    "info": [],
    "list": [],
    "pairs": [],
    "prune": [],
    "repair": ["saved.fpdb"],
    "query": ["more.txt"],
    "show": ["a.txt"],
    "spans": [],
}
NOT_HERE = {"init", "spark", "browse"}
"""One makes a new file, one needs Spark, and one answers until it is ended."""

WRITE = """
db = fpdb.open(path)
with db._store.env.write():
    say("writing")
    hear()
"""


@pytest.fixture
def stopped_writer(tmp_path, monkeypatch):
    """Stop a writer in the middle of a commit, and return it; the current folder is the database's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FPDB_DB", "x.fpdb")
    for name in ("a", "b", "more"):
        Path(f"{name}.txt").write_text(f"some words that are in document {name} and long enough to have a fingerprint")
    for path in ("x.fpdb", "other.fpdb"):
        with fpdb.open(path) as db:
            for name in ("a.txt", "b.txt"):
                db.add(name, Path(name).read_bytes(), source=os.path.abspath(name))
    with fpdb.open("other.fpdb") as db, open("x.jsonl", "wb") as file:
        db.export(file)
    with running(WRITE, "x.fpdb") as writer:
        assert hear(writer) == "writing"
        writer.send_signal(signal.SIGSTOP)
        yield writer
        writer.send_signal(signal.SIGCONT)
        tell(writer)
        writer.wait()
    with fpdb.open("x.fpdb") as db:
        assert len(db) == 2
        assert db.check() == []


def call(command, *arguments):
    """Return a command's exit status and all that it prints, or "" if it does not come back."""

    def run():
        result = CliRunner().invoke(cli, ["--timeout", "0.05", command, *arguments])
        return f"{result.exit_code} {result.output}"

    return run_in_child(run)


def test_every_command_comes_back_beside_a_stopped_writer(stopped_writer):
    """One that reads answers; one that writes says who is in the way, since when, and what to do."""
    assert {*WRITING, *READING, *NOT_HERE} == set(cli.list_commands(None))
    for command, arguments in READING.items():
        assert call(command, *arguments).startswith("0 "), command
    for command, arguments in WRITING.items():
        said = call(command, *arguments)
        assert said.startswith(f"1 fpdb: process {stopped_writer.pid} is writing to the database"), (command, said)
        assert f", since {time.strftime('%Y-')}" in said
        if os.path.exists("/proc/self/stat"):
            assert " and is stopped, since" in said
            assert f"kill -CONT {stopped_writer.pid}" in said


def test_a_holder_that_does_not_say_who_it_is_is_another_process(path):
    fpdb.open(path).close()
    with open(f"{path}-writer", "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for content in (b"", b"%-19d\n" % 4_711, bytes(128), b"fpdb one two three" + b" " * 109 + b"\n"):
            os.pwrite(file.fileno(), content, 0)
            with pytest.raises(fpdb.Locked, match="another process is writing"):
                fpdb.open(path, timeout=0)
            os.ftruncate(file.fileno(), 0)
    with fpdb.open(path) as db:
        assert db.check() == []


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


HOLD = """
with fpdb.open(path) as db, db._store.env.writing.held():
    say("held")
    hear()
say("released")
"""


def test_a_second_writer_waits_and_then_names_the_first(path):
    fpdb.open(path).close()
    with running(HOLD, path) as holder, fpdb.open(path, timeout=0.2) as db:
        assert hear(holder) == "held"
        assert len(db) == 0  # readers do not wait
        for change in (lambda: db.add_fingerprints("a", [1]), db.compact, db.check):
            with pytest.raises(fpdb.Locked, match=f"process {holder.pid} "):
                change()
        tell(holder)
        assert hear(holder) == "released"
        assert db.add_fingerprints("a", [1]) == "added"
        assert db.check() == []


def test_a_second_writer_gets_its_turn(path):
    fpdb.open(path).close()
    with running(HOLD, path) as holder, fpdb.open(path, timeout=60) as db, ThreadPoolExecutor() as pool:
        assert hear(holder) == "held"
        added = [pool.submit(db.add_fingerprints, name, [1]) for name in "abc"]
        tell(holder)
        assert [each.result() for each in added] == ["added"] * 3
        assert db.check() == []


def test_a_killed_writer_lets_go(path):
    fpdb.open(path).close()
    with running(HOLD, path) as holder, fpdb.open(path, timeout=60) as db:
        assert hear(holder) == "held"
        holder.send_signal(signal.SIGKILL)
        assert db.add_fingerprints("a", [1]) == "added"
        assert db.check() == []
