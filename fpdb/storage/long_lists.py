"""Long posting lists: hashes that very many documents of a snapshot hold; see `runs.holders`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from fpdb.arrays import I64, U32, U64, Bools
from fpdb.storage.runs import _fences, holders

if TYPE_CHECKING:
    from fpdb.storage.snapshot import Cache, Snapshot
    from fpdb.storage.state import Run

MOST_CACHED: Final = 1 << 16  # hashes of which something is kept


def count_inner_postings(snapshot: "Snapshot", runs: "Sequence[Run]", hashes: U64) -> I64:
    """Count the postings of each hash in blocks that hold no other hash; shape (n,)."""
    counts = np.zeros(len(hashes), np.int64)
    for run in runs:
        fences = snapshot.fences(run)
        lows, highs = _fences.find_blocks(fences.first_hashes, hashes)
        for index in np.flatnonzero(highs - lows > 1).tolist():
            counts[index] += int(fences.posting_counts[lows[index] + 1 : highs[index]].sum(dtype=np.int64))
    return counts


def find_holders(snapshot: "Snapshot", cache: "Cache", hashes: U64, document_ids: U32) -> Bools:
    """Return which documents hold which hashes, see `IndexReader.find_holders`."""
    held = np.zeros((len(hashes), len(document_ids)), np.bool_)
    for run in snapshot.runs():
        inside = slice(*np.searchsorted(document_ids, [run.first_id, run.last_id + 1]).tolist())
        if inside.start == inside.stop:
            continue
        reader, fences = snapshot.run_reader(run), snapshot.fences(run)
        for index, hash_ in enumerate(hashes.tolist()):
            firsts = cache.first_documents.get((run.number, hash_))
            if firsts is None:
                firsts = holders.first_documents(reader, holders.InnerBlocks.of(fences, hash_), hash_)
                if len(cache.first_documents) >= MOST_CACHED:
                    cache.first_documents = {}
                cache.first_documents[run.number, hash_] = firsts
            held[index, inside] = holders.find_holders(reader, fences, firsts, hash_, document_ids[inside])
    return held


def count_holders(snapshot: "Snapshot", cache: "Cache", hashes: U64) -> I64:
    """Return how many live documents hold each hash, see `IndexReader.count_holders`."""
    state, known = cache.holder_counts
    if state is not snapshot.state or len(known) >= MOST_CACHED:
        known = {}
        cache.holder_counts = snapshot.state, known
    for index, hash_ in enumerate(hashes.tolist()):
        if hash_ not in known:
            known[hash_] = _count_holders(snapshot, hashes[index : index + 1])
    return np.array([known[hash_] for hash_ in hashes.tolist()], np.int64)


def _count_holders(snapshot: "Snapshot", hash_: U64) -> int:
    if snapshot.has_dead_postings():
        return len(snapshot.look_up(hash_).document_ids)
    return sum(
        holders.count_holders(snapshot.run_reader(run), snapshot.fences(run), int(hash_[0])) for run in snapshot.runs()
    )
