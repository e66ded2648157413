"""A database of each file format, made once and kept: whatever is changed, it opens and answers as it did."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

import fpdb

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(params=[1, 2])
def version(request):
    return request.param


@pytest.fixture
def kept(tmp_path, version):
    return Path(shutil.copy(DATA / f"format-{version}.fpdb", tmp_path))


@pytest.fixture
def expected(version):
    return json.loads((DATA / f"format-{version}.json").read_text())


def answers(db, expected):
    """Return the answers of a database, as far as they are expected: later fpdbs say more."""
    spec = importlib.util.spec_from_file_location("make_format", DATA / "make_format.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return _expected_part(json.loads(json.dumps(module.answers(db))), expected)


def _expected_part(given, expected):
    """Return what is given without the keys of dicts that are not expected."""
    if isinstance(given, dict) and isinstance(expected, dict):
        return {key: _expected_part(given.get(key), value) for key, value in expected.items()}
    if isinstance(given, list) and isinstance(expected, list) and len(given) == len(expected):
        return list(map(_expected_part, given, expected))
    return given


def test_it_answers_as_it_did(kept, version, expected):
    before = kept.read_bytes()
    with fpdb.open(kept, "r") as db:
        assert db.check() == []
        assert answers(db, expected) == expected
        info = db.info()
        assert info["format_version"] == version
        assert info["runs"] > 2
        assert info["dead_postings"] > 100
        assert info["boilerplate_documents"] == 1
        assert info["texts"] == 2
    assert fpdb.check(kept).sound
    assert fpdb.check(kept, quick=True).sound
    assert kept.read_bytes() == before


def test_every_way_out_gives_the_same(kept, tmp_path, version, expected):
    """A backup, a compact copy, a repaired one, and an export and import."""
    fpdb.repair(kept, tmp_path / "repaired")
    with fpdb.open(kept) as db:
        db.backup(tmp_path / "backup")
        with (tmp_path / "lines").open("wb") as file:
            db.export(file, texts=True)
        db.compact()
    with (tmp_path / "lines").open("rb") as file:
        fpdb.import_(tmp_path / "imported", file)
    for name in (kept.name, "repaired", "backup", "imported"):
        with fpdb.open(tmp_path / name) as db:
            if name == "backup" and version == 1:  # a copy of format 1 is of format 1
                with pytest.raises(fpdb.ReadOnly, match="fpdb compact"):
                    db.add_fingerprints("more", [1, 2, 3])
                assert answers(db, expected) == expected
                db.compact()
            found = {**answers(db, expected), "info": None}
            assert found == {**expected, "info": None}, name
            assert db.add_fingerprints("more", [1, 2, 3]) == "added"
            assert db.check() == []
