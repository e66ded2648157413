"""The file at a path: what a mode allows, what may happen to the file meanwhile, and how a failed one goes on."""

import os
import shutil
import subprocess
import sys

import lmdb
import pytest

import fpdb
from tests.storage.environment.closed_databases import make, read_slowly


def test_modes(tmp_path):
    path = tmp_path / "t.fpdb"
    for mode in ("r", "r+"):
        with pytest.raises(fpdb.NoSuchDatabase):
            fpdb.open(path, mode)
    with pytest.raises(ValueError, match="mode"):
        fpdb.open(path, "w")
    assert os.listdir(tmp_path) == []
    with fpdb.open(path, "x") as db:
        db.add_fingerprints("a", [1])
    with pytest.raises(fpdb.DatabaseExists):
        fpdb.open(path, "x")
    for mode in ("r+", "a"):
        with fpdb.open(path, mode) as db:
            assert db.add_fingerprints(f"in mode {mode}", [1]) == "added"
            assert db.check() == []
    with fpdb.open(path, "r") as db:
        assert len(db) == 3
        assert db.check() == []
        before = path.read_bytes()
        changes = [
            lambda: db.add_fingerprints("b", [1]),
            lambda: db.add("b", "text"),
            lambda: db.remove("a"),
            db.compact,
        ]
        for change in changes:
            with pytest.raises(fpdb.ReadOnly):
                change()
        db.backup(tmp_path / "copy")
        assert path.read_bytes() == before
    with pytest.raises(fpdb.StorageFailure):
        fpdb.open(tmp_path / "none" / "t.fpdb")
    with pytest.raises(fpdb.NoSuchDatabase):
        fpdb.open(tmp_path / "none" / "t.fpdb", "r")


def test_paths_of_every_form(tmp_path, monkeypatch):
    make(tmp_path / "t.fpdb")
    os.symlink("t.fpdb", tmp_path / "link")
    os.symlink(tmp_path, tmp_path / "folder")
    monkeypatch.chdir(tmp_path)
    for path in ("t.fpdb", "./link", tmp_path / "folder" / "link", os.fspath(tmp_path / "t.fpdb")):
        with fpdb.open(path) as db:
            db.add_fingerprints(f"{path}", [1])
            db.compact()
            assert db.check() == []
    assert os.path.islink("link")
    with fpdb.open("link", "r") as db:
        assert len(db) == 54
    with fpdb.open("\udcff é\n") as db:
        assert db.add_fingerprints("a", [1]) == "added"
        assert db.check() == []


def test_a_recipe_belongs_to_the_file(path):
    web = fpdb.Recipe.preset("web")
    with fpdb.open(path, recipe=web) as db:
        assert db.recipe == web
    with fpdb.open(path) as db:
        assert db.recipe == web
    with fpdb.open(path, "r", recipe=web) as db:
        assert db.check() == []
    for mode in ("r", "r+", "a"):
        with pytest.raises(fpdb.RecipeMismatch):
            fpdb.open(path, mode, recipe=fpdb.Recipe.preset("text"))
    with fpdb.open(path, "r"):  # the refused ones have let go of the file
        pass


def test_a_process_opens_a_file_once(path):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
        for mode in ("r", "r+", "a"):
            with pytest.raises(fpdb.Locked, match="already open in this process"):
                fpdb.open(path, mode)
        assert db.add_fingerprints("b", [1]) == "added"
        assert db.check() == []
    db.close()
    with pytest.raises(fpdb.Error, match="closed"):
        len(db)
    with pytest.raises(fpdb.Error, match="closed"):
        db.add_fingerprints("c", [1])


def test_close_with_an_unfinished_iteration(path):
    """A suspended reader of the same thread does not keep the file open, nor crash when it is resumed."""
    make(path)
    db = fpdb.open(path)
    names = read_slowly(db)
    next(names)
    db.close()
    with fpdb.open(path) as again:
        assert len(again) == 50
        with pytest.raises(fpdb.Error):
            list(names)
        assert again.check() == []


FORKED = """
import os, sys, fpdb
db = fpdb.open(sys.argv[1])
db.add_fingerprints("a", [1])
child = os.fork()
if not child:
    try:
        len(db)
    except fpdb.Error as error:
        db.close()
        print(error)
        del db
        sys.exit(0 if "fork" in str(error) else 1)
    sys.exit(2)
assert os.waitpid(child, 0)[1] == 0
assert len(db) == 1  # the child's end has closed nothing of the parent's
db.add_fingerprints("b", [1])
assert db.check() == [], db.check()
"""


def test_a_forked_child_is_told_and_does_no_harm(path):
    done = subprocess.run([sys.executable, "-c", FORKED, path], capture_output=True, text=True, check=True)
    assert "fork" in done.stdout


def test_errors_of_the_caller_are_its_own(db):
    """An OSError inside a batch is not the database's."""

    def add_then_fail():
        with db.batch() as batch:
            batch.add_fingerprints("a", [1])
            os.stat("/nowhere/at/all")

    with pytest.raises(FileNotFoundError):
        add_then_fail()
    assert "a" not in db


def test_a_file_that_goes_away_is_missed(path):
    db = fpdb.open(path)
    shutil.move(path, f"{path}.moved")
    with pytest.raises(fpdb.NoSuchDatabase):
        len(db)
    shutil.move(f"{path}.moved", path)
    assert len(db) == 0
    assert db.check() == []
    db.close()


def test_a_lost_lock_file_is_made_anew(db, path):
    db.add_fingerprints("a", [1])
    os.unlink(f"{path}-lock")
    assert db.add_fingerprints("b", [1]) == "added"
    assert os.path.exists(f"{path}-lock")
    assert len(db) == 2


class Failing:
    """An LMDB environment of which a commit has failed at the meta page: LMDB refuses everything from then on."""

    def __init__(self, env):
        self.env = env

    def begin(self, **_):
        raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC: Update of meta page failed or environment had fatal error")

    def __getattr__(self, name):
        return getattr(self.env, name)


def test_a_database_goes_on_after_a_failed_write(db):
    db.add_fingerprints("a", [1, 2])
    file = db._store.env._file
    file.env = Failing(file.env)
    with pytest.raises(fpdb.StorageFailure, match="try again"):
        len(db)
    assert len(db) == 1
    assert db.add_fingerprints("b", [1]) == "added"


def test_reads_that_go_on_are_in_the_way_of_going_on(db):
    for name in "abc":
        db.add_fingerprints(name, [1, 2])
    reading = read_slowly(db)
    next(reading)
    file = db._store.env._file
    file.failure = "a write has failed"
    with pytest.raises(fpdb.StorageFailure, match="end the reads"):
        len(db)
    assert len(list(reading)) == 2
    assert len(db) == 3
