"""Rows of Arrow are cut into portions that have all of them, in order, each within the limit if it can be."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.readers.parquet_rows import cut_rows


@pytest.mark.parametrize("with_dictionary", [False, True])
@given(st.lists(st.text("aé", max_size=40), max_size=12), st.integers(1, 200), st.integers(1, 200))
def test_portions_are_the_rows(with_dictionary, texts, limit, largest):
    column = pa.array(texts, "string")
    rows = pa.RecordBatch.from_arrays([column.dictionary_encode() if with_dictionary else column], ["text"])
    portions = list(cut_rows(rows, limit, largest))
    assert sum(count for count, _, _ in portions) == len(texts)
    done = 0
    for count, size, stream in portions:
        assert count == 1 or size <= limit
        assert bool(stream) == (size <= largest)
        if stream:
            assert pa.ipc.open_stream(stream).read_all()["text"].to_pylist() == texts[done : done + count]
        done += count
