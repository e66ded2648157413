"""A run that was written is read again: all of it, by hash, and as its blocks."""

import numpy as np
import pytest

from fpdb.storage import file_format
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment
from fpdb.storage.runs.blocks import Blocks, RunReader, count_blocks, delete_blocks, expected_blocks, stored_runs
from fpdb.storage.runs.look_up import look_up, look_up_in_block, tally
from fpdb.storage.runs.postings import NO_POSTINGS, Postings, concat_postings, is_ascending, mark_pairs
from fpdb.storage.runs.scan import scan
from fpdb.storage.runs.writer import write_run

DOCUMENTS = 50


def random_postings(rng, count, positions):
    """Return distinct postings, sorted; positions: from which on they have any."""
    hashes = rng.choice(rng.integers(0, 2**64, count // 3 + 1, np.uint64), count)
    ids, places = rng.integers(0, DOCUMENTS, count, np.uint32), rng.integers(1, 2**20, count, np.uint32)
    columns = np.unique(np.rec.fromarrays([hashes, ids, places], names="hash,id,place"))
    encoded = np.where(np.arange(len(columns)) < positions, 0, columns["place"]).astype(np.uint32)
    return Postings(columns["hash"].copy(), columns["id"].copy(), encoded)


def equal(first, second):
    names = "hashes", "document_ids", "encoded_positions"
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)


@pytest.fixture
def env(tmp_path):
    path = str(tmp_path / "runs")
    files.new_file(path, file_format.pack_format({}), {})
    environment = Environment(path, readonly=False, timeout=1)
    yield environment
    environment.close()


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
        assert is_ascending(whole) or positions
        assert count_blocks(blocks, 7) == expected_blocks(run)
        assert list(stored_runs(blocks)) == ([7] if count else [])
        fences = reader.read_fences()
        asked = np.unique(np.r_[postings.hashes[::5], rng.integers(0, 2**64, 50, np.uint64)])
        counts, ids = look_up(reader, fences, asked)
        expected = [np.unique(postings.document_ids[postings.hashes == hash_]) for hash_ in asked]
        assert counts.tolist() == list(map(len, expected))
        assert ids.tolist() == np.concatenate(expected).tolist()
        totals = np.zeros(DOCUMENTS, np.uint32)
        tally(reader, fences, asked, totals)
        assert (totals == np.bincount(ids, minlength=DOCUMENTS)).all()
        if count:
            first = look_up_in_block(reader, 0, postings.hashes[:1])
            assert set(first.tolist()) <= set(postings.document_ids[postings.hashes == postings.hashes[0]].tolist())


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


def test_a_run_is_complete_when_the_last_transaction_ends(env, rng):
    completed = []
    run = write_run(env, 1, [random_postings(rng, 100, 0)], (0, 9), lambda txn, run: completed.append((txn, run)))
    assert [described for _, described in completed] == [run]


@pytest.mark.parametrize("length", [1, 2, 7, 1_000])
def test_pairs_are_marked_across_pieces(rng, length):
    postings = random_postings(rng, 900, 0)
    pieces = (postings[start : start + length] for start in range(0, len(postings), length))
    marks = np.concatenate([first for _, first in mark_pairs(pieces)])
    pairs = list(zip(postings.hashes.tolist(), postings.document_ids.tolist(), strict=True))
    assert marks.tolist() == [index == 0 or pair != pairs[index - 1] for index, pair in enumerate(pairs)]
