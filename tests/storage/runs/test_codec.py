"""The codec: what is packed comes back, a probe is a dict look-up, and no bytes make it step out of a block."""

import struct
from collections import defaultdict
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fpdb.storage.runs import _decode, _encode, _probe

MOST = 2**64 - 1
CHECKSUM, HEADER = 8, 20


def postings(hashes, documents):
    """Sorted by (hash, document)."""
    hashes, documents = np.array(hashes, np.uint64), np.array(documents, np.uint32)
    order = np.lexsort((documents, hashes))
    return hashes[order], documents[order]


def encode(hashes, documents, final=True):
    buffer, sizes, counts = _encode.encode_postings(hashes, documents, final)
    return [bytes(row[:size]) for row, size in zip(buffer, sizes, strict=False)], counts


def shapes(rng):
    """Named inputs of every shape that takes another branch."""
    n = 20_000
    uniform = rng.integers(0, MOST, n, np.uint64, endpoint=True)
    documents = rng.integers(0, 5_000, n, np.uint32)
    few = rng.integers(0, MOST, 50, np.uint64)
    yield "uniform", uniform, documents
    yield "one", uniform[:1], documents[:1]
    yield "clustered", rng.integers(0, 2**20, n, np.uint64) + rng.choice(few, n), documents
    yield "dense hashes", np.arange(n, dtype=np.uint64) + np.uint64(2**63), documents
    yield "few hashes", rng.choice(few, n), documents
    yield "hot", np.full(100_000, 7, np.uint64), np.arange(100_000)
    gaps = rng.integers(0, 100_000, 3_000)
    yield (
        "hot with gaps",
        np.full(97_000, 7, np.uint64),
        np.sort(np.r_[np.delete(np.arange(100_000), gaps), gaps])[:97_000],
    )
    yield "hot at the top", np.full(70_000, MOST, np.uint64), np.arange(2**32 - 70_000, 2**32)
    yield "hot among others", np.r_[uniform[:999], np.full(30_000, few[0])], np.r_[documents[:999], np.arange(30_000)]
    yield (
        "extremes",
        np.array([0, 0, 1, MOST - 1, MOST, MOST], np.uint64),
        np.array([0, 2**32 - 1, 0, 2**32 - 1, 0, 2**32 - 1]),
    )
    yield "duplicates", np.repeat(uniform[:300], 40), np.repeat(documents[:300], 40)
    yield "one document, one hash", np.full(200_000, 3, np.uint64), np.zeros(200_000)
    yield "sparse documents", rng.choice(few, 5_000), rng.integers(0, 2**32 - 1, 5_000, np.uint32, endpoint=True)


SHAPES = {name: postings(hashes, documents) for name, hashes, documents in shapes(np.random.default_rng(3))}


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


def asked_of(hashes, counts, rng):
    """Hashes that are there and such that are not, and between which blocks each lies."""
    firsts = hashes[np.cumsum([0, *counts[:-1]])]
    some = rng.choice(hashes, min(len(hashes), 300))
    ends = np.array([0, MOST], np.uint64)
    one = np.uint64(1)
    asked = np.unique(np.r_[some, some + one, some - one, rng.integers(0, MOST, 100, np.uint64), ends])
    lows = np.maximum(np.searchsorted(firsts, asked, "left") - 1, 0).astype(np.uint32)
    highs = np.maximum(np.searchsorted(firsts, asked, "right") - 1, 0).astype(np.uint32)
    return asked, lows, highs


@pytest.mark.parametrize("name", SHAPES)
def test_a_probe_is_a_look_up_in_a_dict(name, rng):
    hashes, documents = SHAPES[name]
    blocks, counts = encode(hashes, documents)
    held = defaultdict(set)
    for hash_, document in zip(hashes.tolist(), documents.tolist(), strict=True):
        held[hash_].add(document)
    asked, lows, highs = asked_of(hashes, counts, rng)
    of_each, found = _probe.probe(blocks, asked, lows, highs)
    indices = np.repeat(np.arange(len(asked)), of_each)
    expected = [(i, document) for i, hash_ in enumerate(asked.tolist()) for document in sorted(held.get(hash_, ()))]
    assert list(zip(indices.tolist(), found.tolist(), strict=True)) == expected


@pytest.mark.parametrize("name", [name for name, (_, documents) in SHAPES.items() if 0 < documents.max() < 10**6])
def test_a_tally_counts_what_a_probe_lists(name, rng):
    hashes, documents = SHAPES[name]
    blocks, counts = encode(hashes, documents)
    asked, lows, highs = asked_of(hashes, counts, rng)
    _, found = _probe.probe(blocks, asked, lows, highs)
    tally = np.zeros(documents.max() + 1, np.uint32)
    _probe.tally(blocks, asked, lows, highs, tally)
    assert (tally == np.bincount(found, minlength=len(tally))).all()
    with pytest.raises(ValueError, match="damaged"):  # documents beyond the last there is
        _probe.tally(blocks, asked, lows, highs, tally[: found.max()])


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


def test_a_wrong_number_of_postings_is_noticed():
    blocks, _ = encode(*SHAPES["uniform"])
    for count in (0, 1, 19_999, 20_001):
        with pytest.raises(ValueError, match=r"damaged|expected"):
            _decode.decode_postings(blocks, count)
    with pytest.raises(ValueError, match="expected"):
        _decode.decode_positions([], 1)


# ---------------------------------------------------------------- hostile bytes


def feed(block):
    """Everything that reads a block; damage may be noticed, or give numbers, and nothing else."""
    count = int.from_bytes(block[CHECKSUM : CHECKSUM + 2], "little")
    try:
        hashes, _ = _decode.decode_postings([block], count)
    except ValueError:
        hashes = np.array([0, 5, 2**63, MOST], np.uint64)
    first = int.from_bytes(block[CHECKSUM + 8 : CHECKSUM + 16], "little")
    near = [(first + step) & MOST for step in (0, 1, 1 << 10, 1 << 40, 1 << 63, MOST)]
    asked = np.unique(np.r_[hashes[:: max(len(hashes) // 20, 1)], np.array([*near, 0, MOST], np.uint64)])
    zeros = np.zeros(len(asked), np.uint32)
    with suppress(ValueError):
        counts, documents = _probe.probe([block], asked, zeros, zeros)
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


def block_of(n, m, low, width, first, base, rng, fill):
    """A block whose header and length agree, and whose columns hold anything."""
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


def test_a_hash_whose_first_posting_is_not_marked_yields_nothing_beyond_the_block():
    """Nine postings of two hashes, of which the bitmap marks one: the other must not reach past the last posting."""
    width, n, m = 32, 9, 2
    starts = bytes([0b1, 0])
    high = (0b11).to_bytes(8, "little")
    header = struct.pack("<HHHBBQI", n, m, 8, 8, width, 0, 0)
    block = bytes(CHECKSUM) + header + high + bytes([1, 2]) + starts + bytes(range(1, 37)) + bytes(8)
    asked = np.array([1, 2], np.uint64)
    zeros = np.zeros(2, np.uint32)
    counts, documents = _probe.probe([block], asked, zeros, zeros)
    assert counts.tolist() == [9, 0]
    assert len(documents) == 9


def test_spans_that_do_not_fit_are_refused():
    blocks, _ = encode(*SHAPES["one"])
    one = np.ones(1, np.uint64)
    with pytest.raises(ValueError, match="damaged"):
        _probe.probe(blocks, one, np.zeros(1, np.uint32), np.ones(1, np.uint32))
    with pytest.raises(ValueError, match="length"):
        _probe.probe(blocks, one, np.zeros(0, np.uint32), np.zeros(1, np.uint32))
    with pytest.raises(ValueError, match="damaged"):
        _probe.probe([], one, np.zeros(1, np.uint32), np.zeros(1, np.uint32))


few = st.integers(0, 12) | st.integers(MOST - 3, MOST)


@given(st.lists(few, min_size=1), st.lists(few, min_size=1, unique=True))
def test_spans_are_the_blocks_between_whose_fences_a_hash_lies(first, hashes):
    first, hashes = sorted(first), sorted(hashes)
    lows, highs = (
        each.tolist() for each in _probe.find_blocks(np.array(first, np.uint64), np.array(hashes, np.uint64))
    )
    ends = [*first[1:], MOST + 1]
    for hash_, low, high in zip(hashes, lows, highs, strict=True):
        may_hold = [at for at, fence in enumerate(first) if fence <= hash_ <= ends[at]]
        assert list(range(low, high + 1)) == may_hold
    start = sum(high < 0 for high in highs)
    spans = list(zip(lows[start:], highs[start:], strict=True))
    wanted, *ends = _probe.distinct_blocks(np.array(lows[start:], np.int64), np.array(highs[start:], np.int64))
    assert wanted.tolist() == sorted({block for low, high in spans for block in range(low, high + 1)})
    assert [wanted[each].tolist() for each in ends] == [[low for low, _ in spans], [high for _, high in spans]]
