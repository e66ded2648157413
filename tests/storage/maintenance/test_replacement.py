"""A file takes the place of a database in one step, and what is left of a killed process goes at the next one."""

import os
import shutil
import signal

import pytest

import fpdb
from fpdb.storage.maintenance.replacement import replacement
from tests.storage.processes import hear, running, tell


def make(path, name):
    with fpdb.open(path) as db:
        db.add_fingerprints(name, [1])
    return path


def put(path, finished, do=lambda: None):
    with replacement(path, 1) as temporary:
        shutil.copyfile(finished, temporary)
        do()


DIE = """
import shutil
from fpdb.storage.maintenance.replacement import replacement

def dying(call):
    def wrapped(*given, **named):
        global steps
        steps -= 1
        if not steps:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **named)
    return wrapped

steps = fatal = 0
for name in ("open", "listdir", "unlink", "chmod", "chown", "link", "rename", "fsync"):
    setattr(os, name, dying(getattr(os, name)))
while hear() == "go":
    fatal += 1
    if not (child := os.fork()):
        steps = fatal
        with replacement(path, 1) as temporary:
            shutil.copyfile(arguments[0], temporary)
        os._exit(0)
    say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("is_open", [True, False])
def test_kill_9_leaves_the_old_one_or_the_new_one(tmp_path, path, is_open):
    """At each call of the system, a process dies; a reader has the database open, or there is none."""
    old, new = make(tmp_path / "1", "old"), make(tmp_path / "2", "new")
    seen = []
    with running(DIE, path, new) as process:
        while True:
            if is_open:
                put(path, old)
                reader = fpdb.open(path, "r")
                assert "old" in reader
            elif os.path.exists(path):
                os.unlink(path)
            tell(process, "go")
            status = int(hear(process))
            if is_open:
                seen.append([document.name for document in reader.documents()])
                reader.close()
            if os.path.exists(path):
                with fpdb.open(path) as db:
                    assert not is_open or [document.name for document in db.documents()] == seen[-1]
                    assert db.add_fingerprints("later", [2]) == "added"
                    assert db.check() == []
            if status == 0:
                break
            assert status == -signal.SIGKILL
    assert not is_open or (seen[0], seen[-1]) == (["old"], ["new"])
    assert all(names in (["old"], ["new"]) for names in seen)
    put(path, new)
    assert sorted(name for name in os.listdir(tmp_path) if "publish" in name) == []
    with fpdb.open(path, "r") as db:
        assert db.check() == []


def test_only_files_of_killed_processes_go(tmp_path, path):
    new = make(tmp_path / "new", "new")
    killed = f"{path}.0123456789abcdef.publish"
    others = [f"{path}.notes.publish", f"{tmp_path}/another.fpdb.0123456789abcdef.publish", f"{path}.backup"]
    for name in (killed, f"{killed}-lock", *others):
        shutil.copyfile(new, name)
    put(path, new)
    assert not os.path.exists(killed)
    assert not os.path.exists(f"{killed}-lock")
    assert all(map(os.path.exists, others))
    with fpdb.open(path) as db:
        assert db.check() == []


def test_another_file_that_is_put_there_meanwhile_stays(tmp_path, path):
    new, other = make(tmp_path / "new", "new"), make(tmp_path / "other", "other")
    for _ in range(2):  # where there was no file, and where there was one
        with pytest.raises(fpdb.StorageFailure, match="meanwhile"):
            put(path, new, lambda: os.replace(shutil.copyfile(other, f"{path}.mv"), path))
        with fpdb.open(path) as db:
            assert [document.name for document in db.documents()] == ["other"]
            assert db.check() == []
    with pytest.raises(ZeroDivisionError):
        put(path, new, lambda: 1 // 0)
    with fpdb.open(path) as db:
        assert "other" in db
    assert [name for name in os.listdir(tmp_path) if "publish" in name] == []
