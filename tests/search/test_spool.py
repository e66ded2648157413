"""Lines that are held until they are printed."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import StorageFailure
from fpdb.search import spool
from fpdb.search.spool import spool_lines


@given(st.lists(st.binary(max_size=9).map(lambda line: line + b"\n"), max_size=20), st.integers(1, 60))
def test_lines_are_given_back_in_order_and_few_are_in_memory(given_lines: list[bytes], most: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool, "PIECE_BYTES", most)
        kept = spool_lines(given_lines, folder)
        assert len(kept.last) < most
        assert (kept.path is None) == (kept.last == b"".join(given_lines))
        pieces = list(kept.pieces())
        assert max(map(len, pieces)) <= most
        assert b"".join(pieces) == b"".join(given_lines)
        assert os.listdir(folder) == []


def test_where_lines_cannot_wait_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageFailure, match=f"cannot wait in '{tmp_path}': No such file or directory; let TMPDIR be"):
        spool_lines([b"x" * spool.PIECE_BYTES], str(tmp_path / "none"))
