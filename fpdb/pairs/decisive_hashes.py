"""Find the hashes that tell all pairs with a new document, so that no other posting is read."""

from typing import Final

import numpy as np

from fpdb.arrays import U64, contains, sorted_distinct
from fpdb.pairs.corpus import Corpus
from fpdb.pairs.options import PairOptions
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.posting_scan import hashes_of

DEAR: Final = 8  # postings that are scanned while one hash is looked up


def find_decisive_hashes(reader: IndexReader, corpus: Corpus, options: PairOptions, max_df: int) -> U64 | None:
    """Return the hashes that a new document holds, all that max_df documents hold, and perhaps others.

    A pair shares some of the former, and the size of a document is what the catalogue says without the latter. Return
    None where all postings are scanned: where that is faster, where sizes are those of owners, or without seams of
    boilerplate, and where hashes are weighed, since a document's weight is that of all of its hashes.

    Returns:
        Sorted, distinct; shape (n,).

    Raises:
        Corrupt: Something is damaged.
    """
    if options.weighted or options.by_owner or len(corpus.seams):
        return None
    document_ids = corpus.members.document_ids[: corpus.new]
    postings = int(reader.catalogue.sizes(document_ids)["hashes"].sum(dtype=np.int64))
    if postings * DEAR > reader.posting_count:
        return None
    frequent = reader.find_frequent(max_df) if max_df else np.empty(0, np.uint64)
    if frequent is None:
        return None
    hashes = sorted_distinct(np.concatenate((hashes_of(reader, document_ids), frequent)))
    return hashes[~contains(reader.boilerplate(), hashes)]
