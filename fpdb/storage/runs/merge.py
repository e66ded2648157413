"""Merging runs: sorted inputs in, one sequence out, in memory bounded by a few blocks per input."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from fpdb.storage.id_set import IdSet
from fpdb.storage.runs import _merge
from fpdb.storage.runs.postings import Postings

PIECE = 1 << 18  # postings handed on at once


def merge_postings(inputs: Sequence[Iterable[Postings]], live: IdSet | None = None) -> Iterator[Postings]:
    """Yield the inputs' postings in one sorted sequence.

    Args:
        inputs: Each sorted, in pieces; all document ids of one are below those of the next.
        live: The documents whose postings are kept, if any of the inputs has postings of others.
    """
    sources = [iter(pieces) for pieces in inputs]
    streams = [_merge.Stream() for _ in inputs]
    output = np.empty(PIECE, np.uint64), np.empty(PIECE, np.uint32), np.empty(PIECE, np.uint32)
    filled = 0
    for stream, source in zip(streams, sources, strict=True):
        _refill(stream, source)
    while True:
        filled, dry = _merge.merge(streams, output, filled, live)
        if dry >= 0:
            _refill(streams[dry], sources[dry])
            continue
        if filled:
            yield Postings(output[0][:filled].copy(), output[1][:filled].copy(), output[2][:filled].copy())
        if filled < PIECE:
            return
        filled = 0


def _refill(stream: _merge.Stream, pieces: Iterator[Postings]) -> None:
    for piece in pieces:
        if len(piece):
            stream.refill(piece.hashes, piece.document_ids, piece.encoded_positions)
            return
    stream.ended = True
