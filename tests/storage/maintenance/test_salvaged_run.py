"""Runs of a damaged file: all postings of sound blocks, with or without a state that lists the runs."""

from contextlib import closing

import numpy as np
import pytest

import fpdb
from fpdb.storage import file_format
from fpdb.storage.maintenance.salvage import SalvageReader
from fpdb.storage.maintenance.salvaged_run import find_runs
from tests.storage.raw import Raw


def triples(pieces):
    """Return postings as tuples, in order."""
    columns = [(piece.hashes, piece.document_ids, piece.encoded_positions) for piece in pieces]
    return list(zip(*(np.concatenate(column).tolist() for column in zip(*columns, strict=True)), strict=True))


@pytest.fixture
def stored(tmp_path, original):
    """Return the path of a database, and the postings of each of its runs by number."""
    path = tmp_path / "t.fpdb"
    path.write_bytes(original[0])
    with fpdb.open(path, "r") as db, db._store.snapshot() as snapshot:
        return path, {run.number: triples(snapshot.scan(run)) for run in snapshot.state.runs}


@pytest.mark.parametrize("listed", [True, False])
def test_a_sound_run_is_left_whole(stored, listed):
    path, postings = stored
    with closing(SalvageReader(str(path))) as salvage:
        if not listed:
            salvage.state = None
        runs = find_runs(salvage)
        assert [salvaged.run.first_id for salvaged in runs] == sorted(salvaged.run.first_id for salvaged in runs)
        pieces = {salvaged.run.number: list(salvaged.pieces()) for salvaged in runs}
    assert {number: triples(piece for piece, _ in some) for number, some in pieces.items()} == postings
    assert not any(lost.any() for some in pieces.values() for _, lost in some)


@pytest.mark.parametrize("column", [file_format.POSTINGS, file_format.POSITIONS])
def test_a_lost_block_costs_nothing_else(stored, column):
    """A block of postings costs these; one of positions costs them, and the postings are left without."""
    path, postings = stored
    number = max(postings, key=lambda number: len(postings[number]))
    with Raw(str(path)) as raw:
        key = raw.blocks(number, column)[1]
        value = bytes(raw.get(file_format.BLOCKS, key))
    data = path.read_bytes()
    assert value in data
    path.write_bytes(data.replace(value, value[:-1] + bytes([value[-1] ^ 1])))
    with closing(SalvageReader(str(path))) as salvage:
        (salvaged,) = [each for each in find_runs(salvage) if each.run.number == number]
        counts = salvaged.block_counts(column)
        pieces = list(salvaged.pieces())
    start, end = counts[0], counts[0] + counts[1]
    whole = postings[number]
    left = triples(piece for piece, _ in pieces)
    lost = np.concatenate([marks for _, marks in pieces])
    if column == file_format.POSTINGS:
        assert left == whole[:start] + whole[end:]
        assert not lost.any()
    else:
        assert left == [(*triple[:2], 0) if start <= rank < end else triple for rank, triple in enumerate(whole)]
        assert np.flatnonzero(lost).tolist() == list(range(start, end))
