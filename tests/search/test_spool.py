"""Lines that are held until they are printed."""

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import StorageFailure
from fpdb.search import spool
from fpdb.search.spool import spool_folder, spool_lines


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


def test_a_signal_ends_the_process_without_the_folder() -> None:
    """With the status that shells know; afterwards the signal has the effect that it had before."""
    folders = []

    def spool_until_a_signal() -> None:
        with spool_folder() as folder:
            (Path(folder) / "file").touch()
            folders.append(folder)
            signal.raise_signal(signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        spool_until_a_signal()
    assert ended.value.code == 128 + signal.SIGTERM
    assert [os.path.exists(folder) for folder in folders] == [False]
    assert signal.getsignal(signal.SIGTERM) is before is signal.SIG_DFL


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as by nohup
    try:
        with spool_folder():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
