"""Checksums are as the format defines them, and a flipped bit of value or key is noticed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import Corrupt
from fpdb.storage import _checksums, file_format

NUMBERS = st.integers(0, 2**64 - 1)


@given(st.binary(min_size=1, max_size=9), st.binary(max_size=40), st.integers(0))
def test_a_sealed_value_is_read_under_its_key_alone(key, body, bit):
    sealed = file_format.seal(key, body)
    assert bytes(_checksums.unseal(key, sealed)) == body
    flipped = bytearray(sealed)
    flipped[bit // 8 % len(sealed)] ^= 1 << bit % 8
    for wrong_key, value in ((key + b"x", sealed), (key, bytes(flipped)), (key, sealed[:7])):
        with pytest.raises(Corrupt):
            file_format.unseal(wrong_key, value)


@given(NUMBERS, st.binary(min_size=1, max_size=40))
def test_a_block_is_sound_under_its_number_alone(number, body):
    block = file_format.block_seal(number, body) + body
    assert _checksums.is_sound(number, block)
    assert not _checksums.is_sound(number ^ 1, block)
    assert not _checksums.is_sound(number, block[:-1])


def test_blocks_are_sealed_together_as_each_alone(rng):
    rows = rng.integers(0, 256, (5, 60), np.uint8)
    sizes = [60, 9, 33, 34, 59]
    bodies = [row[8:size].tobytes() for row, size in zip(rows, sizes, strict=True)]
    sealed = {key: bytes(value) for key, value in _checksums.seal_blocks(7 << 32, rows, sizes)}
    numbers = range(7 << 32, (7 << 32) + 5)
    assert sealed == {
        file_format.block_key(number): file_format.block_seal(number, body) + body
        for number, body in zip(numbers, bodies, strict=True)
    }

    def getmulti(keys):
        return [(key, sealed[key]) for key in keys if key in sealed]

    values = _checksums.read_blocks(getmulti, 7 << 32, np.array([3, 0, 4]), 2)
    assert values == [sealed[file_format.block_key(numbers[index])] for index in (3, 0, 4)]
    with pytest.raises(LookupError):
        _checksums.read_blocks(getmulti, 7 << 32, np.array([5]), 2)
    sealed[file_format.block_key(numbers[1])] = sealed[file_format.block_key(numbers[0])]
    with pytest.raises(ValueError):  # noqa: PT011 (it has no message: its callers say more)
        _checksums.read_blocks(getmulti, 7 << 32, np.array([0, 1]), 2)


@given(st.lists(st.integers(0, 3), max_size=6), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3)), min_size=1))
def test_a_changed_node_of_seals_has_the_last_checksum_of_each_place(seals, changes):
    places = dict(enumerate(seals)) | dict(changes)
    expected = np.array([places.get(place, 0) for place in range(max(places) + 1)], "<u8")
    node = np.array(seals, "<u8").tobytes()
    changed = _checksums.change_seals(node, [(place, seal.to_bytes(8, "little")) for place, seal in changes])
    assert changed == np.trim_zeros(expected, "b").tobytes()
