"""Workloads that measure the file."""

from __future__ import annotations

from collections.abc import Iterator
from math import lgamma, log, log2

from bench.measuring import Figure
from bench.room import DOCUMENT, WINDOW, Room


def storage(room: Room) -> Iterator[Figure]:
    """Bytes of the whole compacted file a posting, at 10 million random postings, 100 a document.

    Target: 10 without positions, 13 with. Limit: the entropy, log2 of the number of sets of that many (hash, document)
    pairs; with positions, also of the gaps between them and of which hash stands where. Names and records come on top.
    """
    postings = 10_000_000
    bound = _entropy(room.size(postings))
    plain = room.stored(postings)
    placed = room.stored(postings, positions=True)
    yield Figure("without positions", plain.path.stat().st_size / plain.postings, "bytes", target=10)
    yield Figure("entropy without positions", bound, "bytes")
    yield Figure("with positions", placed.path.stat().st_size / placed.postings, "bytes", target=13)
    yield Figure("entropy with positions", bound + (log2(WINDOW) + _log2_factorial(DOCUMENT) / DOCUMENT) / 8, "bytes")


def _entropy(postings: int) -> float:
    """Bytes a posting of a random set of (64-bit hash, document) pairs."""
    # log2 of 2^64 documents choose postings, where the first is far larger than the second.
    pairs = 64 + log2(postings / DOCUMENT)
    return (pairs - _log2_factorial(postings) / postings) / 8


def _log2_factorial(number: int) -> float:
    return lgamma(number + 1) / log(2)
