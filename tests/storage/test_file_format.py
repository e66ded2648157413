"""A database of file format 1, made once and kept: whatever is changed, it opens and answers as it did."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

import fpdb

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def kept(tmp_path):
    return Path(shutil.copy(DATA / "format-1.fpdb", tmp_path))


def answers(db):
    spec = importlib.util.spec_from_file_location("make_format_1", DATA / "make_format_1.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return json.loads(json.dumps(module.answers(db)))


EXPECTED = json.loads((DATA / "format-1.json").read_text())


def test_it_answers_as_it_did(kept):
    before = kept.read_bytes()
    with fpdb.open(kept, "r") as db:
        assert db.check() == []
        assert answers(db) == EXPECTED
        info = db.info()
        assert info["format_version"] == 1
        assert info["runs"] > 2
        assert info["dead_postings"] > 100
        assert info["boilerplate_documents"] == 1
        assert info["texts"] == 2
    assert fpdb.check(kept).sound
    assert fpdb.check(kept, quick=True).sound
    assert kept.read_bytes() == before


def test_every_way_out_gives_the_same(kept, tmp_path):
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
            if name == "backup":  # a copy of format 1 is of format 1
                with pytest.raises(fpdb.ReadOnly, match="fpdb compact"):
                    db.add_fingerprints("more", [1, 2, 3])
                assert answers(db) == EXPECTED
                db.compact()
            found = {**answers(db), "info": None}
            assert found == {**EXPECTED, "info": None}, name
            assert db.add_fingerprints("more", [1, 2, 3]) == "added"
            assert db.check() == []
