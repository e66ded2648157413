"""Merging runs: sorted inputs in, one run out, in memory bounded by a few blocks an input. Policy is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fpdb.storage import _sorting
from fpdb.storage.runs.run_blocks import Postings

PIECE = 1 << 18  # postings handed on at once


def merged(inputs: Sequence[Iterable[Postings]], dead: NDArray[np.uint8], first_id: int) -> Iterator[Postings]:
    """The inputs' postings in one sorted sequence, without those of dead documents, in pieces.

    inputs: each sorted by (hash, document, position), with the documents' ids of one below those of the next.
    dead: shape (n,), not 0 for a dead document; dead[0] is document first_id; shape (0,) when none is dead.
    """
    pieces = [iter(source) for source in inputs]
    streams = [_sorting.Stream() for _ in inputs]
    hashes = np.empty(PIECE, np.uint64)
    documents = np.empty(PIECE, np.uint32)
    numbers = np.empty(PIECE, np.uint32)
    at = 0
    for index in range(len(streams)):
        _refill(streams[index], pieces[index])
    while True:
        at, dry = _sorting.merge(streams, hashes, documents, numbers, at, dead, first_id)
        if dry >= 0:
            _refill(streams[dry], pieces[dry])
            continue
        if at:
            yield Postings(hashes[:at].copy(), documents[:at].copy(), numbers[:at].copy())
        if at < PIECE:
            return
        at = 0


def _refill(stream: _sorting.Stream, pieces: Iterator[Postings]) -> None:
    for piece in pieces:
        if len(piece):
            stream.refill(piece.hashes, piece.documents, piece.numbers)
            return
    stream.ended = True


def in_pieces(postings: Postings) -> Iterator[Postings]:
    """Sorted postings in memory as an input of a merge, or a run to be written."""
    for start in range(0, len(postings), PIECE):
        part = slice(start, start + PIECE)
        yield Postings(postings.hashes[part], postings.documents[part], postings.numbers[part])
