"""Blocks of runs are read through their checksums, and counted."""

import numpy as np
import pytest

from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.runs.blocks import Blocks, RunReader, count_blocks, delete_blocks, expected_blocks, stored_runs
from fpdb.storage.runs.writer import write_run
from tests.storage.runs.written_runs import DOCUMENTS, random_postings


def test_blocks_are_deleted_some_at_a_time(env, rng):
    run = write_run(env, 3, [random_postings(rng, 20_000, 0)], (0, DOCUMENTS - 1))
    other = write_run(env, 4, [random_postings(rng, 2_000, 0)], (0, DOCUMENTS - 1))
    total = sum(expected_blocks(run))
    with env.write() as (txn, file):
        blocks = Blocks(txn, file.databases[file_format.BLOCKS])
        assert delete_blocks(blocks, 3, 5) == 5
        assert sum(count_blocks(blocks, 3)) == total - 5
        assert delete_blocks(blocks, 3) == total - 5
        assert list(stored_runs(blocks)) == [4]
        assert count_blocks(blocks, 4) == expected_blocks(other)


def test_missing_blocks_and_damaged_ones_are_told_apart(env, rng):
    run = write_run(env, 3, [random_postings(rng, 20_000, 0)], (0, DOCUMENTS - 1))
    key = file_format.block_key(file_format.block_number(3, file_format.POSTINGS, 2))
    with env.write() as (txn, file):
        database = file.databases[file_format.BLOCKS]
        reader = RunReader(Blocks(txn, database), run)
        value = bytes(txn.get(key, db=database))
        assert list(map(bytes, reader.read_values(file_format.POSTINGS, np.array([2])))) == [value]
        txn.put(key, value[:-1] + bytes([value[-1] ^ 1]), db=database)
        with pytest.raises(Corrupt, match="checksum"):
            reader.read_values(file_format.POSTINGS, np.arange(run.blocks))
        txn.delete(key, db=database)
        with pytest.raises(Corrupt, match="lacks blocks"):
            reader.read_values(file_format.POSTINGS, np.arange(run.blocks))
