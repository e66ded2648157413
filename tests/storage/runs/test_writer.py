"""A run that was written is read again: all of it, and as its blocks."""

import pytest

from fpdb.storage import file_format
from fpdb.storage.runs.blocks import Blocks, RunReader, count_blocks, expected_blocks, stored_runs
from fpdb.storage.runs.postings import NO_POSTINGS, concat_postings, is_ascending
from fpdb.storage.runs.scan import scan
from fpdb.storage.runs.writer import write_run
from tests.storage.runs.written_runs import DOCUMENTS, equal, random_postings


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("count", [0, 1, 3_000, 20_000])
@pytest.mark.parametrize("positions", [0, 2_500, 2**31])
def test_a_run_is_read_as_it_was_written(env, rng, count, positions):
    postings = random_postings(rng, count, positions)
    run = write_run(env, 7, (postings[start : start + 500] for start in range(0, count, 500)), (0, DOCUMENTS - 1))
    assert (run.number, run.postings, run.dead) == (7, len(postings), 0)
    with env.read() as (txn, file):
        blocks = Blocks(txn, file.databases[file_format.BLOCKS])
        reader = RunReader(blocks, run)
        whole = NO_POSTINGS
        for piece in scan(reader):
            whole = concat_postings(whole, piece)
        assert equal(whole, postings)
        assert is_ascending(whole)
        assert count_blocks(blocks, 7) == expected_blocks(run)
        assert list(stored_runs(blocks)) == ([7] if count else [])


def test_a_run_is_complete_when_the_last_transaction_ends(env, rng):
    completed = []
    run = write_run(env, 1, [random_postings(rng, 100, 0)], (0, 9), lambda txn, run: completed.append((txn, run)))
    assert [described for _, described in completed] == [run]
