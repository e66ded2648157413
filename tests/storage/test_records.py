"""Groups of records: their names are those that unpacking gives, and no bytes lead out of them, or take much memory."""

import os
import tracemalloc
import zlib
from contextlib import suppress

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.errors import BadLabel, Corrupt
from fpdb.storage import _records, file_format
from fpdb.storage.records import LARGEST_RECORD, LATEST, MOST_LABELS, MOST_TEXT, Record, pack_records, unpack_rows
from tests.storage.processes import run_in_child

WIDE = st.sampled_from([16, 20, 65536]).flatmap(lambda n: st.sampled_from([[0] * n, dict.fromkeys(range(n))]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=9)
    | st.binary()
    | st.sampled_from([256, 65_536]).map("é".__mul__)
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
    st.lists(VALUES, max_size=3) | st.lists(st.none(), max_size=10),
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


@given(ROW)
@settings(deadline=None)
def test_what_stands_behind_a_group_is_not_read(row):
    """Where a group is cut short, the rest follows in memory, and would make it whole."""
    packed = memoryview(msgpack.packb([row]))
    needed = 2 + sum(len(msgpack.packb(value)) for value in row[:5])
    for end in {*range(needed - 30, needed), *range(40), len(row[0]) + 2, needed // 2}:
        if 0 <= end < needed:
            with pytest.raises(ValueError, match=r"array|row|name|count"):
                _records.describe(packed[:end], 1, [0], 65535, [], [])
            with pytest.raises(ValueError, match="array"):
                _records.check_shape(packed[:end], 1, 15, 1024)
    names, counts = [], []
    _records.describe(packed[:needed], 1, [0], 65535, names, counts)
    assert (names, counts) == ([row[0]], [row[4]])


def test_values_of_every_type_but_extensions_are_skipped():
    for tag in range(256):
        values = (bytes([tag, *bytes(zeros)]) for zeros in range(32))  # so many bytes, values or lengths that are 0
        value = next(filter(is_whole, values), bytes([tag]))
        group, names, counts = b"\x91\x95\xc4\x01a" + value + b"\x00\x00\x07", [], []
        with suppress(ValueError):
            _records.describe(group, 1, [0], 65535, names, counts)
        is_read = is_whole(value) and not isinstance(msgpack.unpackb(value, strict_map_key=False), msgpack.ExtType)
        assert counts == [7] * is_read, f"{tag:x}"


def is_whole(packed):
    try:
        msgpack.unpackb(packed, strict_map_key=False)
    except ValueError:
        return False
    return True


FLAT = st.binary() | st.text() | st.integers(0, 2**64 - 1) | st.dictionaries(st.text(max_size=3), st.text())
EMPTY = [b"\x91\xdc\0\0", b"\x91\x91\xde\0\0"]
"""Groups of an empty row, and of an empty map, as long as they can be."""


@given(st.lists(FLAT, min_size=1, max_size=20).map(lambda row: msgpack.packb([row])) | st.sampled_from(EMPTY))
def test_what_stands_behind_a_group_is_not_checked(packed):
    _records.check_shape(packed, 1, 20, 1024)
    for end in range(len(packed)):
        with pytest.raises(ValueError, match="array"):
            _records.check_shape(memoryview(packed)[:end], 1, 20, 1024)


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


COUNT = st.integers(0, 2**63 - 1)
LABELS = st.dictionaries(st.sampled_from(["k", "l", "ö", "\udcff"]), st.sampled_from(["", "v", "\udcff" * 40]))
RECORDS = st.builds(
    lambda name, kind, digest, counts, rest: Record(
        name, kind, digest, *counts[:2], *sorted(counts[2:], reverse=True), *rest
    ),
    st.binary(min_size=1, max_size=300),
    st.sampled_from(["text", "python", "x" * 40]),
    st.binary(min_size=16, max_size=16),
    st.lists(COUNT, min_size=4, max_size=4),
    st.tuples(st.integers(0, LATEST), st.text(max_size=3), st.none() | st.text(max_size=40), st.none(), LABELS),
)


def columns_of(packed, rows, keys):
    names, kinds, labels = [], [], []
    counts, digests = np.zeros((rows, 5), np.int64), np.zeros((rows, 16), np.uint8)
    limits = 65535, LATEST, Record._fields.index("labels"), len(Record._fields)
    places = _records.read_columns(packed, rows, limits, keys, (names, kinds, labels), counts, digests)
    return places, names, kinds, labels, counts[: len(places)], digests[: len(places)]


@given(
    st.lists(st.none() | RECORDS, min_size=8, max_size=8), st.sampled_from([[], ["k"], ["k", "\udcff", "z"]]), st.data()
)
@settings(deadline=None)
def test_columns_of_a_group_are_those_of_its_records(records, keys, data):
    shorter = data.draw(st.sampled_from([9, 11, 14]))  # values that are left out at the end are those by default
    rows = [
        record and list(record)[: shorter if not record.labels and record.source is None else 14] for record in records
    ]
    packed = msgpack.packb(rows, unicode_errors="surrogateescape")
    places, names, kinds, labels, counts, digests = columns_of(packed, 8, keys)
    there = [record for record in records if record is not None]
    assert [records[place] for place in places] == there
    assert names == [record.name for record in there]
    assert kinds == [record.kind for record in there]
    assert labels == [record.labels.get(key) for record in there for key in keys]
    assert counts.tolist() == [[*record[3:8]] for record in there]
    assert digests.tobytes() == b"".join(record.digest for record in there)
    for end in data.draw(st.sets(st.integers(0, len(packed) - 1), max_size=9)):
        with pytest.raises(ValueError, match=r"array|name|kind|digest|count|labels|ends"):
            columns_of(packed[:end], 8, keys)


@pytest.mark.parametrize(
    "wrong",
    [{"name": b""}, {"name": bytes(65536)}, {"digest": b"x"}, {"symbols": 2**63}, {"hashes": 2}, {"added": LATEST + 1}],
)
def test_columns_that_no_record_has_are_refused(wrong):
    row = list(Record(b"a", "text", bytes(16), 1, 1, 1, 1, 1)._replace(**wrong))
    with pytest.raises(ValueError, match=r"cannot be|not a number"):
        columns_of(msgpack.packb([row]), 1, [])


def test_what_is_just_within_the_limits_is_read():
    names, counts, most = [], [], 2**63 - 1
    _records.describe(msgpack.packb([[b"ab", 0, 0, 0, most]]), 1, [0], 2, names, counts)
    assert (names, counts) == ([b"ab"], [most])
    record = Record(bytes(65535), "text", bytes(16), most, most, most, most, LATEST)
    _, names, _, _, counts, _ = columns_of(msgpack.packb([record]), 1, [])
    assert (names, counts.tolist()) == ([record.name], [[*record[3:8]]])


@given(st.binary(max_size=300), st.sets(st.integers(0, 7)))
def test_any_bytes_as_a_group_are_described_or_refused(data, places):
    for packed in (data, b"\x98" + data, b"\x98\x9e\xc4\x01a" + data):
        names, counts = [], []
        with suppress(ValueError, LookupError):
            _records.describe(packed, 8, sorted(places), 65535, names, counts)
            assert len(names) == len(counts) == len(places)
        with suppress(ValueError):
            columns_of(packed, 8, ["k"])


def test_records_are_not_called_malformed_for_want_of_memory() -> None:
    """Out of memory, zlib raises an error of its own."""
    allocations = pytest.importorskip("_testcapi", reason="this Python comes without _testcapi")
    labels = {"a": os.urandom(40_000).hex()}  # more than zlib gives out at once: it makes a window then
    records = [Record(b"a", "text", bytes(file_format.DIGEST_BYTES), 1, 1, 1, 1, 1, labels=labels)] * 8
    key = file_format.id_key(1)
    value = pack_records(key, records, 1)

    def unpack() -> str:
        raised = set()
        for nth in range(1, 150):
            allocations.set_nomemory(nth, nth + 1)
            try:
                unpack_rows(key, value)
            except Exception as error:
                allocations.remove_mem_hooks()
                raised.add(type(error).__name__)
            finally:
                allocations.remove_mem_hooks()
        return f"{raised}"

    assert run_in_child(unpack) == "{'MemoryError'}"  # where no other thread wants memory


RECORD = Record(b"a", "text", bytes(file_format.DIGEST_BYTES), 1, 1, 1, 1, 1)
ROW_OF_NOTHING = msgpack.packb(list(RECORD[:11]))[1:]
MILLION = 1 << 20
BOMBS = {
    "empty lists for rows": b"\x98" + b"\x90" * MILLION,
    "a row of empty lists": b"\x98\xdd" + MILLION.to_bytes(4, "big") + b"\x90" * MILLION + b"\xc0" * 7,
    "lists in each other": b"\x98\x9b" + b"\x91" * 1000 + b"\x90" + b"\xc0" * 17,
    "many labels": b"\x98\x9c"
    + ROW_OF_NOTHING
    + b"\xde\xff\xff"
    + b"".join(b"\xa5%05x\xa0" % number for number in range(65535))
    + b"\xc0" * 7,
    "labels of lists": b"\x98\x9c" + ROW_OF_NOTHING + b"\x81\xa1a\x90" + b"\xc0" * 7,
    "more bytes than a group has": b"\x98\xdb" + (4 * MILLION).to_bytes(4, "big") + b" " * (4 * MILLION) + b"\xc0" * 7,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_few_bytes_never_become_many_objects(name):
    key = file_format.id_key(1)
    value = file_format.seal(key, zlib.compress(BOMBS[name]))
    assert len(value) < 400_000
    tracemalloc.start()
    try:
        with pytest.raises(Corrupt, match="malformed"):
            unpack_rows(key, value)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("row", [None, RECORD, RECORD[:8], RECORD._replace(source="a", labels={"b": "c"}, text=7)])
def test_groups_as_they_are_written_have_the_shape(row):
    _records.check_shape(msgpack.packb([row] * 8), 8, 14, 1024)


@given(st.binary(max_size=300))
def test_any_bytes_have_the_shape_or_not(data):
    for packed in (data, b"\x98" + data, b"\x98\x9e\xc4\x01a" + data):
        with suppress(ValueError):
            _records.check_shape(packed, 8, 14, 1024)


def test_what_could_not_be_read_again_is_not_written(db):
    """At the limits, and beyond."""
    longest = "n" * file_format.LONGEST_NAME
    labels = {f"{number:04}": "x" * 100 for number in range(MOST_LABELS)}
    for name in (longest, longest[:-1] + "m"):
        db.add_fingerprints(name, [1], labels=labels, source="s" * (MOST_TEXT - 104 * MOST_LABELS - 8), contact="")
    assert len(db.document(longest).labels) == MOST_LABELS
    for options in ({"labels": {**labels, "more": ""}}, {"source": "s" * (MOST_TEXT + 1)}):
        with pytest.raises(BadLabel, match="are the most"):
            db.add_fingerprints("too much", [1], **options)
    with pytest.raises(BadLabel, match="are the most"):
        pack_records(file_format.id_key(0), [RECORD._replace(note="n" * LARGEST_RECORD)], 1)


@given(st.lists(RECORDS.map(lambda record: record._replace(name=record.name * 220)) | RECORDS, max_size=15))
def test_groups_are_packed_as_msgpack_packs_them(records):
    middle, labels = [7, "", None, "m"], [record.labels for record in records]
    packed = _records.pack_group(
        [record.name for record in records],
        np.array([[*record.digest] for record in records], np.uint8).reshape(-1, 16),
        np.array([record[3:7] for record in records], np.int64).reshape(-1, 4),
        (msgpack.packb("kind"), b"".join(map(msgpack.packb, middle))),
        [msgpack.packb(some, unicode_errors="surrogateescape") for some in labels],
    )
    rows = [[record.name, "kind", *record[2:7], *middle, record.labels, 0, None] for record in records]
    assert packed == msgpack.packb(rows, unicode_errors="surrogateescape")


WHOLE, GONE = 2**32 - 1, (2**32 - 1, 0, 0)
NARROW = st.integers(0, 2**16 - 2).map(lambda hashes: (hashes, 0, WHOLE)) | st.just(GONE)
OTHER = st.tuples(*[st.sampled_from([0, 1, 255, 256, 2**16 - 1, 2**16, 2**32 - 2, 2**32 - 1])] * 3)


@given(st.lists(NARROW, max_size=9), st.lists(OTHER, max_size=1), st.integers(0, 9))
def test_sizes_are_narrow_where_nothing_is_lost(sizes, other, place):
    sizes[place:place] = other
    wide = np.array(sizes, "<u4").tobytes()
    fits = all(size == GONE or (size[0] < 2**16 - 1 and size[1:] == (0, WHOLE)) for size in sizes)
    narrow = np.array([hashes & 0xFFFF for hashes, _, _ in sizes], "<u2").tobytes() if fits else None
    assert _records.narrow_sizes(wide) == narrow
    assert narrow is None or _records.widen_sizes(narrow) == wide
