"""The names in a group of records are those that unpacking it gives, and no bytes lead out of it."""

import os
from contextlib import suppress

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.storage import _records, file_format
from fpdb.storage.records import Record, pack_records, unpack_rows

WIDE = st.sampled_from([16, 20, 65536]).flatmap(lambda n: st.sampled_from([[0] * n, dict.fromkeys(range(n))]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=9)
    | st.binary()
    | WIDE,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=3), values, max_size=3),
    max_leaves=4,
)
COUNTS = st.sampled_from([0, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1]) | st.integers(0, 2**63 - 1)
ROW = st.tuples(
    st.binary(min_size=1) | st.integers(1, 65535).map(bytes),
    VALUES,
    VALUES,
    VALUES,
    COUNTS,
    st.lists(VALUES, max_size=3),
).map(lambda row: [*row[:5], *row[5]])


@given(st.integers(1, 15).flatmap(lambda n: st.lists(st.none() | ROW, min_size=n, max_size=n)), st.data())
@settings(deadline=None)
def test_rows_of_a_group_are_described_as_if_all_were_unpacked(rows, data):
    packed = msgpack.packb(rows)
    there = [place for place, row in enumerate(rows) if row is not None]
    places = sorted(data.draw(st.sets(st.sampled_from(there)))) if there else []
    names, counts = [], []
    _records.describe(packed, len(rows), places, 65535, names, counts)
    assert list(zip(names, counts, strict=True)) == [(rows[place][0], rows[place][4]) for place in places]
    for place in set(range(len(rows))) - set(there):
        with pytest.raises(LookupError):
            _records.describe(packed, len(rows), [place], 65535, [], [])
    for wrong in ([len(rows)], [-1], [*there[1:2], *there[:1]] if there[1:] else [99]):
        with pytest.raises(ValueError, match="asked for"):
            _records.describe(packed, len(rows), wrong, 65535, [], [])
    with pytest.raises(ValueError, match="array"):
        _records.describe(packed, len(rows) % 15 + 1, [], 65535, [], [])
    for end in {0, 1, *data.draw(st.sets(st.integers(0, len(packed) - 1), max_size=9))}:
        with suppress(ValueError):  # cut short: what comes before is the same, the rest is refused
            names, counts = [], []
            _records.describe(packed[:end], len(rows), places, 65535, names, counts)
            assert list(zip(names, counts, strict=True)) == [(rows[place][0], rows[place][4]) for place in places]


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ([b"", 0, 0, 0, 1], "name"),
        ([bytes(3), 0, 0, 0, 1], "name"),
        (["a", 0, 0, 0, 1], "name"),
        ([b"a", 0, 0, 0, 2**63], "count"),
        ([b"a", 0, 0, 0, -1], "count"),
        ([b"a", 0, 0, 0, "1"], "count"),
        ([b"a", 0, 0, 0], "row"),
        ({}, "row"),
        (7, "row"),
    ],
)
def test_rows_that_no_record_has_are_refused(row, wrong):
    with pytest.raises(ValueError, match=wrong):
        _records.describe(msgpack.packb([row]), 1, [0], 2, [], [])


@given(st.binary(max_size=300), st.sets(st.integers(0, 7)))
def test_any_bytes_as_a_group_are_described_or_refused(data, places):
    for packed in (data, b"\x98" + data, b"\x98\x9e\xc4\x01a" + data):
        names, counts = [], []
        with suppress(ValueError, LookupError):
            _records.describe(packed, 8, sorted(places), 65535, names, counts)
            assert len(names) == len(counts) == len(places)


def test_records_are_not_called_malformed_for_want_of_memory() -> None:
    """Out of memory, zlib raises an error of its own."""
    allocations = pytest.importorskip("_testcapi", reason="this Python comes without _testcapi")
    labels = {"a": os.urandom(40_000).hex()}  # more than zlib gives out at once: it makes a window then
    records = [Record(b"a", "text", bytes(file_format.DIGEST_BYTES), 1, 1, 1, 1, 1, labels=labels)] * 8
    key = file_format.id_key(1)
    value = pack_records(key, records, 1)
    raised = set()
    for nth in range(1, 150):
        allocations.set_nomemory(nth, nth + 1)
        try:
            unpack_rows(key, value)
        except Exception as error:
            allocations.remove_mem_hooks()
            raised.add(type(error))
        finally:
            allocations.remove_mem_hooks()
    assert raised == {MemoryError}
