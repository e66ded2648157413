"""The file: what is refused untouched, what a mode allows, and what may be at the path."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys

import lmdb
import msgpack
import numpy as np
import pytest

import fpdb
from fpdb.storage import file_format
from tests.reference_database import as_json


def foreign_lmdb(path, **values):
    with lmdb.open(str(path), subdir=False, lib_version=0) as env, env.begin(write=True) as txn:
        for key, value in (values or {"a": b"b"}).items():
            txn.put(key.encode(), value)
    for name in (f"{path}-lock",):
        os.unlink(name)


def rewrite_format(path, **changes):
    """Rewrites the format record of a closed database, checksum and all."""
    with lmdb.open(str(path), subdir=False, max_dbs=5) as env, env.begin(write=True) as txn:
        record = msgpack.unpackb(txn.get(file_format.FORMAT_KEY)[file_format.CHECKSUM :])
        record.update(changes)
        txn.put(file_format.FORMAT_KEY, file_format.seal(file_format.FORMAT_KEY, msgpack.packb(record)))


def make(path, documents=50):
    rng = np.random.default_rng(1)
    with fpdb.open(path, "x") as db, db.batch() as batch:
        for number in range(documents):
            batch.add_fingerprints(f"{number}", rng.integers(0, 2**63, 500, np.uint64))
    for beside in ("-lock", "-writer", "-merge"):
        if os.path.exists(f"{path}{beside}"):
            os.unlink(f"{path}{beside}")


def folder(path):
    os.mkdir(path)


def empty(path):
    path.write_bytes(b"")


def text(path):
    path.write_bytes(b"This is a text. " * 1_000)


def one_byte(path):
    path.write_bytes(b"x")


def zeros(path):
    path.write_bytes(bytes(16_384))


def sqlite(path):
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a)")
    connection.close()


def third_version(path):
    foreign_lmdb(path)
    data = bytearray(path.read_bytes())
    for page in (0, 4096):
        data[page + 20 : page + 24] = (3).to_bytes(4, "little")
    path.write_bytes(data)


def newer(path):
    make(path)
    rewrite_format(path, version=2)
    os.unlink(f"{path}-lock")


def other_magic(path):
    make(path)
    rewrite_format(path, magic="other")
    os.unlink(f"{path}-lock")


def no_recipe(path):
    make(path)
    rewrite_format(path, recipe=None)
    os.unlink(f"{path}-lock")


def truncated(path):
    make(path)
    os.truncate(path, os.path.getsize(path) // 2)


def damaged_format(path):
    make(path)
    data = path.read_bytes()
    assert b"recipe" in data
    path.write_bytes(data.replace(b"recipe", b"Recipe"))  # in old pages, too


def pipe(path):
    os.mkfifo(path)


REFUSED = [
    (folder, fpdb.NotADatabase),
    (empty, fpdb.NotADatabase),
    (one_byte, fpdb.NotADatabase),
    (text, fpdb.NotADatabase),
    (zeros, fpdb.NotADatabase),
    (sqlite, fpdb.NotADatabase),
    (pipe, fpdb.NotADatabase),
    (foreign_lmdb, fpdb.NotADatabase),
    (third_version, fpdb.NotADatabase),
    (other_magic, fpdb.NotADatabase),
    (newer, fpdb.NewerFormat),
    (no_recipe, fpdb.Corrupt),
    (truncated, fpdb.Corrupt),
    (damaged_format, fpdb.Corrupt),
]


@pytest.mark.parametrize(("plant", "error"), REFUSED, ids=lambda value: value.__name__)
@pytest.mark.parametrize("mode", ["r", "r+", "a", "x"])
def test_what_is_not_a_database_is_refused_untouched(tmp_path, plant, error, mode):
    path = tmp_path / "file"
    plant(path)
    before = path.read_bytes() if path.is_file() else None
    status = path.stat()
    with pytest.raises(fpdb.DatabaseExists if mode == "x" else error) as caught:
        fpdb.open(path, mode)
    assert (
        str(path) in str(caught.value)
        or "version" in str(caught.value)
        or plant in (no_recipe, damaged_format, other_magic)
    )
    assert os.listdir(tmp_path) == ["file"]
    assert (path.read_bytes() if path.is_file() else None) == before
    assert (path.stat().st_mtime_ns, path.stat().st_mode) == (status.st_mtime_ns, status.st_mode)


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
    documents = db.documents()
    next(documents)
    db.close()
    with fpdb.open(path) as again:
        assert len(again) == 50
        with pytest.raises(fpdb.Error):
            list(documents)
        assert again.check() == []


def test_only_the_owner_may_read(path):
    old = os.umask(0)
    try:
        with fpdb.open(path) as db:
            db.add_fingerprints("a", [1])
            db.backup(f"{path}.copy")
        for name in ("", ".copy", "-lock", "-writer"):
            assert stat.S_IMODE(os.stat(path + name).st_mode) == 0o600, name
        os.chmod(path, 0o640)
        with fpdb.open(path) as db:
            db.compact()
            assert db.check() == []
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    finally:
        os.umask(old)


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


def test_copies_are_whole(path, tmp_path, rng):
    hashes = rng.integers(0, 2**63, 500, np.uint64)
    with fpdb.open(path) as db:
        for name in "abc":
            db.add_fingerprints(name, hashes, boilerplate=name == "c")
        db.remove("b")
        db.backup(tmp_path / "copy")
        with pytest.raises(fpdb.DatabaseExists):
            db.backup(tmp_path / "copy")
        with pytest.raises(fpdb.DatabaseExists):
            db.backup(path)
        with pytest.raises(fpdb.StorageFailure):
            db.backup(tmp_path / "none" / "copy")
        with fpdb.open(tmp_path / "copy", "r+") as copy:
            assert as_json(copy.query_fingerprints(hashes)) == as_json(db.query_fingerprints(hashes))
            assert copy.recipe == db.recipe
            assert copy.check() == []
            copy.add_fingerprints("d", hashes)
        assert "d" not in db
        assert db.check() == []
    left = {
        "t.fpdb",
        "copy",
        *(name + beside for name in ("t.fpdb", "copy") for beside in ("-lock", "-writer", "-merge")),
    }
    assert set(os.listdir(tmp_path)) <= left


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
