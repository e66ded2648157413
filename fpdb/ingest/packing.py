"""Pack the outcomes of a chunk that go from a worker process to another: the arrays of all documents as two.

A message costs more than a document.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from fpdb.arrays import U32, U64
from fpdb.ingest.chunk_preparer import KnownDocuments, Outcome, ReadyDocument
from fpdb.ingest.existing import Traits
from fpdb.ingest.files import Skipped
from fpdb.storage.document_columns import PreparedDocument
from fpdb.storage.records import Record
from fpdb.storage.texts import KeptText

_Row: TypeAlias = tuple[int, str, int, bool, Traits | None, Record, int, bool, int, KeptText | None]
"""The fields of a document that is ready, with the number of hashes for the arrays."""


class PackedOutcomes(NamedTuple):
    """The outcomes of a chunk; hashes and encoded_positions are those of all its documents in order, shape (n,)."""

    rows: list[_Row | KnownDocuments | Skipped]
    hashes: U64
    encoded_positions: U32


def pack_outcomes(outcomes: Iterable[Outcome]) -> PackedOutcomes:
    """Pack the outcomes of a chunk to be sent."""
    rows: list[_Row | KnownDocuments | Skipped] = []
    hashes, positions = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
    for outcome in outcomes:
        if not isinstance(outcome, ReadyDocument):
            rows.append(outcome)
            continue
        document = outcome.document
        hashes.append(document.hashes)
        positions.append(document.encoded_positions)
        count = len(document.hashes)
        rows.append((*outcome[:5], document.record, count, document.boilerplate, document.share, document.text))
    return PackedOutcomes(rows, np.concatenate(hashes), np.concatenate(positions))


def unpack_outcomes(packed: PackedOutcomes) -> list[Outcome]:
    """Return the outcomes that were packed; the arrays of their documents are views."""
    outcomes: list[Outcome] = []
    end = 0
    for row in packed.rows:
        if isinstance(row, KnownDocuments | Skipped):
            outcomes.append(row)
            continue
        record, count, boilerplate, share, text = row[5:]
        start, end = end, end + count
        arrays = packed.hashes[start:end], packed.encoded_positions[start:end]
        document = PreparedDocument(record, *arrays, boilerplate, share, text)
        outcomes.append(ReadyDocument(*row[:5], document))
    return outcomes
