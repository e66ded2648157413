"""Hashes that very many documents hold: which documents hold them, and how many, without listing all of these.

Most postings of such a hash are in blocks of its own, its *inner* blocks. Other hashes may share the first and the last
of its blocks. The first document of each inner block leads to the only one that may name a document.
"""

from typing import NamedTuple

import numpy as np

from fpdb.arrays import U32, U64, Bools, contains, group_starts, sorted_distinct
from fpdb.gc_control import gc_paused
from fpdb.storage import file_format
from fpdb.storage.runs import _fences, _probe
from fpdb.storage.runs.blocks import Fences, RunReader
from fpdb.storage.runs.look_up import look_up_in_block


class InnerBlocks(NamedTuple):
    """The blocks of a run that may hold a hash; begin, end: the indices of the inner ones, end excluded."""

    begin: int
    end: int
    edges: tuple[int, ...]

    @classmethod
    def of(cls, fences: Fences, hash_: int) -> "InnerBlocks":
        """Return the blocks of a hash."""
        lows, highs = _fences.find_blocks(fences.first_hashes, np.array([hash_], np.uint64))
        low, high = int(lows[0]), int(highs[0])
        if high < 0:
            return cls(0, 0, ())
        return cls(low + 1, max(high, low + 1), (low,) if low == high else (low, high))


def first_documents(reader: RunReader, blocks: InnerBlocks, hash_: int) -> U32:
    """Return the first document of each inner block of a hash. Raises Corrupt."""
    values = reader.read_values(file_format.POSTINGS, np.arange(blocks.begin, blocks.end))
    with reader.decoding():
        return _probe.first_documents(values, hash_, reader.run.first_id)


@gc_paused()
def count_holders(reader: RunReader, fences: Fences, hash_: int) -> int:
    """Return how many documents of a run hold a hash, dead ones included. Raises Corrupt."""
    blocks = InnerBlocks.of(fences, hash_)
    values = reader.read_values(file_format.POSTINGS, np.arange(blocks.begin, blocks.end))
    with reader.decoding():
        firsts, count = _probe.count_documents(values, hash_, *reader.ids)
    edges = sorted_distinct(np.concatenate([np.empty(0, np.uint32), *_at_edges(reader, fences, blocks, hash_)]))
    if not len(firsts):
        return len(edges)
    # A document may go on in the next block with other positions.
    return count + len(edges) - int(_hold(reader, blocks, hash_, firsts, edges).sum())


def find_holders(reader: RunReader, fences: Fences, firsts: U32, hash_: int, document_ids: U32) -> Bools:
    """Return which documents, ascending, hold a hash; firsts: of its inner blocks. Raises Corrupt."""
    blocks = InnerBlocks.of(fences, hash_)
    held = _hold(reader, blocks, hash_, firsts, document_ids)
    for edge in _at_edges(reader, fences, blocks, hash_):
        held |= contains(edge, document_ids)
    return held


def _at_edges(reader: RunReader, fences: Fences, blocks: InnerBlocks, hash_: int) -> list[U32]:
    hashes: U64 = np.array([hash_], np.uint64)
    return [look_up_in_block(reader, fences, index, hashes) for index in blocks.edges]


def _hold(reader: RunReader, blocks: InnerBlocks, hash_: int, firsts: U32, document_ids: U32) -> Bools:
    """Return which documents, ascending, the inner blocks of a hash name."""
    slots = np.searchsorted(firsts, document_ids, "right") - 1
    held = np.zeros(len(document_ids), np.bool_)
    inside = slots >= 0
    slots = slots[inside]
    if len(slots):
        starts = group_starts(slots)
        values = reader.read_values(file_format.POSTINGS, blocks.begin + slots[starts])
        indices = np.repeat(np.arange(len(starts), dtype=np.uint32), np.diff(starts, append=len(slots)))
        with reader.decoding():
            named = _probe.hold(values, hash_, indices, document_ids[inside])
        held[inside] = named.view(np.bool_)
    return held
