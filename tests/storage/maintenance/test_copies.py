"""Copies of a database appear whole and sound, or not at all."""

import os
from pathlib import Path

import numpy as np
import pytest

import fpdb
from fpdb.storage.maintenance import copies
from tests.reference_database import as_json


def test_copies_are_whole(path, tmp_path, rng):
    hashes = rng.integers(0, 2**63, 500, np.uint64)
    with fpdb.open(path) as db:
        for name in "abc":
            db.add_fingerprints(name, hashes, boilerplate=name == "c")
        db.remove("b")
        db.backup(tmp_path / "copy")
        with pytest.raises(fpdb.DatabaseExists):
            db.backup(tmp_path / "copy")
        with pytest.raises(fpdb.DatabaseExists):
            db.backup(path)
        with pytest.raises(fpdb.StorageFailure):
            db.backup(tmp_path / "none" / "copy")
        with fpdb.open(tmp_path / "copy", "r+") as copy:
            assert as_json(copy.query_fingerprints(hashes)) == as_json(db.query_fingerprints(hashes))
            assert copy.recipe == db.recipe
            assert copy.check() == []
            copy.add_fingerprints("d", hashes)
        assert "d" not in db
        assert db.check() == []
    left = {
        "t.fpdb",
        "copy",
        *(name + beside for name in ("t.fpdb", "copy") for beside in ("-lock", "-writer", "-merge")),
    }
    assert set(os.listdir(tmp_path)) <= left


def test_a_copy_that_is_not_sound_gets_no_name(path, tmp_path, monkeypatch):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
        before = Path(path).read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(copies, "verify", lambda *_, **__: iter(["something is wrong"]))
            for change in (lambda: db.backup(tmp_path / "copy"), db.compact):
                with pytest.raises(fpdb.Corrupt, match="something is wrong"):
                    change()
        assert Path(path).read_bytes() == before
        db.backup(tmp_path / "copy")
        db.compact()
        assert db.check() == []
    assert not [name for name in os.listdir(tmp_path) if name.endswith((".backup", ".compact"))]
