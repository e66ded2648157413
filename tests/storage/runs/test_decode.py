"""No bytes make the decoder, or a look-up, step out of a block."""

import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.storage.runs import _decode, _encode, _probe
from tests.storage.runs.encoded_postings import MOST, SHAPES, encode, first_hashes
from tests.storage.runs.plain_blocks import (
    damaged,
    position_block,
    posting_block,
    read_position_block,
    read_posting_block,
    some_pairs,
)

CHECKSUM, HEADER = 8, 20


def test_a_wrong_number_of_postings_is_noticed():
    blocks, _ = encode(*SHAPES["uniform"])
    for count in (0, 1, 19_999, 20_001):
        with pytest.raises(ValueError, match=r"damaged|expected"):
            _decode.decode_postings(blocks, count)
    with pytest.raises(ValueError, match="expected"):
        _decode.decode_positions([], 1)


@pytest.mark.parametrize("name", SHAPES)
def test_frequent_hashes_are_those_of_many_postings_in_a_block(name):
    blocks, counts = encode(*SHAPES[name])
    parts = np.split(SHAPES[name][0], np.cumsum(counts)[:-1])
    for minimum in (2, 40, 1_000):
        found, heads, tails = _decode.find_frequent(blocks, sum(counts), minimum)
        counted = [np.unique(part, return_counts=True) for part in parts]
        assert found.tolist() == [hash_ for hashes, of in counted for hash_ in hashes[of >= minimum].tolist()]
        assert heads.tolist() == [of[0] for _, of in counted]
        assert tails.tolist() == [of[-1] for _, of in counted]
    for count in (sum(counts) - 1, sum(counts) + 1):
        with pytest.raises(ValueError, match=r"damaged|expected"):
            _decode.find_frequent(blocks, count, 2)


def read(reader, *arguments):
    """Return what a block holds, or None if it is refused."""
    with suppress(ValueError):
        return reader(*arguments)


def decode(block, *ids):
    columns = _decode.decode_postings([block], int.from_bytes(block[CHECKSUM : CHECKSUM + 2], "little"), *ids)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def decode_positions(block):
    return _decode.decode_positions([block], int.from_bytes(block[CHECKSUM : CHECKSUM + 4], "little") % 2**17).tolist()


def test_a_block_is_read_or_refused_as_the_format_says(rng):
    for _ in range(3_000):
        pairs = some_pairs(rng)
        block = posting_block(pairs)
        block = damaged(rng, block) if rng.integers(2) else block
        documents = [document for _, document in pairs]
        first, last = min(documents), max(documents)
        ids = [(), (first, last), (min(first + 1, MOST >> 32), last), (first, max(last - 1, 0))][rng.integers(4)]
        assert read(decode, block, *ids) == read(read_posting_block, block, *ids)


def test_a_position_block_is_read_or_refused_as_the_format_says(rng):
    for _ in range(1_000):
        numbers = rng.integers(0, 2 ** int(rng.integers(33)), int(rng.integers(1, 20))).tolist()
        block = position_block(numbers)
        assert decode_positions(block) == numbers
        block = damaged(rng, block)
        assert read(decode_positions, block) == read(read_position_block, block)
    for numbers, width in (([], 0), ([5], 33), ([0] * 65_536, 0)):
        assert read(decode_positions, position_block(numbers, width)) is None


def feed(block):
    """Everything that reads a block; damage may be noticed, or give numbers, and nothing else. No buffer is held."""
    block = bytearray(block)
    _feed(block)
    block.append(0)


def _feed(block):
    count = int.from_bytes(block[CHECKSUM : CHECKSUM + 2], "little")
    try:
        hashes, _ = _decode.decode_postings([block], count)
    except ValueError:
        hashes = np.array([0, 5, 2**63, MOST], np.uint64)
    with suppress(ValueError):
        _decode.find_frequent([block], count, 2)
    first = int.from_bytes(block[CHECKSUM + 8 : CHECKSUM + 16], "little")
    near = [(first + step) & MOST for step in (0, 1, 1 << 10, 1 << 40, 1 << 63, MOST)]
    asked = np.unique(np.r_[hashes[:: max(len(hashes) // 20, 1)], np.array([*near, 0, MOST], np.uint64)])
    zeros = np.zeros(len(asked), np.uint32)
    with suppress(ValueError):
        counts, documents = _probe.probe([block], first_hashes([block]), asked, zeros, zeros)
        assert counts.sum() == len(documents) <= len(asked) * count
    with suppress(ValueError):
        assert len(_decode.decode_positions([block], count)) == count


@pytest.mark.parametrize("name", SHAPES)
def test_damaged_blocks_never_crash(name, rng):
    block = encode(*SHAPES[name])[0][0]
    for _ in range(60):
        damaged = bytearray(block)
        for bit in rng.integers(8 * CHECKSUM, 8 * len(block), rng.integers(1, 6)).tolist():
            damaged[bit >> 3] ^= 1 << (bit & 7)
        feed(bytes(damaged))
    for at in range(CHECKSUM, CHECKSUM + HEADER):
        for value in (0, 1, 7, 63, 64, 127, 255):
            damaged = bytearray(block)
            damaged[at] = value
            feed(bytes(damaged))
    for length in {0, 1, 8, 27, 28, 35, 36, 37, len(block) - 1, *rng.integers(0, len(block), 20).tolist()}:
        with pytest.raises(ValueError, match="damaged"):
            _decode.decode_postings([block[:length]], 1)


def block_of(n, m, low, width, first, base, rng, fill):  # noqa: PLR0913 (drawn values and fixtures)
    """Return a block whose header and length agree, and whose columns hold anything."""
    high = 8 * int(rng.integers(1, 30))
    columns = (m * low + 7) // 8 + (0 if n == m else (n + 7) // 8) + (n * width + 7) // 8
    if m == 1:
        columns = (n * low + 7) // 8
    header = struct.pack("<HHHBBQI", n, m, high, low, width, first, base)
    body = rng.integers(0, 256, high + columns, np.uint8) if fill is None else np.full(high + columns, fill, np.uint8)
    return bytes(CHECKSUM) + header + body.tobytes() + bytes(8)


@pytest.mark.parametrize("fill", [None, 0, 255, 1, 128])
def test_blocks_with_a_plausible_header_and_any_columns_never_crash(fill, rng):
    for _ in range(1_500):
        m = int(rng.choice([1, 2, 3, 8, 9, rng.integers(1, 200)]))
        n = m + int(rng.choice([0, 1, 7, rng.integers(0, 300)]))
        low, width = int(rng.integers(0, 64)), int(rng.integers(0, 33)) if m > 1 else 0
        first = int(rng.choice(np.array([0, MOST, 2**63, rng.integers(0, MOST, dtype=np.uint64)], np.uint64)))
        block = block_of(n, m, low, width, first, int(rng.choice([0, 2**32 - 1, 5])), rng, fill)
        if len(block) <= _encode.BLOCK_BYTES:
            feed(block)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_random_bytes_never_crash(data):
    feed(data)
