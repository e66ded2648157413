"""Databases travel to other processes by their paths, and results as they are."""

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import fpdb
from fpdb import keys
from tests.cli.prose import prose

TEXT = prose(1, 300)


@pytest.fixture
def path(tmp_path: Path) -> str:
    with fpdb.open(tmp_path / "corpus.fpdb") as db:
        db.add("a", TEXT, labels={"term": "2024"}, keep_text=True)
        db.add("b", TEXT + prose(2, 300), keep_text=True)
    return str(tmp_path / "corpus.fpdb")


def describe(db: Any, name: str) -> tuple[int, str, int, Any]:
    """Return what a process sees of a database, and change it if it can be changed."""
    return os.getpid(), repr(db), len(db.query(TEXT, name="a")), db.add(name, TEXT) if name else None


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_database_opens_its_file_anew_in_another_process(path: str, method: str) -> None:
    with fpdb.open(path, "r+") as db:
        with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as pool:
            # The second task may find the first one's database open, or may not.
            seen = list(pool.map(describe, [db, db], ["c", ""]))
        assert {each[0] for each in seen}.isdisjoint({os.getpid()})
        assert [each[1:] for each in seen] == [
            (f"<Database {path!r}: 2 documents>", 1, "added"),
            (f"<Database {path!r}: 3 documents>", 2, None),
        ]
        assert len(db) == 3
        assert db.check() == []


def test_what_was_opened_for_reading_stays_so(path: str) -> None:
    with fpdb.open(path, "r") as db, ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(fpdb.ReadOnly):
            pool.submit(describe, db, "c").result()
        assert pool.submit(db.query, TEXT).result() == db.query(TEXT)  # methods travel with it


def test_several_databases_travel_together(path: str, tmp_path: Path) -> None:
    with fpdb.open(tmp_path / "other.fpdb") as db:
        db.add("c", TEXT)
    with fpdb.open_all([path, tmp_path / "other.fpdb"]) as both:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            assert pool.submit(both.query, TEXT).result() == both.query(TEXT)
        assert pickle.loads(pickle.dumps(both)).query(TEXT) == both.query(TEXT)


def test_in_its_own_process_a_database_stays_itself(path: str) -> None:
    with fpdb.open(path) as db:
        pickled = pickle.dumps(db)
        assert copy.deepcopy(db) is db
        with ThreadPoolExecutor(4) as pool:
            assert all(each is db for each in pool.map(pickle.loads, [pickled] * 20))
    with ThreadPoolExecutor(4) as pool:  # it is closed, and opened but once
        opened = list(pool.map(pickle.loads, [pickled] * 20))
    assert opened[0] is not db
    assert all(each is opened[0] for each in opened)
    opened[0].close()


def test_key_files_and_sources_go_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    keys.create("key")
    Path("a.txt").write_text(TEXT)
    with fpdb.open("corpus.fpdb", key_file="key", sources=["."]) as db:
        db.add("a.txt", TEXT, source=str(tmp_path / "a.txt"))
        pickled, answer = pickle.dumps(db), db.query(TEXT, regions=True)
    monkeypatch.chdir("/")
    with pickle.loads(pickled) as db:
        assert db.query(TEXT, regions=True) == answer
        assert answer[0].source == "same"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_results_travel(path: str, protocol: int) -> None:
    with fpdb.open(path) as db:
        answer = db.query(TEXT, regions=True)
        results = [
            *(answer, answer.query, *answer, *db.queries([("a", TEXT), (None, "x")]), *db.documents()),
            *(*db.pairs(regions=True), db.pairs().ignored, *db.clusters(), *db.drop_list(), *db.spans()),
            *(*db.common(min_df=2), db.explain("a", "b"), db.recipe, db.recipe.rules["characters"]),
            *(fpdb.check(path), fpdb.NoSuchDocument("no document")),
        ]
    for result in results:
        loaded = pickle.loads(pickle.dumps(result, protocol))
        assert type(loaded) is type(result)
        assert repr(loaded) == repr(result)
        if hasattr(result, "to_dict"):
            assert loaded.to_dict() == result.to_dict()
