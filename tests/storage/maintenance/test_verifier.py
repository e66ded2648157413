"""One commit is verified: all of it, or samples. See tests/stress/test_check.py for every fault."""

from pathlib import Path

import fpdb
from fpdb.storage import file_format
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
