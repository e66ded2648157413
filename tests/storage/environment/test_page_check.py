"""Commits whose meta page is damaged are refused, or told from those that failed."""

import os
import subprocess
import sys
from pathlib import Path

import lmdb
import numpy as np
import pytest

import fpdb
from fpdb.storage.environment import _page_check, page_check
from fpdb.storage.environment._page_check import HEADER, PAGE, TREE_RECORD

TREES = HEADER + 24
"""The place of the trees' records in a meta page."""


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


def test_pages_that_are_not_there_are_not_looked_at(path, rng):
    with fpdb.open(path) as db:
        for number in range(9):
            db.add_fingerprints(f"{number}", rng.integers(0, 2**63, 500, np.uint64))
        assert db.check() == []
    sound = Path(path).read_bytes()
    meta = page_check.last_transaction(path) & 1
    record = PAGE * meta + TREES + TREE_RECORD
    end = int.from_bytes(sound[record + TREE_RECORD :][:8], "little") + 1
    assert _page_check.examine(sound, meta, 1_000) is None
    for root in (0, 1, end, end + 1, 2**40, 2**63):
        pages = bytearray(sound)
        pages[record + 40 : record + 48] = root.to_bytes(8, "little")
        assert "names a page that is not there" in _page_check.examine(pages, meta, 1_000)


def test_no_more_pages_are_looked_at_than_allowed(path, rng):
    with fpdb.open(path) as db:
        for number in range(9):
            db.add_fingerprints(f"{number}", rng.integers(0, 2**63, 5_000, np.uint64))
        assert db.check() == []
    pages = bytearray(Path(path).read_bytes())
    meta = page_check.last_transaction(path) & 1
    pages[PAGE * meta + TREES + TREE_RECORD + 32] ^= 1  # the number of entries, told when all pages have been looked at
    assert "counts other pages or entries" in _page_check.examine(pages, meta, 1_000)
    assert _page_check.examine(pages, meta, 2) is None


def test_few_pages_are_mapped_at_a_time(tmp_path):
    """The system maps more than the page that is looked at, so the memory of many would be several times their size."""
    path = str(tmp_path / "large")
    with lmdb.open(path, subdir=False, map_size=1 << 30) as env, env.begin(write=True) as txn:
        for key in range(60_000):
            txn.put(key.to_bytes(8, "big"), bytes(1000), append=True)
    assert os.path.getsize(path) > 60_000_000
    program = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from fpdb.storage.environment import page_check\n"
        "def peak(): return int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) * 1024\n"
        "before = peak()\n"
        "with open(sys.argv[1], 'rb') as file: fault = page_check.find_fault(file.fileno(), 1, 1 << 20)\n"
        "print(fault, peak() - before)"
    )
    fault, grown = subprocess.check_output([sys.executable, "-c", program, path], text=True).split()
    assert fault == "None"
    assert int(grown) < 30_000_000
