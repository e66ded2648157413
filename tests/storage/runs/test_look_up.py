"""A look-up in a run is one among its postings in memory."""

import numpy as np
import pytest

from fpdb.storage import file_format
from fpdb.storage.runs.blocks import Blocks, RunReader
from fpdb.storage.runs.look_up import look_up, look_up_in_block, tally
from fpdb.storage.runs.writer import write_run
from tests.storage.runs.written_runs import DOCUMENTS, random_postings


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("count", [0, 1, 3_000, 20_000])
def test_look_ups_find_the_documents_of_each_hash(env, rng, count):
    postings = random_postings(rng, count, 0)
    run = write_run(env, 7, (postings[start : start + 500] for start in range(0, count, 500)), (0, DOCUMENTS - 1))
    with env.read() as (txn, file):
        reader = RunReader(Blocks(txn, file.databases[file_format.BLOCKS]), run)
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
            first = look_up_in_block(reader, fences, 0, postings.hashes[:1])
            assert set(first.tolist()) <= set(postings.document_ids[postings.hashes == postings.hashes[0]].tolist())
