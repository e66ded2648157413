"""JSON is parsed as `json` parses it, but for numbers of many digits and for what would fill the memory."""

import json
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb import bounded_json
from fpdb.bounded_json import LongNumber

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.booleans())
def test_what_json_parses_is_the_same(value, as_bytes):
    text = json.dumps(value)
    assert bounded_json.parse(text.encode() if as_bytes else text) == value


@pytest.mark.parametrize("text", ["{", "", "]", '{"a": }', "[" * 100_000, "nul"])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        bounded_json.parse(text)


def test_long_numbers_are_told_apart():
    first, second, third = bounded_json.parse(f"[{'9' * 4300}, {'9' * 4301}, -{'9' * 1_000_000}]")
    assert first == int("9" * 4300)
    assert isinstance(second, LongNumber)
    assert isinstance(third, LongNumber)


@pytest.mark.parametrize("value", ["[]", "{}", '{"":0}', '"ab"', "999", "[[]]", "1.5", '{"a":{"b":[]}}', "null"])
def test_the_memory_of_values_is_bounded(value, limited):
    """Whatever is refused or not, what is parsed takes no more than is allowed."""
    text = "[" + f"{value}," * (1_000_000 // len(value)) + "0]"
    tracemalloc.start()
    for memory in (500_000_000, 100_000_000, 50_000_000, 20_000_000, 10_000_000):
        limited(memory=memory)
        tracemalloc.reset_peak()
        with suppress(ValueError):
            bounded_json.parse(text)
        assert tracemalloc.get_traced_memory()[1] < memory
    tracemalloc.stop()
