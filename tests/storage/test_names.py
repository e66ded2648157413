"""A block of names, changed as bytes, is a sorted dict."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from fpdb.storage import _names

PARTS = st.sampled_from([b"a", b"b", b"\0", b"\xff", b"x" * 150])
KEYS = st.lists(PARTS, min_size=1, max_size=4).map(lambda parts: b"".join(parts)[:480])
ROOM = (100_000, 100_000)  # for all names of a test


def changed(block, numbers):
    """Return the block with these numbers, -1 for keys to delete."""
    keys = sorted(numbers)
    column = np.array([numbers[key] for key in keys], np.int64)
    blocks, _ = _names.change(block, keys, column, range(len(keys)), ROOM)
    assert len(blocks) <= 1
    return blocks[0] if blocks else b""


@example([{b"a": -1}], set())
@given(st.lists(st.dictionaries(KEYS, st.integers(-1, 2**32 - 1), min_size=1, max_size=9), max_size=5), st.sets(KEYS))
def test_a_block_is_a_sorted_dict(changes, others):
    block, expected = b"", {}
    for numbers in changes:
        block = changed(block, numbers)
        expected = {key: number for key, number in {**expected, **numbers}.items() if number >= 0}
        assert bool(block) == bool(expected)
        if not expected:
            continue
        keys, found = _names.unpack(block)
        assert keys == sorted(expected)
        assert found.tolist() == [expected[key] for key in keys]
        assert _names.first_key(block) == keys[0]
    asked = sorted({*expected, *others})
    assert _names.find(block, asked, 0, len(asked)) == [expected.get(key, -1) for key in asked]
    assert _names.find(block, asked, len(asked) // 2, len(asked)) == [
        expected.get(key, -1) for key in asked[len(asked) // 2 :]
    ]
