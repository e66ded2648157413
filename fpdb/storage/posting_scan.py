"""Scans of all postings of a reader, in order of their hashes."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from fpdb.arrays import I64, U32, U64, Bools, contains, group_starts, sorted_distinct
from fpdb.storage import file_format, sorting
from fpdb.storage.catalogue import live_documents
from fpdb.storage.id_set import IdSet
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.runs.merge import merge_postings
from fpdb.storage.runs.postings import NO_POSTINGS, Postings
from fpdb.storage.snapshot import Snapshot

LOOKED_UP = 1 << 10  # hashes that are looked up at once,
LISTED = 1 << 12  # but for those that so many documents hold: each of these has a part of its own


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


def scan_postings(reader: IndexReader, counted: Callable[[Postings], Bools] | None = None) -> Iterator[tuple[U64, U32]]:
    """Yield the hashes and document ids of all postings but those of boilerplate hashes, sorted, in parts.

    No hash is split between two parts. Postings of dead documents are included, and a document that holds a hash at
    several positions is repeated. counted: returns which of some postings are wanted. Raises Corrupt.
    """
    boilerplate = reader.boilerplate()
    hashes, document_ids = np.empty(0, np.uint64), np.empty(0, np.uint32)
    for piece in merge_postings(reader.scans()):
        if len(boilerplate):
            piece = piece[~contains(boilerplate, piece.hashes)]
        if counted is not None:
            piece = piece[counted(piece)]
        hashes = np.concatenate((hashes, piece.hashes))
        document_ids = np.concatenate((document_ids, piece.document_ids))
        whole = int(np.searchsorted(hashes, hashes[-1])) if len(hashes) else 0  # the last list may go on
        yield hashes[:whole], document_ids[:whole]
        hashes, document_ids = hashes[whole:], document_ids[whole:]
    yield hashes, document_ids


def look_up_postings(reader: IndexReader, hashes: U64) -> Iterator[tuple[U64, U32]]:
    """Yield the postings of some hashes in parts of whole lists, of live documents only. Raises Corrupt.

    A part is sorted, and has the list of one hash, or LOOKED_UP * LISTED postings at most. hashes: Sorted, distinct.
    """
    for start in range(0, len(hashes), LOOKED_UP):
        part = hashes[start : start + LOOKED_UP]
        hits = reader.look_up(part, cap=LISTED)
        yield part.repeat(hits.counts), hits.document_ids
        for index in np.flatnonzero(hits.capped).tolist():
            document_ids = reader.look_up(part[index : index + 1]).document_ids
            yield part[index].repeat(len(document_ids)), document_ids


def hashes_of(reader: IndexReader, document_ids: U32) -> U64:
    """Return the hashes that any of some documents holds; sorted, distinct. document_ids: ascending. Raises Corrupt."""
    wanted = IdSet(document_ids)
    parts = [np.empty(0, np.uint64)]
    for pieces in reader.scans(document_ids):
        parts += [piece.hashes[wanted.contains(piece.document_ids)] for piece in pieces]
    return sorted_distinct(np.concatenate(parts))


def scan_posting_lists(reader: IndexReader) -> Iterator[PostingLists]:
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
        distinct = sorting.first_of_pair(hashes, document_ids)
        if not distinct.all():
            hashes, document_ids = hashes[distinct], document_ids[distinct]
        starts = group_starts(hashes)
        yield PostingLists(hashes[starts], np.diff(np.r_[starts, len(hashes)]), document_ids)


def split_by_postings(snapshot: Snapshot, document_ids: U32, limit: int) -> Iterator[U32]:
    """Divide ascending ids into parts of one sort, ordinary or boilerplate, of at most `limit` postings.

    A document of more postings is a part of its own. Raises Corrupt.
    """
    start, room = 0, limit
    for index, document_id in enumerate(document_ids.tolist()):
        postings = snapshot.catalogue.record(document_id).fingerprints
        other_sort = index > start and document_id >= file_format.FIRST_BOILERPLATE > document_ids[index - 1]
        if index > start and (postings > room or other_sort):
            yield document_ids[start:index]
            start, room = index, limit
        room -= postings
    if len(document_ids):
        yield document_ids[start:]


def scan_documents(snapshot: Snapshot, document_ids: U32) -> Iterator[tuple[int, U64, U32]]:
    """Yield each document's id, hashes and encoded positions in the order of its postings.

    Reads the runs of the documents once, and holds the postings of all in memory. Raises Corrupt.

    Args:
        snapshot: The snapshot.
        document_ids: Ascending; ordinary or boilerplate; at least one.
    """
    pieces = [NO_POSTINGS]
    wanted = IdSet(document_ids)
    for run in snapshot.state.runs:
        if ((document_ids >= run.first_id) & (document_ids <= run.last_id)).any():
            pieces += [piece[wanted.contains(piece.document_ids)] for piece in snapshot.scan(run)]
    holders = np.concatenate([piece.document_ids for piece in pieces])
    order = np.argsort(holders, kind="stable")  # a document's postings are in one run
    holders = holders[order]
    hashes = np.concatenate([piece.hashes for piece in pieces])[order]
    positions = np.concatenate([piece.encoded_positions for piece in pieces])[order]
    pieces.clear()
    starts, ends = (np.searchsorted(holders, document_ids, side).tolist() for side in ("left", "right"))
    for document_id, start, end in zip(document_ids.tolist(), starts, ends, strict=True):
        yield document_id, hashes[start:end], positions[start:end]
