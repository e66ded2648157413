"""Postings packed into blocks come back, and fill the blocks."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fpdb.storage.runs import _decode, _encode
from tests.storage.runs.encoded_postings import MOST, SHAPES, encode, postings


@pytest.mark.parametrize("name", SHAPES)
def test_postings_come_back(name):
    hashes, documents = SHAPES[name]
    blocks, counts = encode(hashes, documents)
    assert max(map(len, blocks)) <= _encode.BLOCK_BYTES
    assert max(counts) <= _encode.POSTINGS_PER_BLOCK
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
    buffer, sizes, counts = _encode.encode_positions(numbers, True)
    blocks = [bytes(row[:size]) for row, size in zip(buffer, sizes, strict=False)]
    assert max(sizes) <= _encode.BLOCK_BYTES
    assert sum(counts) == count
    assert (_decode.decode_positions(blocks, count) == numbers).all()
