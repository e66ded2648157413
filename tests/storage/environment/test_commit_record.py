"""A file that is replaced while it is open: what is answered is all of one file, or it is refused. Never a mixture."""

import os
import shutil

import numpy as np
import pytest

import fpdb
from tests.storage.processes import hear, running, tell


def hashes_of(number):
    return np.random.default_rng(number).integers(0, 2**63, 60, np.uint64)


def make(path, documents, commits=0):
    with fpdb.open(path, "x") as db:
        with db.batch() as batch:
            for number in range(documents):
                batch.add_fingerprints(f"d{number}", hashes_of(number))
        for number in range(commits):
            db.add_fingerprints("last", [number])
    for suffix in ("-lock", "-writer", "-merge"):
        if os.path.exists(f"{path}{suffix}"):
            os.unlink(f"{path}{suffix}")


def answers(db, documents=120):
    """Return which of the documents are found, by name and by their hashes."""
    found = {document.name for document in db.documents()}
    for number in range(documents):
        matches = db.query_fingerprints(hashes_of(number)).matches
        expected = [(f"d{number}", 60)] if f"d{number}" in found else []
        assert [(match.name, match.shared) for match in matches] == expected
    return found


def copy_over(new, path):
    shutil.copyfile(new, path)


def move_over(new, path):
    os.replace(new, path)


def write_in_place(new, path):
    """As rsync --inplace does: the file is never shorter than it must be."""
    data = new.read_bytes()
    with open(path, "r+b") as file:
        file.write(data)
        file.truncate(len(data))


REPLACE = [copy_over, move_over, write_in_place]
SIZES = [30, 60, 110]  # of the other file's documents: fewer, as many and more


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c.fpdb"


@pytest.mark.parametrize("replace", REPLACE)
@pytest.mark.parametrize("documents", SIZES)
@pytest.mark.parametrize("commits", [0, 3])
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_an_open_database_follows_to_another_file(path, tmp_path, replace, documents, commits, mode):
    make(path, 60)
    make(tmp_path / "new.fpdb", documents, commits)
    expected = {f"d{number}" for number in range(documents)} | ({"last"} if commits else set())
    with fpdb.open(path, mode) as db:
        assert len(answers(db)) == 60
        replace(tmp_path / "new.fpdb", path)
        assert answers(db) == expected
        if mode == "r+":
            db.add_fingerprints("mine", [1])
            assert answers(db) == expected | {"mine"}
        assert db.check() == []


FOLLOW = """
def ask(db):
    try:
        names = {document.name for document in db.documents()}
        right = all(
            [match.name for match in db.query_fingerprints(hashes_of(number)).matches] == [f"d{number}"]
            for number in range(len(names - {"last", "mine"}))
        )
        say("right" if right else "wrong", len(names))
    except fpdb.Error as error:
        say(type(error).__name__, error)

while opened := hear():
    with fpdb.open(*opened.split("\t")) as db:
        ask(db)
        while hear():
            ask(db)
    say("closed")
"""


@pytest.fixture(scope="module")
def follower():
    """Run a process that opens one database after the other, when it is told a path and a mode, separated by a tab."""
    with running(FOLLOW, "") as process:
        yield process


@pytest.mark.parametrize("replace", REPLACE)
@pytest.mark.parametrize("documents", SIZES)
@pytest.mark.parametrize("commits", [0, 3])
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_it_is_sound_for_others_while_one_has_it_open(follower, path, replace, documents, commits, mode):
    """The other process has the lock file open, which counts the commits of the file that was there before."""
    make(path, 60)
    new = path.with_name("new.fpdb")
    make(new, documents, commits)
    count = documents + bool(commits)
    tell(follower, f"{path}\t{mode}")
    assert hear(follower) == "right 60"
    replace(new, path)
    with fpdb.open(path) as db:
        assert len(answers(db)) == count
        db.add_fingerprints("mine", [1])
        assert db.check() == []
        tell(follower, "ask")
        assert hear(follower) == f"right {count + 1}"
        db.add_fingerprints("mine", [2])
        assert db.check() == []
    tell(follower)
    assert hear(follower) == "closed"
    with fpdb.open(path) as db:
        assert db.check() == []


@pytest.mark.parametrize("replace", REPLACE)
def test_an_older_copy_of_the_same_file_is_followed(path, tmp_path, replace):
    make(path, 60)
    shutil.copyfile(path, tmp_path / "old.fpdb")
    with fpdb.open(path) as db:
        db.add_fingerprints("late", hashes_of(99))
        assert db.query_fingerprints(hashes_of(99)).matches
        replace(tmp_path / "old.fpdb", path)
        assert "late" not in db
        assert not db.query_fingerprints(hashes_of(99)).matches
        db.add_fingerprints("later", [1])
        assert db.check() == []


@pytest.mark.parametrize("kept", [0, 4096, 40_960])
def test_a_file_that_is_cut_while_it_is_open_is_refused(path, kept):
    make(path, 60)
    with fpdb.open(path, "r") as db:
        assert len(db) == 60
        os.truncate(path, kept)
        with pytest.raises(fpdb.Error, match=r"cut short|is empty|not an fpdb"):
            len(db)


def test_a_database_of_another_recipe_is_refused(path, tmp_path):
    make(path, 60)
    fpdb.open(tmp_path / "new.fpdb", recipe=fpdb.Recipe.preset("code")).close()
    with fpdb.open(path) as db:
        os.replace(tmp_path / "new.fpdb", path)
        for _ in range(2):
            with pytest.raises(fpdb.RecipeMismatch, match="open it anew"):
                len(db)
    with fpdb.open(path) as db:
        assert len(db) == 0
        assert db.check() == []


def test_a_change_by_another_program_is_noticed(path):
    """LMDB itself takes no notice of what fpdb seals."""
    import lmdb

    make(path, 60)
    with lmdb.open(str(path), subdir=False, max_dbs=6) as env, env.begin(write=True) as txn:
        txn.put(b"key", b"value")
    with fpdb.open(path, "r") as db, pytest.raises(fpdb.Corrupt, match="another program"):
        len(db)
    assert not fpdb.check(path).sound
