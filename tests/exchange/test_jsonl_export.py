"""Export: what comes back is what went out, to the byte."""

import io
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.exchange import jsonl_export, jsonl_import
from tests.exchange.json_lines import PROSE, exported, imported
from tests.reference_database import as_json


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(jsonl_export, "POSTINGS_PER_PART", 500)
    monkeypatch.setattr(jsonl_import, "POSTINGS_PER_BATCH", 700)


def fill(db, rng):
    """Documents of every sort: several runs, removed, replaced, rotated or boilerplate, texts, strange names."""
    for part in range(4):
        with db.batch() as batch:
            for number in range(12):
                hashes = rng.integers(0, 2**64, 90, np.uint64)
                hashes[:20] = np.arange(20)
                positions = rng.integers(0, 2**32 - 1, 90) if number % 3 else None
                batch.add_fingerprints(f"{part}/{number}", hashes, positions, source="a/b", labels={"ä": "\udcff"})
    db.add_fingerprints("none", [])
    db.add_fingerprints("n" * 900, [7, 2**64 - 1], [2**32 - 2, 0], contact="ann@example.org")
    db.add_fingerprints("not UTF-8 \udcfe", [7])
    db.add_fingerprints("boilerplate", [1, 2, 3], boilerplate=True)
    db.add("string", PROSE + "\ud800", keep_text=True)
    db.add("bytes", PROSE.encode(), keep_text=True)
    db.remove("1/3")
    db.add_fingerprints("2/2", [1, 2, 3, 99])


@pytest.mark.usefixtures("small_parts", "small_limits")
def test_there_and_back(path, tmp_path, rng):
    asked = np.arange(100)
    with fpdb.open(path, recipe=fpdb.Recipe.preset().with_(key=2**64 - 1)) as db:
        fill(db, rng)
        lines = exported(db, texts=True)
        expected = [*db.documents()], as_json(db.query_fingerprints(asked)), db.query(PROSE).to_dict(), db.recipe
        texts = db.text("string"), db.text("bytes"), db.original("string")
        assert db.check() == []
    copy = tmp_path / "copy.fpdb"
    assert imported(copy, lines) == {"added": 53, "replaced": 0, "updated": 0, "unchanged": 0}
    assert imported(copy, lines)["unchanged"] == 53
    with fpdb.open(copy) as db:
        assert (
            [*db.documents()],
            as_json(db.query_fingerprints(asked)),
            db.query(PROSE).to_dict(),
            db.recipe,
        ) == expected
        assert (db.text("string"), db.text("bytes"), db.original("string")) == texts
        assert exported(db, texts=True) == lines
        assert db.check() == []
        assert b'"text":' not in exported(db)


def test_samples_and_rotations(tmp_path):
    for preset in ("koala", "sample"):
        source, copy = tmp_path / preset, tmp_path / f"{preset} copy"
        with fpdb.open(source, recipe=fpdb.Recipe.preset(preset)) as db:
            text = " ".join(f"word{number} means {number**3 % 977}" for number in range(2_000))
            db.add("a", text)
            if preset == "koala":
                assert db.rotate("a", text) == 1
            db.add("b", text[5_000:])
            lines, answer = exported(db), db.query(text).to_dict()
            pairs = [repr(pair) for pair in db.pairs()]
        assert (b'"share"' in lines, b'"rotation":1' in lines) == (preset == "sample", preset == "koala")
        imported(copy, lines)
        with fpdb.open(copy) as db:
            assert exported(db) == lines
            assert db.query(text).to_dict() == answer
            assert [repr(pair) for pair in db.pairs()] == pairs
            assert db.check() == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    documents=st.dictionaries(
        st.text(min_size=1, max_size=9).filter(
            lambda name: name.isascii() or not any("\ud800" <= c < "\ue000" for c in name)
        ),
        st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**32 - 2)), max_size=9),
        max_size=9,
    )
)
def test_any_hashes_come_back(tmp_path_factory, documents):
    folder = tmp_path_factory.mktemp("any")
    with fpdb.open(folder / "a") as db:
        with db.batch() as batch:
            for name, postings in documents.items():
                batch.add_fingerprints(name, [h for h, _ in postings], [p for _, p in postings])
        lines = exported(db)
    imported(folder / "b", lines)
    with fpdb.open(folder / "b") as db:
        assert exported(db) == lines
        assert db.check() == []


def test_texts_need_their_package(path, monkeypatch):
    with fpdb.open(path) as db:
        db.add("a", PROSE, keep_text=True)
        monkeypatch.setitem(sys.modules, "zstandard", None)
        with pytest.raises(fpdb.MissingPackage):
            db.export(io.BytesIO(), texts=True)
        assert exported(db)
