"""A database is replaced in one step: whoever has it open sees the old one or the new one, whole."""

import gzip
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import fpdb
from fpdb.storage.environment import files
from tests.recorded.recorder import DATABASES
from tests.reference_database import as_json
from tests.storage.processes import hear, running, tell

EVERYTHING = np.arange(3000, dtype=np.uint64)


def make(path, version):
    """Make a database whose documents all say the version: by their number, labels and hashes."""
    with fpdb.open(path) as db, db.batch() as batch:
        for number in range(3 + version):
            batch.add_fingerprints(f"{number}", EVERYTHING[: 100 * version + number], labels={"version": f"{version}"})
    return path


def versions_of(db):
    """Return the version of a database by each of three calls, which may be of different ones."""
    matches = {match.name: match.shared for match in db.query_fingerprints(EVERYTHING).matches}
    by_query = max(matches.values()) // 100
    assert matches == {f"{number}": 100 * by_query + number for number in range(3 + by_query)}
    documents = {document.name: document.labels for document in db.documents()}
    by_list = len(documents) - 3
    assert documents == {f"{number}": {"version": f"{by_list}"} for number in range(3 + by_list)}
    (pair,) = db.pairs(top=1)
    by_pairs = pair.shared // 100
    assert pair.shared == 100 * by_pairs + by_pairs + 1
    return by_query, by_list, by_pairs


def left_over(folder):
    return [name for name in os.listdir(folder) if re.search("publish|compact|backup", name)]


def follow(db, last):
    """Read until the last version is there, and look that none comes after a later one."""
    seen = [0]
    while seen[-1] < last:
        seen += versions_of(db)
    assert seen == sorted(seen)


READ = """
from tests.test_publication import follow
with fpdb.open(path, "r") as db:
    say("open")
    follow(db, int(arguments[0]))
    say(db.check())
"""


def test_readers_beside_see_one_or_the_other(tmp_path, path):
    """In other processes, and in threads of the one that publishes, which has it open, too."""
    last = 3
    make(path, 1)
    sources = [make(tmp_path / f"source {version}", version) for version in range(2, last + 1)]
    with (
        running(READ, path, last) as first,
        running(READ, path, last) as second,
        fpdb.open(path, "r") as db,
        ThreadPoolExecutor() as pool,
    ):
        assert hear(first) == hear(second) == "open"
        reading = pool.submit(follow, db, last)
        for source in sources:
            fpdb.publish(source, path)
        reading.result()
        assert hear(first) == hear(second) == "[]"
        assert db.check() == []
    assert left_over(tmp_path) == []


def test_writers_follow_and_a_reader_ends_what_it_has_begun(tmp_path, path):
    make(path, 1)
    source = make(tmp_path / "source", 2)
    with fpdb.open(path) as db:
        begun = db.documents()
        assert next(begun).labels == {"version": "1"}
        with db.snapshot() as before, fpdb.open(source) as other:
            other.add_fingerprints(
                "last", [1], labels={"version": "2"}
            )  # what is committed when it begins is published
            fpdb.publish(source, path)
            assert before.document_count == 4
        assert {document.labels["version"] for document in begun} == {"1"}
        assert "last" in db
        db.add_fingerprints("new", [2**63])
        assert [match.name for match in db.query_fingerprints([2**63]).matches] == ["new"]
        assert db.check() == []
    with fpdb.open(path) as db, fpdb.open(source) as other:
        assert (len(db), len(other)) == (7, 6)
        assert db.check() == other.check() == []


def test_a_published_copy_is_a_file_of_its_own(tmp_path, path):
    source = make(tmp_path / "source", 3)
    with fpdb.open(source) as db:
        db.remember_sources([tmp_path])
    fpdb.publish(source, path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    os.chmod(path, 0o640)
    make(tmp_path / "other", 4)
    fpdb.publish(tmp_path / "other", path)
    fpdb.publish(source, path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    with fpdb.open(path) as db, fpdb.open(source) as other:
        assert as_json(db.query_fingerprints(EVERYTHING)) == as_json(other.query_fingerprints(EVERYTHING))
        with db.snapshot() as copy, other.snapshot() as original:
            assert copy.file_id() != original.file_id()
        (tmp_path / "a").write_text("text")
        db.add("a", "text", source=str(tmp_path / "a"))
        assert db.original("a") == b"text"  # what was added to the source is read again
        assert db.check() == other.check() == []


def damage(path):
    content = bytearray(path.read_bytes())
    for place in range(4 * 4096 - 8, len(content), 4096):  # where LMDB begins to fill a page
        content[place] ^= 1
    path.write_bytes(content)


def test_what_cannot_be_published_changes_nothing(tmp_path, path):
    make(path, 1)
    make(tmp_path / "source", 2)
    damage(make(tmp_path / "damaged", 2))
    fpdb.open(tmp_path / "other recipe", recipe=fpdb.Recipe.preset("web")).close()
    fpdb.open(tmp_path / "other cap", recipe=fpdb.Recipe.preset().with_(max_df=5)).close()
    (tmp_path / "text").write_text("text")
    (tmp_path / "empty").touch()
    os.link(path, tmp_path / "link")
    os.symlink(path, tmp_path / "symlink")
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path) if (tmp_path / name).is_file()}
    for source, dest, error, words in (
        ("none", "t.fpdb", fpdb.NoSuchDatabase, "there is no database"),
        ("none", "absent", fpdb.NoSuchDatabase, "there is no database"),
        ("text", "t.fpdb", fpdb.NotADatabase, "text"),
        ("damaged", "t.fpdb", fpdb.Corrupt, "damaged' was not published: "),
        ("damaged", "absent", fpdb.Corrupt, "damaged' was not published: "),
        ("source", "text", fpdb.NotADatabase, "text"),
        ("source", "empty", fpdb.NotADatabase, "empty"),
        ("source", ".", fpdb.NotADatabase, "folder"),
        ("source", "other recipe", fpdb.RecipeMismatch, "has another recipe than"),
        ("source", "other cap", fpdb.RecipeMismatch, "has another recipe than"),
        ("source", "none/absent", fpdb.StorageFailure, "none"),
        ("t.fpdb", "t.fpdb", fpdb.Error, "in its own place"),
        ("t.fpdb", "link", fpdb.Error, "in its own place"),
        ("symlink", "t.fpdb", fpdb.Error, "in its own place"),
    ):
        with pytest.raises(error, match=words):
            fpdb.publish(tmp_path / source, tmp_path / dest)
    after = {name: (tmp_path / name).read_bytes() for name in before}
    assert {name for name in before if before[name] != after[name] and not name.endswith(files.BESIDE)} == set()
    assert left_over(tmp_path) == []
    assert not os.path.lexists(tmp_path / "absent")
    with fpdb.open(path) as db:
        assert db.check() == []


HOLD = """
with fpdb.open(path) as db, getattr(db._store.env, arguments[0]).held():
    say("held")
    hear()
"""


def test_a_writer_or_another_who_publishes_is_waited_for(tmp_path, path):
    make(path, 1)
    source = make(tmp_path / "source", 2)
    for lock in ("writing", "merging"):
        with running(HOLD, path, lock) as holder, ThreadPoolExecutor() as pool:
            assert hear(holder) == "held"
            with pytest.raises(fpdb.Locked, match=f"process {holder.pid} "):
                fpdb.publish(source, path, timeout=0.1)
            waiting = pool.submit(fpdb.publish, source, path, timeout=60)
            tell(holder)
            waiting.result()
    with fpdb.open(path) as db:
        assert versions_of(db) == (2, 2, 2)
        assert db.check() == []
    assert left_over(tmp_path) == []


def test_a_database_of_an_older_format_is_published(tmp_path, path):
    source = tmp_path / "old.fpdb"
    source.write_bytes(gzip.decompress((DATABASES / "written.fpdb.gz").read_bytes()))
    fpdb.publish(source, path)
    fpdb.publish(source, path)
    with fpdb.open(path, "r") as db, fpdb.open(source, "r") as other:
        assert [document.name for document in db.documents()] == [document.name for document in other.documents()]
        assert db.check() == []
