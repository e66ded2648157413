"""A look-up in blocks is a look-up in a dict."""

import contextlib
import struct
from collections import defaultdict
from itertools import chain, pairwise, product

import numpy as np
import pytest

from fpdb.storage.runs import _decode, _probe
from tests.memory_kept import kept_by
from tests.storage.runs.encoded_postings import MOST, SHAPES, asked_of, encode, first_hashes
from tests.storage.runs.plain_blocks import damaged, posting_block, read_posting_block, some_pairs


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


@pytest.mark.parametrize("name", SHAPES)
def test_blocks_with_a_page_of_their_own_are_read_once(name, rng):
    hashes, documents = SHAPES[name]
    blocks, counts = encode(hashes, documents)
    asked, lows, highs = asked_of(hashes, counts, rng)
    of_each, found = _probe.probe(blocks, first_hashes(blocks), asked, lows, highs)
    places, read = _probe.Places(len(blocks)), []

    def read_blocks(indices):
        read.extend(indices.tolist())
        return [blocks[index] for index in indices]

    for _ in range(2):
        located = places.locate(np.arange(len(blocks)), read_blocks)
        of_each_located, found_located = _probe.probe(located, first_hashes(blocks), asked, lows, highs)
        assert (of_each_located == of_each).all()
        assert (found_located == found).all()
    assert read == [*range(len(blocks)), *(index for index, block in enumerate(blocks) if len(block) < 2048)]


def test_blocks_that_are_located_are_checked_as_others_are():
    block = encode(*next(iter(SHAPES.values())))[0][0]
    wrong = bytearray(block)
    wrong[10:12] = b"\0\0"  # no distinct hash
    zero = np.zeros(1, np.uint32)
    places = _probe.Places(1)
    located = places.locate(np.zeros(1, np.int64), lambda _: [bytes(wrong)])
    with pytest.raises(ValueError, match="damaged"):
        _probe.probe(located, first_hashes([block]), first_hashes([block]), zero, zero)
    for index in (-1, 1):
        with pytest.raises(ValueError, match="no such block"):
            places.locate(np.array([index]), lambda _: [block])


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


def cut(rng, entries):
    """Return entries in up to three parts."""
    bounds = sorted({0, len(entries), *rng.integers(0, len(entries), 2).tolist()})
    return [entries[start:end] for start, end in pairwise(bounds)]


def test_a_probe_of_several_small_blocks_is_a_look_up_in_a_dict(rng):
    for _ in range(500):
        parts = cut(rng, some_pairs(rng))
        blocks, pairs = list(map(posting_block, parts)), [pair for part in parts for pair in part]
        held = defaultdict(set)
        for hash_, document in pairs:
            held[hash_].add(document)
        near = {hash_ + step for hash_ in held for step in (-1, 0, 1, 2**40)} | {0, MOST}
        asked = sorted(hash_ for hash_ in near if 0 <= hash_ <= MOST)
        documents = [document for _, document in pairs]
        ids = min(documents), max(documents)
        lows, highs = np.zeros(len(asked), np.uint32), np.full(len(asked), len(blocks) - 1, np.uint32)
        whole = blocks, first_hashes(blocks), np.array(asked, np.uint64), lows, highs
        expected = [sorted(held.get(hash_, ())) for hash_ in asked]
        counts, found = _probe.probe(*whole, *ids)
        assert counts.tolist() == list(map(len, expected))
        assert found.tolist() == list(chain.from_iterable(expected))
        if 0 < ids[1] < 10**6:
            tally = np.zeros(ids[1] + 1, np.uint32)
            _probe.tally(*whole, tally, *ids)
            assert (tally == np.bincount(found, minlength=len(tally))).all()
            for room, first, last in ((ids[1], *ids), (ids[1] + 1, ids[0] + 1, ids[1]), (ids[1] + 1, 0, ids[1] - 1)):
                with pytest.raises(ValueError, match="damaged"):
                    _probe.tally(*whole, np.zeros(room, np.uint32), first, last)


def documents_of_a_hash(rng):
    """Return documents that ascend: in a row, repeated, and with gaps."""
    steps = [[1] * 80, [0], [2], [0, 0, 3], [1] * 40, [1000], [2**20, 2**25], [5] * 9]
    chosen = [step for index in rng.integers(0, len(steps), 5) for step in steps[index]]
    documents = np.cumsum([0, *chosen])
    return (documents + [0, 7, 2**32 - 1 - documents[-1]][rng.integers(3)]).tolist()


def test_the_blocks_of_one_hash_are_read_as_the_format_says(rng):
    for hash_ in map(int, rng.choice(np.array([0, 5, MOST], np.uint64), 200)):
        parts = cut(rng, documents_of_a_hash(rng))
        blocks = [posting_block([(hash_, document) for document in part]) for part in parts]
        firsts, last = [part[0] for part in parts], parts[-1][-1]
        distinct = {document for part in parts for document in part}
        got, count = _probe.count_documents(blocks, hash_, firsts[0], last)
        assert (got.tolist(), count) == (firsts, len(distinct))
        assert _probe.first_documents(blocks, hash_, firsts[0]).tolist() == firsts
        for other, first in ((hash_ ^ 1, firsts[0]), (hash_, min(firsts[0] + 1, 2**32 - 1))):
            for reader in (_probe.count_documents, _probe.first_documents):
                with pytest.raises(ValueError, match="its fence"):
                    reader(blocks, other, first)
        with pytest.raises(ValueError, match="damaged"):
            _probe.count_documents(blocks, hash_, firsts[0], last - 1)
        slots = rng.integers(0, len(parts) + 1, 60).astype(np.uint32)
        asked = rng.choice([document + step for document in distinct for step in (0, 0, 1)], 60) % 2**32
        held = _probe.hold(blocks, hash_, slots, asked.astype(np.uint32))
        expected = [
            document in (*parts, ())[slot] for slot, document in zip(slots.tolist(), asked.tolist(), strict=True)
        ]
        assert held.tolist() == expected


def test_documents_in_a_row_are_counted_around_a_gap():
    asked, zeros = np.array([5], np.uint64), np.zeros(1, np.uint32)
    for lead, gap in product(range(1, 34), range(5)):
        documents = [*range(lead), *range(lead - 1 + gap, lead + gap + 70)]
        block = posting_block([(5, document) for document in documents])
        tally = np.zeros(documents[-1] + 1, np.uint32)
        _probe.tally([block], asked, asked, zeros, zeros, tally)
        assert np.flatnonzero(tally).tolist() == sorted(set(documents))
        assert _probe.count_documents([block], 5)[1] == tally.sum() == len(set(documents))


def test_damaged_blocks_of_one_hash_are_refused_or_counted(rng):
    zeros, asked = np.zeros(1, np.uint32), np.array([5], np.uint64)
    for _ in range(500):
        documents = documents_of_a_hash(rng)
        block, ids = (
            damaged(rng, posting_block([(5, document) for document in documents])),
            (documents[0], documents[-1]),
        )
        expected = None
        with contextlib.suppress(ValueError):
            pairs = read_posting_block(block, *ids)
            expected = sorted({document for _, document in pairs}) if {hash_ for hash_, _ in pairs} == {5} else None
        with contextlib.suppress(ValueError):
            assert _probe.count_documents([block], 5, *ids)[1] == len(expected or ())
        with contextlib.suppress(ValueError):
            assert _probe.probe([block], asked, asked, zeros, zeros, *ids)[1].tolist() == (expected or [])


def test_no_memory_is_kept():
    blocks, _ = encode(*SHAPES["hot"])
    firsts, span = first_hashes(blocks), np.array([0, len(blocks) - 1], np.uint32)
    whole = blocks, firsts, firsts[:1], span[:1], span[1:]
    assert kept_by(lambda: _probe.probe(*whole), 4) < 100_000
    assert kept_by(lambda: _probe.hold(blocks * 100, 7, span, span)) < 20_000


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
