"""Where a database keeps samples of documents' hashes: two documents are compared within what both are samples of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32, U64
from fpdb.fingerprint import hash_levels


class Sample(NamedTuple):
    """How the hashes of query and documents are samples of all that they have; see `fingerprint.selection.Scheme`.

    sampling: "least" or "level"; share: the query's; bits: how wide hashes are.
    """

    sampling: str
    share: int
    bits: int

    def within(self, hashes: U64, values: NDArray[Any], shares: U32) -> F64:
        """The sum of the values of those of the query's sorted hashes that are within the share that it has in common
        with each document."""
        common = np.minimum(shares, np.uint32(self.share)).astype(np.uint64)
        if self.sampling == "smallest":
            limits = ((common + np.uint64(1)) << np.uint64(32)) - np.uint64(1)  # wraps to 2**64 - 1 for the whole
            reached = np.searchsorted(hashes << np.uint64(64 - self.bits), limits, "right")
            upto: F64 = np.r_[0.0, np.cumsum(values, dtype=np.float64)]
            return upto[reached]
        # A share of 2**(32 - level) units less one lets pass what ends with `level` zeros.
        levels = 32 - np.log2(common.astype(np.float64) + 1).astype(np.int64)
        at_least: F64 = values.astype(np.float64) @ (hash_levels(hashes)[:, None] >= np.arange(33))
        return at_least[levels]

    def overlap(self, shares: U32) -> F64:
        """How much of each document's sample is within the share that it has in common with the query."""
        theirs = shares.astype(np.float64) + 1
        return np.minimum(theirs, self.share + 1) / theirs
