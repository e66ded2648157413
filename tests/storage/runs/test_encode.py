"""Postings packed into blocks come back, and fill the blocks."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fpdb.storage.runs import _decode, _encode
from tests.storage.runs.encoded_postings import MOST, SHAPES, encode, postings
from tests.storage.runs.plain_blocks import position_block, posting_block


def assert_plain(blocks, counts, entries, plain_block):
    """Check that blocks have the bytes of the format, and are full: with one entry more they would be too large."""
    ends = np.cumsum(counts).tolist()
    assert ends[-1] == len(entries)
    for index in {0, 1, len(blocks) - 2, len(blocks) - 1} & set(range(len(blocks))):
        start, end = ends[index] - counts[index], ends[index]
        assert blocks[index] == plain_block(entries[start:end])
        assert len(blocks[index]) <= _encode.BLOCK_BYTES
        assert counts[index] <= _encode.POSTINGS_PER_BLOCK
        if end < len(entries) and counts[index] < _encode.POSTINGS_PER_BLOCK:
            assert len(plain_block(entries[start : end + 1])) > _encode.BLOCK_BYTES


@pytest.mark.parametrize("name", SHAPES)
def test_postings_come_back(name):
    hashes, documents = SHAPES[name]
    blocks, counts = encode(hashes, documents)
    assert_plain(blocks, counts, list(zip(hashes.tolist(), documents.tolist(), strict=True)), posting_block)
    got_hashes, got_documents = _decode.decode_postings(blocks, len(hashes))
    assert (got_hashes == hashes).all()
    assert (got_documents == documents).all()
    partial, taken = encode(hashes, documents, final=False)
    assert partial == blocks[: len(partial)]
    assert sum(taken) == sum(counts[:-1])


HASHES = st.one_of(st.integers(0, MOST), st.integers(0, 40), st.integers(MOST - 40, MOST))


DOCUMENTS = st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 9))


@given(st.lists(st.tuples(HASHES, DOCUMENTS), min_size=1, max_size=600))
@example([(5, 0)] * 33)
@settings(max_examples=150, deadline=None)
def test_any_postings_come_back(pairs):
    pairs.sort()
    hashes, documents = postings(*zip(*pairs, strict=True))
    blocks, _ = encode(hashes, documents)
    decoded = _decode.decode_postings(blocks, len(pairs))
    assert list(zip(*(array.tolist() for array in decoded), strict=True)) == pairs


@pytest.mark.parametrize("most", [0, 1, 2, 255, 2**16, 2**32 - 1])
@pytest.mark.parametrize("count", [1, 2, 1_000, 140_000])
def test_positions_come_back(most, count, rng):
    numbers = rng.integers(0, most, count, np.uint32, endpoint=True)
    numbers[count // 2 :] //= 3
    (partial, parts), (blocks, counts) = (encode_positions(numbers, final) for final in (False, True))
    assert_plain(blocks, counts, numbers.tolist(), position_block)
    assert (_decode.decode_positions(blocks, count) == numbers).all()
    assert (partial, parts) == (blocks[:-1], counts[:-1])


def encode_positions(numbers, final):
    buffer, sizes, counts = _encode.encode_positions(numbers, final)
    return [bytes(row[:size]) for row, size in zip(buffer, sizes, strict=False)], counts


def test_nothing_is_encoded_to_no_block():
    assert encode(*postings([], [])) == encode_positions(np.empty(0, np.uint32), True) == ([], [])
