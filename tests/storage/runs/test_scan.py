"""A scan gives a run's postings, some blocks at a time."""

from functools import reduce

import numpy as np
import pytest

from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.runs import scan
from fpdb.storage.runs.blocks import Blocks, RunReader
from fpdb.storage.runs.postings import concat_postings
from fpdb.storage.runs.writer import write_run
from tests.storage.runs.written_runs import DOCUMENTS, equal, random_postings


@pytest.mark.parametrize("positions", [0, 9_000, 2**31])
def test_pieces_are_of_some_blocks_each(env, rng, monkeypatch, positions):
    monkeypatch.setattr(scan, "BLOCKS_PER_PIECE", 3)
    postings = random_postings(rng, 20_000, positions)
    run = write_run(env, 3, [postings], (0, DOCUMENTS - 1))
    with env.read() as (txn, file):
        reader = RunReader(Blocks(txn, file.databases[file_format.BLOCKS]), run)
        pieces = list(scan.scan(reader))
        counts = reader.read_fences().posting_counts
    assert list(map(len, pieces)) == np.add.reduceat(counts, range(0, run.blocks, 3), dtype=int).tolist()
    assert equal(reduce(concat_postings, pieces), postings)


@pytest.mark.parametrize("column", ["document_ids", "encoded_positions"])
def test_a_run_out_of_order_is_never_given(env, rng, column):
    """Within a block, and from one to the next."""
    sound = random_postings(rng, 3_000, 0)
    for place in (7, 1_500):
        postings = sound[:]
        values = getattr(postings, column)
        postings.hashes[place + 1] = postings.hashes[place]
        if column == "document_ids":
            values[place : place + 2] = 3, 2
        if column == "encoded_positions":
            postings.document_ids[place + 1] = postings.document_ids[place]
            values[place : place + 2] = 5, 5
        run = write_run(env, place, [postings], (0, DOCUMENTS - 1))
        with env.read() as (txn, file), pytest.raises(Corrupt, match=f"run {place}"):
            list(scan.scan(RunReader(Blocks(txn, file.databases[file_format.BLOCKS]), run)))


def test_documents_outside_a_run_are_never_given(env, rng):
    postings = random_postings(rng, 3_000, 0)
    for first_id, last_id in ((1, DOCUMENTS), (0, DOCUMENTS - 2)):
        run = write_run(env, 1, [postings], (first_id, last_id))
        with env.read() as (txn, file), pytest.raises(Corrupt, match="damaged"):
            list(scan.scan(RunReader(Blocks(txn, file.databases[file_format.BLOCKS]), run)))


def test_a_run_with_too_few_positions_is_damaged(env, rng):
    """The last block of positions is missing, and the fences know nothing of it."""
    run = write_run(env, 3, [random_postings(rng, 20_000, 0)], (0, DOCUMENTS - 1))
    number = file_format.block_number(3, file_format.POSITION_FENCES, 0)
    with env.write() as (txn, file):
        blocks = Blocks(txn, file.databases[file_format.BLOCKS])
        body = RunReader(blocks, run).read_position_counts()[:-1].tobytes()
        txn.put(file_format.block_key(number), file_format.block_seal(number, body) + body, db=blocks.database)
        reader = RunReader(blocks, run._replace(position_blocks=run.position_blocks - 1))
        with pytest.raises(Corrupt, match="do not add up"):
            list(scan.scan(reader))
