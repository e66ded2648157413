"""Check and repair in a subprocess: damage that ends it is a problem, and not the end of this process."""

import os
import signal
import sys

import pytest

import fpdb
from tests.storage import varied_database

PAGE = 4096


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Return the bytes of a varied database."""
    return varied_database.make(tmp_path_factory.mktemp("original"))[0]


def test_check_says_what_is_wrong(tmp_path, original):
    path = tmp_path / "t.fpdb"
    path.write_bytes(original)
    assert fpdb.check(path) == fpdb.check(path, quick=True) == fpdb.Findings(())
    damaged = bytearray(original)
    for at in range(2 * PAGE, len(damaged), PAGE):
        damaged[at + 2000] ^= 1
    path.write_bytes(damaged)
    for quick in (False, True):
        found = fpdb.check(path, quick=quick)
        assert not found.sound
        assert found.problems
    with pytest.raises(fpdb.NoSuchDatabase):
        fpdb.check(tmp_path / "none")


@pytest.mark.parametrize("name", ["SIGBUS", "SIGSEGV", "SIGABRT"])
def test_a_process_that_dies_is_a_problem(tmp_path, original, monkeypatch, name):
    path = tmp_path / "t.fpdb"
    path.write_bytes(original)
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\necho \'["problem", "one"]\'\nkill -{getattr(signal, name).value} $$\n')
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    problems = fpdb.check(path).problems
    assert problems[0] == "one"
    assert name in problems[1]
    program.write_text("#!/bin/sh\necho something went wrong >&2\nexit 1\n")
    assert "something went wrong" in fpdb.check(path).problems[0]
    with pytest.raises(fpdb.Corrupt):
        fpdb.repair(path, tmp_path / "new.fpdb")
    assert path.read_bytes() == original


def test_a_change_of_an_immutable_file_is_not_taken_for_damage(tmp_path, original, monkeypatch):
    """LMDB may end the process that reads a file which is written to, or read what looks like damage."""
    path = tmp_path / "t.fpdb"
    path.write_bytes(original)
    program = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(program))
    for found in ("kill -ABRT $$", """echo '["problem", "one"]'""", """echo '["ended", null]'"""):
        program.write_text(f"#!/bin/sh\ntouch {path}\n{found}\n")
        program.chmod(0o700)
        with pytest.raises(fpdb.StorageFailure, match="written to while it was open as immutable"):
            fpdb.check(path, immutable=True)
        with pytest.raises(fpdb.StorageFailure, match="written to while it was open as immutable"):
            fpdb.publish(path, tmp_path / "copy.fpdb", immutable=True)
    program.write_text("#!/bin/sh\nkill -ABRT $$\n")
    assert "SIGABRT" in fpdb.check(path, immutable=True).problems[0]
    assert path.read_bytes() == original


def test_texts_that_cannot_be_unpacked_are_said_to_be_unchecked(tmp_path, original, monkeypatch):
    path = tmp_path / "t.fpdb"
    path.write_bytes(original)
    (tmp_path / "zstandard.py").write_text("raise ImportError\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = fpdb.check(path)
    assert found.sound
    assert "zstandard" in found.unchecked[0]


def test_what_is_no_database_is_not_repaired(tmp_path):
    (tmp_path / "text").write_bytes(b"A text.\n" * 5_000)
    with pytest.raises(fpdb.NotADatabase):
        fpdb.repair(tmp_path / "text", tmp_path / "new")
    with pytest.raises(fpdb.StorageFailure):
        fpdb.repair(tmp_path / "none", tmp_path / "new")
    assert os.listdir(tmp_path) == ["text"]
