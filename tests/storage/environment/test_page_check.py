"""Commits whose meta page is damaged are refused, or told from those that failed."""

from pathlib import Path

import numpy as np
import pytest

import fpdb
from fpdb.storage.environment import page_check
from fpdb.storage.environment._page_check import PAGE


def number(data, meta):
    """Return the commit of a meta page."""
    return int.from_bytes(data[PAGE * meta + 144 :][:8], "little")


def names(path):
    with fpdb.open(path, "r") as db:
        return [document.name for document in db.documents()]


@pytest.mark.parametrize("overwritten", [False, True])
def test_a_commit_that_failed_at_its_meta_page_never_was(path, rng, overwritten):
    """LMDB puts the last page and the number back, not the roots; the next commit, killed, may write over its pages."""
    with fpdb.open(path) as db:
        for name in "abc":
            db.add_fingerprints(name, rng.integers(0, 2**64, 50, np.uint64))
    before = Path(path).read_bytes()
    with fpdb.open(path) as db:
        db.add_fingerprints("d", rng.integers(0, 2**64, 50, np.uint64))
    data = bytearray(Path(path).read_bytes())
    meta = number(data, 1) > number(data, 0)
    back = slice(PAGE * meta + 136, PAGE * meta + 152)
    data[back] = before[back]
    Path(path).write_bytes(data)
    with pytest.raises(fpdb.Corrupt, match="its pages say"):
        fpdb.open(path, "r")
    page_check.clear_failed_meta(path)
    page_check.clear_failed_meta(path)
    if overwritten:
        data = bytearray(Path(path).read_bytes())
        for start in range(2 * PAGE, len(data), PAGE):
            if data[start : start + PAGE] != before[start : start + PAGE]:
                data[start : start + PAGE] = rng.bytes(PAGE)
        Path(path).write_bytes(data)
    assert names(path) == ["a", "b", "c"]
    with fpdb.open(path) as db:
        assert db.check() == []
        db.add_fingerprints("e", [1])
        assert db.check() == []
    assert names(path) == ["a", "b", "c", "e"]


def test_no_commit_passes_for_another_when_a_bit_of_its_number_flips(path, tmp_path, rng, monkeypatch):
    monkeypatch.setattr(page_check, "TRIES", 1)  # nobody else is at work
    damaged = tmp_path / "damaged.fpdb"
    for step in range(8):
        with fpdb.open(path) as db:
            db.add_fingerprints(f"{step}", rng.integers(0, 2**64, 50, np.uint64))
        data, expected = Path(path).read_bytes(), names(path)
        for bit in range(64):
            for meta in (0, 1):
                flipped = bytearray(data)
                flipped[PAGE * meta + 144 + bit // 8] ^= 1 << bit % 8
                damaged.write_bytes(flipped)
                try:
                    assert names(damaged) == expected
                except (fpdb.Corrupt, fpdb.NotADatabase):
                    continue
