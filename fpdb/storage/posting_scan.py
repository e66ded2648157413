"""Scans of all postings of a reader, in order of their hashes."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import I64, U32, U64, contains, group_starts
from fpdb.storage import file_format
from fpdb.storage.catalogue import live_documents
from fpdb.storage.reader import Reader
from fpdb.storage.runs.merge import merge_postings
from fpdb.storage.snapshot import Snapshot

NO_DEAD_DOCUMENTS: Final = np.empty(0, np.uint8)


class PostingLists(NamedTuple):
    """Complete posting lists of some hashes.

    Attributes:
        hashes: Ascending, distinct; shape (n,).
        frequencies: The number of documents that hold each hash, 1 or more; shape (n,).
        document_ids: Ascending ids for each hash, one hash after the other; shape (sum of frequencies,).
    """

    hashes: U64
    frequencies: I64
    document_ids: U32


def scan_postings(reader: Reader) -> Iterator[tuple[U64, U32]]:
    """Yield the hashes and document ids of all postings but those of boilerplate hashes, sorted, in parts.

    No hash is split between two parts. Postings of dead documents are included, and a document that holds a hash at
    several positions is repeated. Raises Corrupt.
    """
    boilerplate = reader.boilerplate()
    hashes, document_ids = np.empty(0, np.uint64), np.empty(0, np.uint32)
    for piece in merge_postings(reader.scans(), NO_DEAD_DOCUMENTS, 0):
        new_hashes, new_ids = piece.hashes, piece.document_ids
        if len(boilerplate):
            kept = ~contains(boilerplate, new_hashes)
            new_hashes, new_ids = new_hashes[kept], new_ids[kept]
        hashes, document_ids = np.concatenate((hashes, new_hashes)), np.concatenate((document_ids, new_ids))
        whole = int(np.searchsorted(hashes, hashes[-1])) if len(hashes) else 0  # the last list may go on
        yield hashes[:whole], document_ids[:whole]
        hashes, document_ids = hashes[whole:], document_ids[whole:]
    yield hashes, document_ids


def scan_posting_lists(reader: Reader) -> Iterator[PostingLists]:
    """Yield the posting lists of all hashes but boilerplate that a live document holds, by ascending hash, in parts.

    Raises Corrupt.
    """
    has_dead_postings = reader.has_dead_postings()
    for hashes, document_ids in scan_postings(reader):
        if has_dead_postings:
            live = live_documents(reader.catalogue, document_ids)
            hashes, document_ids = hashes[live], document_ids[live]
        if not len(hashes):
            continue
        new_hash = np.r_[True, hashes[1:] != hashes[:-1]]
        distinct = new_hash | np.r_[True, document_ids[1:] != document_ids[:-1]]
        hashes, document_ids = hashes[distinct], document_ids[distinct]
        starts = group_starts(hashes)
        yield PostingLists(hashes[starts], np.diff(np.r_[starts, len(hashes)]), document_ids)


def document_hashes(snapshot: Snapshot, document_id: int) -> U64:
    """Return the hashes of a document, which may be boilerplate, in order of its postings. Raises Corrupt."""
    hashes = [np.empty(0, np.uint64)]
    for run in snapshot.runs(boilerplate=document_id >= file_format.FIRST_BOILERPLATE):
        if run.first_id <= document_id <= run.last_id:
            hashes += [piece.hashes[piece.document_ids == document_id] for piece in snapshot.scan(run)]
    return np.concatenate(hashes)
