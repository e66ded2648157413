"""One commit is verified: all of it, or samples. See tests/stress/test_check.py for every fault."""

from pathlib import Path

import fpdb
from fpdb.storage import file_format
from fpdb.storage.maintenance.verifier import verify
from tests.storage.raw import Raw


def test_a_quick_check_reads_the_state_all_fences_and_samples(tmp_path, original):
    path = str(tmp_path / "t.fpdb")
    Path(path).write_bytes(original[0])
    with Raw(path) as raw:
        raw.change_state(documents=raw.state.documents + 1)
    assert fpdb.check(path, quick=True).problems
    Path(path).write_bytes(original[0])
    with Raw(path) as raw:
        key = raw.blocks(column=file_format.FENCES)[0]
        raw.put(file_format.BLOCKS, key, raw.get(file_format.BLOCKS, key)[:-1] + b"x")
    assert fpdb.check(path, quick=True).problems


def test_only_what_is_wrong_is_said(tmp_path, original):
    path = str(tmp_path / "t.fpdb")
    Path(path).write_bytes(original[0])
    with fpdb.open(path, "r") as db, db._store.snapshot() as snapshot:
        assert list(verify(snapshot)) == list(verify(snapshot, quick=True)) == []
    with Raw(path) as raw:
        run = raw.state.runs[0]
        raw.change_run(0, dead=run.dead + 1)
    with fpdb.open(path, "r") as db, db._store.snapshot() as snapshot:
        (problem,) = verify(snapshot)
        assert f"run {run.number} " in problem
