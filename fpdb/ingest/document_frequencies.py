"""Document frequencies of hashes: what `rarity="corpus"` counts as rare (Heintze 1996, section 6.1)."""

from collections.abc import Callable

import numpy as np

from fpdb.arrays import I64, U64
from fpdb.storage.index_reader import IndexReader


def document_frequencies(reader: IndexReader) -> Callable[[U64], I64]:
    """Return a function that counts, for each of some hashes, the documents that hold it; both shapes (n,)."""

    def count(hashes: U64) -> I64:
        order = np.argsort(hashes)
        ordered = hashes[order]
        first = np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)]
        frequencies = reader.look_up(ordered[first]).counts
        counts = np.empty(len(hashes), np.int64)
        counts[order] = frequencies[np.cumsum(first) - 1]
        return counts

    return count
