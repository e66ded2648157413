"""Lock files: what is in the place of one and is none stays as it is; those who may use a database can use them."""

import os
import socket
import stat
from contextlib import suppress

import pytest

import fpdb
from fpdb.storage.environment.lock_files import MERGE, READERS, READERS_BYTES, WRITER
from tests.storage.environment.users import GROUP, STRANGER, USER, folder, needs_root, run_as

__all__ = ["folder"]
TEXT = b"This is a text of somebody else's. " * 200


def link(place, victim):
    place.symlink_to(victim.name)


def dangling_link(place, _):
    place.symlink_to("nothing")


def link_to_a_folder(place, _):
    place.symlink_to(place.parent)


def hard_link(place, victim):
    place.hardlink_to(victim)


def moved_here(place, victim):
    victim.rename(place)


def folder_of_that_name(place, _):
    place.mkdir()


def pipe(place, _):
    os.mkfifo(place)


def socket_of_that_name(place, _):
    before = os.getcwd()
    os.chdir(place.parent)  # the address of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as plug:
            plug.bind(place.name)
    finally:
        os.chdir(before)


def made_by_a_stranger(place, _):
    place.write_bytes(b"")
    os.chown(place, STRANGER, STRANGER)


KINDS = [link, dangling_link, link_to_a_folder, hard_link, moved_here, folder_of_that_name, pipe, socket_of_that_name]


@pytest.mark.parametrize(("suffix", "mode"), [(READERS, "r"), (READERS, "r+"), (WRITER, "r+"), (MERGE, "r+")])
@pytest.mark.parametrize("plant", [*KINDS, pytest.param(made_by_a_stranger, marks=needs_root)])
def test_what_is_no_lock_file_stays_as_it_is(tmp_path, plant, suffix, mode):
    path, victim = tmp_path / "t.fpdb", tmp_path / "victim"
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
    place = path.with_name(path.name + suffix)
    with suppress(FileNotFoundError):
        place.unlink()
    victim.write_bytes(TEXT)
    plant(place, victim)
    before = {name: os.lstat(tmp_path / name) for name in (place.name, victim.name) if (tmp_path / name).exists()}
    with pytest.raises(fpdb.StorageFailure, match="move it away, and try again") as caught:
        fpdb.open(path, mode)
    assert str(place) in str(caught.value)
    for name, status in before.items():
        now = os.lstat(tmp_path / name)
        assert (now.st_mtime_ns, now.st_size, now.st_mode) == (status.st_mtime_ns, status.st_size, status.st_mode), name
    assert not (tmp_path / "nothing").exists()
    place.rename(tmp_path / "away")
    with fpdb.open(path) as db:
        assert db.add_fingerprints("b", [1]) == "added"
        assert db.check() == []


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        *((suffix, b"") for suffix in (READERS, WRITER, MERGE)),
        (READERS, os.urandom(READERS_BYTES)),  # after a loss of power
        (READERS, bytes(8_192)),  # another program's size
        (WRITER, bytes(128)),
        (WRITER, b"%-19d\n" % 4_711),  # an older version's
        (MERGE, b"fpdb 4711 1 2@x" + b" " * 112 + b"\n"),
    ],
)
def test_lock_files_of_former_days_are_used(path, suffix, content):
    fpdb.open(path).close()
    with open(path + suffix, "wb") as file:
        file.write(content)
    with fpdb.open(path) as db:
        assert db.add_fingerprints("a", [1]) == "added"
        db.compact()
        assert db.check() == []


@pytest.mark.parametrize(
    ("mode", "readers", "writers"),
    [
        (0o600, 0o600, 0o600),
        (0o640, 0o660, 0o600),
        (0o660, 0o660, 0o660),
        (0o644, 0o600, 0o600),
        (0o664, 0o660, 0o660),
        (0o604, 0o600, 0o600),
    ],
)
def test_lock_files_are_for_those_who_may_use_the_database(path, mode, readers, writers):
    def modes():
        return tuple(stat.S_IMODE(os.stat(path + suffix).st_mode) for suffix in (READERS, WRITER, MERGE))

    shared = mode, (readers, writers, writers)
    for given, wanted in (shared, (0o600, (0o600,) * 3), shared):
        with fpdb.open(path):
            pass
        os.chmod(path, given)
        with fpdb.open(path) as db:
            db.add_fingerprints("a", [1])
            db.compact()
            assert len(db) == 1
            assert modes() == wanted
            assert stat.S_IMODE(os.stat(path).st_mode) == given
            assert db.check() == []


def count(path, mode="r", **options):
    with fpdb.open(path, mode, **options) as db:
        if mode != "r":
            db.add_fingerprints("new", [2])
            db.compact()
        assert db.check() == []
        return len(db)


@needs_root
def test_the_groups_users_share_a_database(folder):
    """Root makes the lock files; then the owner and another of the group use it, and make them themselves."""
    path = folder / "t.fpdb"
    fpdb.open(path).close()
    folder.chmod(0o770)
    os.chown(folder, USER, GROUP)
    os.chown(path, USER, GROUP)
    path.chmod(0o660)
    assert count(path, "r+") == 1
    for user in (USER, STRANGER, USER, STRANGER):
        for suffix in (READERS, WRITER, MERGE):
            if user == STRANGER:
                os.unlink(f"{path}{suffix}")
        assert run_as(user, GROUP, lambda: count(path, "r+")) == "1"
        assert os.stat(path).st_gid == GROUP
    assert count(path) == 1


@needs_root
def test_a_stranger_who_may_only_read_is_told_how(folder):
    path = folder / "t.fpdb"
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
    path.chmod(0o644)
    for lock_file in (True, False):
        if not lock_file:
            os.unlink(f"{path}{READERS}")
        said = run_as(STRANGER, STRANGER, lambda: count(path))
        assert "StorageFailure" in said
        assert f"{path}{READERS}" in said
        assert "--immutable" in said
        assert run_as(STRANGER, STRANGER, lambda: count(path, immutable=True)) == "1"
    assert not os.path.exists(f"{path}{READERS}")
