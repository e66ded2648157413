"""Who holds a hash, found from the first documents of blocks, is who its postings name."""

import numpy as np
import pytest

from fpdb.storage import file_format
from fpdb.storage.runs.blocks import Blocks, RunReader
from fpdb.storage.runs.holders import InnerBlocks, count_holders, find_holders, first_documents
from fpdb.storage.runs.postings import Postings
from fpdb.storage.runs.writer import write_run
from tests.small_blocks import small_blocks

DOCUMENTS = 300


def postings_of(rng, common):
    """Return postings of a few hashes, of which one is common; several places of many documents."""
    hashes = np.r_[np.full(common, 50, np.uint64), rng.integers(40, 60, 200, np.uint64)]
    ids, places = rng.integers(0, DOCUMENTS, len(hashes), np.uint32), rng.integers(1, 4, len(hashes), np.uint32)
    columns = np.unique(np.rec.fromarrays([hashes, ids, places], names="hash,id,place"))
    return Postings(*(columns[name].copy() for name in ("hash", "id", "place")))


@pytest.mark.parametrize("common", [0, 3, 40, 900])
@pytest.mark.parametrize("size", [1, 2, 7])
def test_holders_are_those_of_the_postings(env, rng, common, size):
    postings = postings_of(rng, common)
    with small_blocks(size):
        run = write_run(env, 7, [postings], (0, DOCUMENTS - 1))
    asked = np.unique(rng.integers(0, DOCUMENTS, 80, np.uint32))
    with env.read() as (txn, file):
        reader = RunReader(Blocks(txn, file.databases[file_format.BLOCKS]), run)
        fences = reader.read_fences()
        for hash_ in range(39, 61):
            holders = np.unique(postings.document_ids[postings.hashes == hash_])
            blocks = InnerBlocks.of(fences, hash_)
            firsts = first_documents(reader, blocks, hash_)
            assert len(firsts) == blocks.end - blocks.begin
            assert set(firsts.tolist()) <= set(holders.tolist())
            assert count_holders(reader, fences, hash_) == len(holders)
            for ids in (asked, np.arange(DOCUMENTS, dtype=np.uint32), asked[:0]):
                held = find_holders(reader, fences, firsts, hash_, ids)
                assert held.tolist() == np.isin(ids, holders).tolist()
