"""All results are taken at once, and come back as they were, from memory or from a file."""

import io
from tempfile import SpooledTemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb import spool as spool_module
from fpdb.errors import StorageFailure
from fpdb.spool import spool, spool_pieces

VALUES = st.tuples(
    st.text() | st.binary() | st.none() | st.booleans(),
    st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False),
    st.dictionaries(st.text(), st.text()),
    st.lists(st.integers(0, 9)).map(tuple),
)
UNREADABLE = b"\xff/name".decode("utf-8", "surrogateescape")


@given(
    st.lists(VALUES | st.just((UNREADABLE, 1, {UNREADABLE: ""}, ())), max_size=30),
    st.integers(1, 8),
    st.integers(0, 300),
)
def test_results_come_back_in_order(results, batch, held):
    taken = []

    def source():
        for result in results:
            taken.append(result)
            yield result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool_module, "BATCH", batch)
        patch.setattr(spool_module, "HELD_BYTES", held)
        spooled = spool(source(), list, tuple)
        assert taken == results
        assert list(spooled) == results


@pytest.mark.parametrize("read", [0, 1, 5])
def test_what_is_not_read_to_its_end_is_closed(monkeypatch, read):
    files = []

    class Noted(SpooledTemporaryFile):
        def __init__(self, limit):
            super().__init__(limit)
            files.append(self)

    monkeypatch.setattr(spool_module, "BATCH", 2)
    monkeypatch.setattr(spool_module, "SpooledTemporaryFile", Noted)
    spooled = spool(range(10), int, int)
    assert [next(spooled) for _ in range(read)] == list(range(read))
    assert [file.closed for file in files] == [False]
    del spooled
    assert [file.closed for file in files] == [True]


def test_no_room_is_told(monkeypatch):
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool_module, "BATCH", 2)
    monkeypatch.setattr(spool_module, "SpooledTemporaryFile", lambda _: Full())
    with pytest.raises(StorageFailure, match=r"No space left.*TMPDIR"):
        spool(range(10), int, int)


@given(st.lists(st.binary(max_size=9), max_size=9), st.lists(st.integers(0, 8)), st.integers(1, 40))
def test_pieces_are_read_in_any_order(pieces, indices, held):
    asked = [index for index in indices if index < len(pieces)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool_module, "HELD_BYTES", held)
        spooled = spool_pieces(pieces, lambda kept: iter([list(kept), *(kept[index] for index in asked)]))
    assert list(spooled) == [pieces, *(pieces[index] for index in asked)]
