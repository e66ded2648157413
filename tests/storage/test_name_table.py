"""The blocks of names are a sorted dict from keys to ids, however they are changed."""

import lmdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.errors import Corrupt
from fpdb.storage import _names, file_format
from fpdb.storage.name_table import ROOM, NameTable, unpack_names

PARTS = st.sampled_from([b"a", b"b", b"\0", b"\xff", b"x" * 150, b"y" * 90])
KEYS = st.lists(PARTS, min_size=1, max_size=5).map(lambda parts: b"".join(parts)[:480])
IDS = st.integers(0, 2**32 - 1) | st.integers(0, 300)
CHANGES = st.dictionaries(KEYS, st.just(-1) | IDS | IDS, min_size=1, max_size=200)


def entries(table, *start, **options):
    return [(key, id_) for keys, ids in table.blocks(*start, **options) for key, id_ in zip(keys, ids, strict=True)]


def change(table, ids):
    table.change(sorted(ids), np.array([ids[key] for key in sorted(ids)], np.int64))


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    with lmdb.open(str(tmp_path_factory.mktemp("names") / "t"), subdir=False, map_size=1 << 30) as env:
        yield env


@given(st.lists(CHANGES, max_size=6), st.lists(KEYS, max_size=5), KEYS)
@settings(max_examples=150, deadline=None)
def test_names_are_what_was_set_and_not_deleted(env, changes, others, start):
    with env.begin(write=True, buffers=True) as txn:
        table, expected = NameTable(txn, None), {}
        for changed in changes:
            change(table, changed)
            expected = {key: id_ for key, id_ in {**expected, **changed}.items() if id_ >= 0}
        in_order = sorted(expected.items())
        assert entries(table) == in_order
        assert entries(table, start) == [entry for entry in in_order if entry[0] >= start]
        assert entries(table, start, after=True) == [entry for entry in in_order if entry[0] > start]
        assert table.count() == len(expected)
        keys = sorted({*others, *expected, *(key + b"+" for key in list(expected)[:9])})
        assert dict(table.find(keys)) == {key: expected[key] for key in keys if key in expected}
        for key in keys[:20]:
            assert dict(table.find([key])) == ({key: expected[key]} if key in expected else {})
        assert all(len(value) <= ROOM + file_format.CHECKSUM for _, value in txn.cursor())
        txn.abort()


def test_blocks_that_are_filled_in_order_are_full_and_emptied_ones_are_joined(env):
    keys = [b"%06d" % number for number in range(0, 40_000, 2)]
    with env.begin(write=True, buffers=True) as txn:
        table = NameTable(txn, None)
        for start in range(0, len(keys), 100):
            change(table, dict.fromkeys(keys[start : start + 100], start))
        full = [len(value) for _, value in txn.cursor()]
        assert min(full[:-1]) > 0.99 * ROOM
        change(table, {b"%06d" % number: 5 for number in range(1, 40_000, 2)})
        assert min(len(value) for _, value in txn.cursor()) > 0.4 * ROOM
        for part in range(10):
            change(table, {b"%06d" % number: -1 for number in range(40_000) if number % 20 and number % 10 == part})
        sizes = [len(value) for _, value in txn.cursor()]
        assert len(sizes) < len(full) / 3
        change(table, dict.fromkeys((b"%06d" % number for number in range(40_000)), -1))
        assert entries(table) == []
        assert txn.stat()["entries"] == 0
        txn.abort()


def test_a_value_of_version_1_is_a_name_by_itself(env):
    with env.begin(write=True, buffers=True) as txn:
        for number, key in enumerate([b"a", b"b", b"d"]):
            txn.put(key, file_format.seal(key, file_format.id_key(number)))
        table = NameTable(txn, None)
        assert entries(table, b"aa") == [(b"b", 1), (b"d", 2)]
        assert dict(table.find([b"a", b"c", b"d", b"e"])) == {b"a": 0, b"d": 2}
        txn.abort()


BLOCK = _names.change(b"", [b"abc", b"abd", b"b"], np.array([1, 2, 3], np.int64), range(3), (ROOM, ROOM))[0][0]


@pytest.mark.parametrize(
    "block",
    [
        b"\1\0",
        BLOCK[:-1],
        BLOCK + b"\0",
        b"\2" + BLOCK[1:],
        b"\4" + BLOCK[1:],
        b"\1\0\1\1a\0",  # more in common than there is
        b"\1\0\0\0\0",  # an empty name
        b"\2\0\0\1b\0\0\1a\0",  # out of order
        b"\2\0\0\2ab\0\0\2ac\0",  # less in common than there is
        b"\2\0\0\1a\0\1\0\0",  # twice the same
        b"\1\0\0\1a\1",  # less than no document
        b"\1\0\0\1a\xff\xff\xff\xff\x7f",
        b"\1\0\0\xe1\3" + b"a" * 481 + b"\0",
        b"\0\0" + BLOCK[2:],
    ],
)
def test_a_malformed_block_is_refused(block):
    with pytest.raises(Corrupt, match="malformed"):
        unpack_names(b"\0", file_format.seal(b"\0", block))


def test_a_block_with_names_before_its_key_is_refused():
    with pytest.raises(Corrupt, match="out of order"):
        unpack_names(b"abd", file_format.seal(b"abd", BLOCK))
