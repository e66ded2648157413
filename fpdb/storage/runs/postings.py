"""Postings in memory: sorted arrays of hashes, document ids and positions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from fpdb.arrays import I64, U32, U64, Bools
from fpdb.storage import sorting


@dataclass(frozen=True)
class Postings:
    """Postings sorted by (hash, document id, position); arrays of one shape (n,).

    encoded_positions holds position + 1, and 0 for a posting without a position.
    """

    hashes: U64
    document_ids: U32
    encoded_positions: U32

    def __len__(self) -> int:
        """Return the number of postings."""
        return len(self.hashes)

    def __getitem__(self, index: "slice | Bools | I64") -> "Postings":
        """Return some of the postings, by a slice, a mask or indices."""
        return Postings(self.hashes[index], self.document_ids[index], self.encoded_positions[index])


NO_POSTINGS = Postings(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32))


def concat_postings(first: Postings, second: Postings) -> Postings:
    """Return two sequences as one."""
    return Postings(
        np.concatenate((first.hashes, second.hashes)),
        np.concatenate((first.document_ids, second.document_ids)),
        np.concatenate((first.encoded_positions, second.encoded_positions)),
    )


def is_ascending(postings: Postings) -> bool:
    """Return True if the postings are strictly ascending by (hash, document id, position)."""
    return sorting.is_ascending(postings.hashes, postings.document_ids, postings.encoded_positions)


def mark_pairs(pieces: Iterable[Postings]) -> Iterator[tuple[Postings, Bools]]:
    """Yield each piece of a sorted sequence, and which of its postings begin another (hash, document id)."""
    last = NO_POSTINGS
    for piece in pieces:
        first = sorting.first_of_pair(piece.hashes, piece.document_ids)
        if len(last) and len(piece):
            first[0] = last.hashes[0] != piece.hashes[0] or last.document_ids[0] != piece.document_ids[0]
        yield piece, first
        if len(piece):
            last = piece[-1:]
