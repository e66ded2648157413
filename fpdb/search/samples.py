"""Samples of documents' hashes: two documents are compared within what both are samples of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32, U64
from fpdb.fingerprint import hash_levels


class Sample(NamedTuple):
    """The sampling by which the query and the documents keep some of their hashes."""

    sampling: str  # "least" or "level", see `fingerprint.selection.Scheme`
    share: int  # the query's share of all possible hashes, see `Fingerprints.share`
    bits: int  # the width of hashes

    def sum_within(self, hashes: U64, values: NDArray[Any], shares: U32) -> F64:
        """Return, for each document, the sum of the values of the query's hashes within the share that both have.

        hashes: the query's, ascending, and their values; shape (n,). shares: of the documents; shape (documents,).
        """
        common = np.minimum(shares, np.uint32(self.share)).astype(np.uint64)
        if self.sampling == "smallest":
            limits = ((common + np.uint64(1)) << np.uint64(32)) - np.uint64(1)  # wraps to 2**64 - 1 for the whole
            reached = np.searchsorted(hashes << np.uint64(64 - self.bits), limits, "right")
            totals: F64 = np.r_[0.0, np.cumsum(values, dtype=np.float64)]
            return totals[reached]
        # A share of 2**(32 - level) units less one lets pass what ends with `level` zeros.
        levels = 32 - np.log2(common.astype(np.float64) + 1).astype(np.int64)
        at_least: F64 = values.astype(np.float64) @ (hash_levels(hashes)[:, None] >= np.arange(33))
        return at_least[levels]

    def overlap(self, shares: U32) -> F64:
        """Return how much of each document's sample lies within the share that it has in common with the query."""
        theirs = shares.astype(np.float64) + 1
        return np.minimum(theirs, self.share + 1) / theirs
