"""A child process opens the files that its parent has, has had, or is just opening; it does no harm to the parent."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import pytest

import fpdb
from fpdb.storage.environment import files, open_file
from tests.storage.environment.closed_databases import make, read_slowly
from tests.storage.processes import BEGINNING, hear, running

METHODS = ["fork", "spawn", "forkserver"]


def use(path, sending):
    """Open a database in every mode and send what is in it, or the error."""
    try:
        for mode in ("r", "r+", "a"):
            with fpdb.open(path, mode, timeout=20) as db:
                if mode != "r":
                    db.add_fingerprints(f"in mode {mode}", [1])
                assert db.check() == []
        sending.send(len(list(fpdb.open(path, "r").documents())))
    except BaseException as error:
        sending.send(repr(error))
        raise


def use_in_child(path, method):
    """Return what a child process says."""
    context = multiprocessing.get_context(method)
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=use, args=(path, sending))
    process.start()
    sending.close()
    try:
        return receiving.recv() if receiving.poll(60) else "nothing"
    finally:
        process.kill()
        process.join()


@pytest.mark.parametrize("method", METHODS)
def test_a_child_opens_anew_what_its_parent_has_open(path, method):
    make(path, 600)
    db = fpdb.open(path)
    reading = read_slowly(db)
    names = [next(reading)]
    assert use_in_child(path, method) == 602
    for number in range(20):  # the pages that the parent reads are not used again
        db.add_fingerprints(f"{number}", [number])
    assert names + list(reading) == sorted(map(str, range(600)))
    assert len(db) == 602
    assert db.check() == []
    db.close()


def test_a_forked_child_opens_anew_what_its_parent_had_open(path):
    make(path)
    db = fpdb.open(path)
    reading = read_slowly(db)
    next(reading)
    db.close()
    assert use_in_child(path, "fork") == 52
    db = fpdb.open(path, "r")
    del db
    assert use_in_child(path, "fork") == 52
    with fpdb.open(path) as db:
        assert db.check() == []


def test_children_of_children_and_batches(path):
    """The pool of a process that has the database open, within a batch, which only the parent commits."""
    make(path)

    def open_and_fork(depth):
        child = os.fork()
        if not child:
            try:
                with fpdb.open(path, "r") as db:
                    assert len(db) == 50
                    os._exit(open_and_fork(depth - 1) if depth else 0)
            finally:
                os._exit(1)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    with fpdb.open(path) as db, db.batch() as batch:
        batch.add_fingerprints("new", [1])
        assert open_and_fork(3) == 0
    with fpdb.open(path) as db:
        assert len(db) == 51
        assert db.check() == []


def test_a_child_opens_though_a_thread_was_opening_as_it_was_forked(tmp_path):
    """The thread waits with the lock of the module, for a process that opens the file and is stopped there."""
    make(tmp_path / "a.fpdb")
    make(tmp_path / "b.fpdb")
    table = os.open(files.lock_path(str(tmp_path / "a.fpdb")), os.O_RDWR | os.O_CREAT)
    holder = "import fcntl, os\nfcntl.lockf(os.open(path, os.O_RDWR), fcntl.LOCK_EX, 1)\nsay('there')\nhear()"
    with running(holder, str(tmp_path / "a.fpdb-lock")) as process:
        assert hear(process) == "there"
        opened = []
        thread = threading.Thread(target=lambda: opened.append(fpdb.open(tmp_path / "a.fpdb", "r", timeout=60)))
        thread.start()
        while not open_file._making._lock.locked():
            pass
        assert use_in_child(str(tmp_path / "b.fpdb"), "fork") == 52
        process.kill()
        process.wait()
        assert use_in_child(str(tmp_path / "a.fpdb"), "fork") == 52
        thread.join()
    os.close(table)
    with opened[0] as db:
        assert len(db) == 52
        assert db.check() == []


LEAVE_A_CHILD = """
db = fpdb.open(path)
with db._store.env.writing.held():
    child = os.fork()
    if not child:
        hear()
        os._exit(0)
    say(child)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_child_does_not_keep_the_lock_of_a_parent_that_is_killed(path):
    make(path)
    with running(LEAVE_A_CHILD, path) as process:
        child = int(hear(process))
        process.wait()
        with fpdb.open(path, timeout=0.5) as db:
            assert db.add_fingerprints("a", [1]) == "added"
            assert db.check() == []
        os.kill(child, signal.SIGKILL)


USED_IN_CHILD = """
db = fpdb.open(path, timeout=0)
lock = db._store.env.writing
holding, forked = threading.Event(), threading.Event()

def hold():
    with lock.held():
        holding.set()
        forked.wait()

thread = threading.Thread(target=hold)
thread.start()
holding.wait()
child = os.fork()
if not child:
    for call in (lambda: len(db), lambda: db.add_fingerprints("a", [1]), db.compact, lambda: list(db.documents())):
        try:
            call()
        except fpdb.Error as error:
            say("before a fork" in str(error))
    db.close()
    os._exit(0)
os.waitpid(child, 0)
forked.set()
thread.join()
db.add_fingerprints("a", [1])
say(db.check())
"""


def test_the_parents_object_says_so_whatever_its_threads_were_doing(path):
    make(path)
    with running("import threading\n" + USED_IN_CHILD, path) as process:
        assert [hear(process) for _ in range(5)] == ["True"] * 4 + ["[]"]


# ---------------------------------------------------------------- containers


def in_a_container(program, path):
    """Return a command that runs a program as the first process of its own container."""
    spaces = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    spaces += [] if os.getuid() == 0 else ["--map-root-user"]
    if subprocess.run([*spaces, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system makes no containers")
    return subprocess.Popen(
        [*spaces, sys.executable, "-c", BEGINNING + program, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


HOLD = """
with fpdb.open(path) as db, db._store.env.write():
    say(os.getpid())
    hear()
"""

READ = """
for mode in ("r", "r+"):
    try:
        with fpdb.open(path, mode, timeout=0) as db:
            say(len(db))
    except fpdb.Locked as error:
        say(error)
"""


def test_processes_of_one_number_in_two_containers_are_told_apart(path):
    make(path)
    with in_a_container(HOLD, path) as first:
        assert hear(first) == "1"
        with in_a_container(READ, path) as second:
            assert "this one's number (1)" in hear(second)
            assert "container" in hear(second)
        with fpdb.open(path, "r") as db:
            assert len(db) == 50
        with pytest.raises(fpdb.Locked, match=r"process 1 in another container .* is writing"):
            fpdb.open(path, timeout=0)
        first.stdin.close()
    with fpdb.open(path) as db:
        assert db.check() == []
