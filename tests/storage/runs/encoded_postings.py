"""Postings of every shape that the encoder tells apart, and their blocks."""

import numpy as np

from fpdb.storage.runs import _encode

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


def first_hashes(blocks):
    """Return the first hash of each block, as the block says."""
    start = CHECKSUM + 8
    return np.array([int.from_bytes(block[start : start + 8].ljust(8, b"\0"), "little") for block in blocks], np.uint64)


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
