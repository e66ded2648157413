"""Choose the access path of a comparison: a look-up of the hashes of new documents, or a scan of all postings."""

from typing import Final

import numpy as np

from fpdb.arrays import U64, contains, sorted_distinct
from fpdb.pairs.compared_set import ComparedSet
from fpdb.pairs.options import PairOptions
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.posting_scan import hashes_of

SCANNED_PER_LOOK_UP: Final = 8  # postings that are scanned in the time in which one hash is looked up


def hashes_to_look_up(reader: IndexReader, compared_set: ComparedSet, options: PairOptions, max_df: int) -> U64 | None:
    """Return the hashes to look up: those that a new document holds, all that max_df documents hold, perhaps others.

    A pair shares some of the hashes of new documents. A document's size is what the catalogue says, without the hashes
    that max_df documents hold. Return None where all postings must be scanned, or are scanned faster: the catalogue
    tells neither the size of an owner, nor that of a document without seams of boilerplate, nor what its hashes weigh.

    Returns:
        Sorted, distinct; shape (n,).

    Raises:
        Corrupt: Something is damaged.
    """
    if options.weighted or options.by_owner or len(compared_set.seams):
        return None
    document_ids = compared_set.members.document_ids[: compared_set.new]
    postings = int(reader.catalogue.sizes(document_ids)["hashes"].sum(dtype=np.int64))
    if postings * SCANNED_PER_LOOK_UP > reader.posting_count:
        return None
    frequent = reader.find_frequent(max_df) if max_df else np.empty(0, np.uint64)
    if frequent is None:
        return None
    hashes = sorted_distinct(np.concatenate((hashes_of(reader, document_ids), frequent)))
    return hashes[~contains(reader.boilerplate(), hashes)]
