"""Files that are refused before LMDB reads them, and stay untouched."""

import os
import sqlite3

import lmdb
import msgpack
import pytest

import fpdb
from fpdb.storage import file_format
from fpdb.storage.environment import page_check
from fpdb.storage.environment._page_check import PAGE
from tests.storage.environment.closed_databases import make


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
    rewrite_format(path, version=3)
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


def test_a_commit_is_examined_once_in_a_process_until_the_file_changes(tmp_path, monkeypatch):
    path = tmp_path / "file"
    make(path)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    examined, find_fault = [], page_check.find_fault

    def find(*call):
        examined.append(call)
        return find_fault(*call)

    monkeypatch.setattr(page_check, "find_fault", find)
    for opened in range(3):
        fpdb.open(path, "r" if opened else "a").close()
        os.utime(path, (1_700_000_000, 1_700_000_000))  # opening to write wrote nothing
    assert len(examined) == 1
    data = bytearray(path.read_bytes())
    for page in range(2, len(data) // PAGE):
        data[page * PAGE + 10 : page * PAGE + 16] = b"\xff" * 6  # its sort and bounds
    path.write_bytes(data)
    with pytest.raises(fpdb.Corrupt, match="damaged"):
        fpdb.open(path, "r")
    os.utime(path, (1_600_000_000, 1_600_000_000))
    with pytest.raises(fpdb.Corrupt, match="damaged"):
        fpdb.open(path, "r")
