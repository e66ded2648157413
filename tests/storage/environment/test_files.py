"""Files of databases appear whole or not at all, for their owner alone."""

import os
import stat
from contextlib import suppress

import lmdb
import pytest

import fpdb
from fpdb.storage import file_format
from fpdb.storage.environment import files


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


def test_a_file_is_made_whole_and_never_over_another(tmp_path):
    path = str(tmp_path / "t.fpdb")
    format_record = file_format.pack_format({})
    files.create(path, format_record, {b"key": b"value"})
    with lmdb.open(path, subdir=False, lock=False, readonly=True) as env, env.begin() as txn:
        assert (txn.get(file_format.FORMAT_KEY), txn.get(b"key")) == (format_record, b"value")
    before = files.identity(path), (tmp_path / "t.fpdb").read_bytes()
    with pytest.raises(FileExistsError):
        files.create(path, file_format.pack_format({"k": 1}), {})
    assert (files.identity(path), (tmp_path / "t.fpdb").read_bytes()) == before
    assert os.listdir(tmp_path) == ["t.fpdb"]
    files.discard(path)
    files.discard(path)
    assert os.listdir(tmp_path) == []
    assert files.identity(path) is None


def add(path):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])


def compact(path):
    with fpdb.open(path) as db:
        db.compact()


def backup(path):
    with fpdb.open(path, "r") as db:
        db.backup(f"{path}.copy")


@pytest.mark.parametrize("change", [add, compact, backup])
def test_links_in_the_place_of_temporary_files_lead_nowhere(tmp_path, monkeypatch, change):
    """Names that cannot be guessed are known here, as the system's randomness is not random."""
    path, victim = tmp_path / "t.fpdb", tmp_path / "victim"
    add(path)
    victim.write_bytes(b"")  # which LMDB would take for a new database
    monkeypatch.setattr(files, "temporary_name", lambda path, suffix: f"{path}.known.{suffix}")
    for name in ("t.fpdb.compact", "t.fpdb.known.new", "t.fpdb.copy.known.backup"):
        (tmp_path / name).symlink_to("victim")
    with suppress(fpdb.StorageFailure):
        change(path)
    assert victim.read_bytes() == b""
    with fpdb.open(path) as db:
        assert len(db) == 1
        assert db.check() == []


def test_names_of_temporary_files_differ(path):
    names = {files.temporary_name(path, "new") for _ in range(100)}
    assert len(names) == 100
    os.symlink("nothing", path)
    with pytest.raises(FileExistsError):
        files.open_new(path)
    assert not os.path.exists(path)
