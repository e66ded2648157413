"""A look-up in blocks is a look-up in a dict."""

import struct
from collections import defaultdict

import numpy as np
import pytest

from fpdb.storage.runs import _decode, _probe
from tests.storage.runs.encoded_postings import SHAPES, asked_of, encode, first_hashes


@pytest.mark.parametrize("name", SHAPES)
def test_a_probe_is_a_look_up_in_a_dict(name, rng):
    hashes, documents = SHAPES[name]
    blocks, counts = encode(hashes, documents)
    held = defaultdict(set)
    for hash_, document in zip(hashes.tolist(), documents.tolist(), strict=True):
        held[hash_].add(document)
    asked, lows, highs = asked_of(hashes, counts, rng)
    of_each, found = _probe.probe(blocks, first_hashes(blocks), asked, lows, highs)
    indices = np.repeat(np.arange(len(asked)), of_each)
    expected = [(i, document) for i, hash_ in enumerate(asked.tolist()) for document in sorted(held.get(hash_, ()))]
    assert list(zip(indices.tolist(), found.tolist(), strict=True)) == expected


@pytest.mark.parametrize("name", [name for name, (_, documents) in SHAPES.items() if 0 < documents.max() < 10**6])
def test_a_tally_counts_what_a_probe_lists(name, rng):
    hashes, documents = SHAPES[name]
    blocks, counts = encode(hashes, documents)
    asked, lows, highs = asked_of(hashes, counts, rng)
    _, found = _probe.probe(blocks, first_hashes(blocks), asked, lows, highs)
    tally = np.zeros(documents.max() + 1, np.uint32)
    _probe.tally(blocks, first_hashes(blocks), asked, lows, highs, tally)
    assert (tally == np.bincount(found, minlength=len(tally))).all()
    with pytest.raises(ValueError, match="damaged"):  # documents beyond the last there is
        _probe.tally(blocks, first_hashes(blocks), asked, lows, highs, tally[: found.max()])


def test_a_hash_whose_first_posting_is_not_marked_yields_nothing_beyond_the_block():
    """Nine postings of two hashes, of which the bitmap marks one: the other must not reach past the last posting."""
    width, n, m = 32, 9, 2
    starts = bytes([0b1, 0])
    high = (0b11).to_bytes(8, "little")
    header = struct.pack("<HHHBBQI", n, m, 8, 8, width, 0, 0)
    block = bytes(8) + header + high + bytes([1, 2]) + starts + bytes(range(1, 37)) + bytes(8)
    asked = np.array([1, 2], np.uint64)
    zeros = np.zeros(2, np.uint32)
    counts, documents = _probe.probe([block], first_hashes([block]), asked, zeros, zeros)
    assert counts.tolist() == [9, 0]
    assert len(documents) == 9


def test_spans_that_do_not_fit_are_refused():
    blocks, _ = encode(*SHAPES["one"])
    one = np.ones(1, np.uint64)
    with pytest.raises(ValueError, match="damaged"):
        _probe.probe(blocks, first_hashes(blocks), one, np.zeros(1, np.uint32), np.ones(1, np.uint32))
    with pytest.raises(ValueError, match="length"):
        _probe.probe(blocks, first_hashes(blocks), one, np.zeros(0, np.uint32), np.zeros(1, np.uint32))
    with pytest.raises(ValueError, match="damaged"):
        _probe.probe([], first_hashes([]), one, np.zeros(1, np.uint32), np.zeros(1, np.uint32))


@pytest.mark.parametrize("name", SHAPES)
def test_a_block_that_is_not_the_one_of_its_fence_is_refused(name):
    """As where another file was put in the place of the one whose fences are in memory."""
    blocks, _ = encode(*SHAPES[name])
    firsts = first_hashes(blocks)
    zeros = np.zeros(1, np.uint32)
    for index in range(len(blocks)):
        others = firsts.copy()
        others[index] ^= np.uint64(1)
        with pytest.raises(ValueError, match="its fence"):
            _probe.probe(blocks, others, firsts[:1], zeros, zeros)
        with pytest.raises(ValueError, match="its fence"):
            _probe.tally(blocks, others, firsts[:1], zeros, zeros, np.zeros(9, np.uint32))
    with pytest.raises(ValueError, match="length"):
        _probe.probe(blocks, firsts[1:], firsts[:1], zeros, zeros)


@pytest.mark.parametrize("name", [name for name, (_, documents) in SHAPES.items() if len(documents) > 1])
def test_documents_outside_their_range_are_refused(name, rng):
    hashes, documents = SHAPES[name]
    blocks, counts = encode(hashes, documents)
    asked, lows, highs = asked_of(hashes, counts, rng)
    first, last = int(documents.min()), int(documents.max())
    whole = blocks, first_hashes(blocks), asked, lows, highs
    _, found = _probe.probe(*whole, first, last)
    for first_id, last_id in ((int(found.min()) + 1, last), (first, int(found.max()) - 1)) if len(found) else ():
        if first_id <= last_id:
            with pytest.raises(ValueError, match="damaged"):
                _probe.probe(*whole, first_id, last_id)


HEADER = struct.Struct("<HHHBBQI")
DESCENDING = {
    "packed documents": HEADER.pack(3, 2, 8, 0, 8, 5, 0) + (0b11).to_bytes(8, "little") + bytes([0b101, 2, 1, 9]),
    "documents of the only hash": HEADER.pack(2, 1, 8, 8, 0, 5, 0) + (0b11).to_bytes(8, "little") + bytes([2, 1]),
}


@pytest.mark.parametrize("name", DESCENDING)
def test_documents_of_a_hash_that_do_not_ascend_are_refused(name):
    block = bytes(8) + DESCENDING[name] + bytes(8)
    zeros, asked = np.zeros(1, np.uint32), np.array([5], np.uint64)
    whole = [block], first_hashes([block]), asked, zeros, zeros
    with pytest.raises(ValueError, match="damaged"):
        _probe.probe(*whole)
    with pytest.raises(ValueError, match="damaged"):
        _probe.tally(*whole, np.zeros(9, np.uint32))
    with pytest.raises(ValueError, match="damaged"):
        _decode.decode_postings([block], int.from_bytes(block[8:10], "little"))
