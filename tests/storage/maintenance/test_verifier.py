"""One commit is verified: all of it, or samples. See tests/stress/test_check.py for every fault."""

from pathlib import Path

import numpy as np
import pytest

import fpdb
from fpdb.storage import file_format
from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.maintenance.verifier import verify
from fpdb.storage.runs import scan
from fpdb.storage.runs.blocks import Blocks, RunReader, delete_blocks
from fpdb.storage.runs.postings import Postings
from fpdb.storage.runs.writer import RunWriter
from tests.storage.raw import Raw


def test_a_quick_check_reads_the_state_all_fences_and_samples(tmp_path, original):
    path = str(tmp_path / "t.fpdb")
    Path(path).write_bytes(original[0])
    with Raw(path) as raw:
        raw.change_state(documents=raw.state.documents + 1)
    assert fpdb.check(path, quick=True).problems
    Path(path).write_bytes(original[0])
    with Raw(path) as raw:
        key = raw.blocks(column=file_format.FENCES)[0]
        raw.put(file_format.BLOCKS, key, raw.get(file_format.BLOCKS, key)[:-1] + b"x")
    assert fpdb.check(path, quick=True).problems


def test_only_what_is_wrong_is_said(tmp_path, original):
    path = str(tmp_path / "t.fpdb")
    Path(path).write_bytes(original[0])
    with fpdb.open(path, "r") as db, db._store.snapshot() as snapshot:
        assert list(verify(snapshot)) == list(verify(snapshot, quick=True)) == []
    with Raw(path) as raw:
        run = raw.state.runs[0]
        raw.change_run(0, dead=run.dead + 1)
    with fpdb.open(path, "r") as db, db._store.snapshot() as snapshot:
        (problem,) = verify(snapshot)
        assert f"run {run.number} " in problem


@pytest.fixture(scope="module")
def tight(tmp_path_factory):
    """Return the bytes of a database in which every range of ids is as narrow as it can be.

    The documents of a run share all hashes, and hold each of them twice.
    """
    path = tmp_path_factory.mktemp("tight") / "t.fpdb"
    hashes = np.repeat(np.arange(1, 301, dtype=np.uint64) << np.uint64(40), 2)
    with fpdb.open(path) as db:
        for numbers in (range(DOCUMENTS), range(DOCUMENTS, DOCUMENTS + 20)):
            with db.batch() as batch:
                for number in numbers:
                    batch.add_fingerprints(f"{number}", hashes, np.arange(len(hashes)))
        with db.batch() as batch:
            for number in range(3):
                batch.add_fingerprints(f"boilerplate {number}", [number], boilerplate=True)
        for name in ("0", "boilerplate 0"):  # so that fewer documents are there than ids were given
            db.remove(name)
        assert db.check() == []
        with db._store.snapshot() as snapshot:
            state = snapshot.state
    assert [(run.first_id, run.last_id) for run in state.runs] == [
        (0, DOCUMENTS - 1),
        (DOCUMENTS, state.next_document - 1),
        (FIRST_BOILERPLATE, state.next_boilerplate - 1),
    ]
    assert state.next_run == max(run.number for run in state.runs) + 1
    return path.read_bytes()


def faults(path, quick=False):
    try:
        with fpdb.open(path, "r") as db, db._store.snapshot() as snapshot:
            return list(verify(snapshot, quick=quick))
    except fpdb.Corrupt as error:
        return [str(error)]


DOCUMENTS = 30
COLUMNS = "hashes", "document_ids", "encoded_positions"
HASH = 2 * DOCUMENTS  # postings
START = 100 * HASH
OUT_OF_ORDER = {
    "hash": (np.r_[HASH, HASH + 1, :HASH], 2),
    "document": (np.r_[2, 3, 0, 1], 2),
    "position": (np.r_[1, 0], 1),
    "equal postings": (np.r_[0, 0], 1),
}


def write_anew(raw, order, block_start):
    """Write the postings of the first run in another order, with a block that begins at block_start, if any."""
    run = raw.state.runs[0]
    blocks = Blocks(raw.txn, raw.databases[file_format.BLOCKS])
    read = list(scan.scan(RunReader(blocks, run)))
    postings = Postings(*(np.concatenate([getattr(piece, column) for piece in read]) for column in COLUMNS))
    changed = np.arange(len(postings))
    changed[START : START + len(order)] = START + order
    delete_blocks(blocks, run.number)
    writer = RunWriter(run.number)
    for part in np.split(changed, [block_start] if block_start else []):
        writer._write(blocks, postings[part], final=True)
    written = writer.finish(blocks, run.first_id, run.last_id)._replace(dead=run.dead)
    raw.change_state(runs=(written, *raw.state.runs[1:]))


@pytest.mark.parametrize("blocks_per_piece", [1, 32])
@pytest.mark.parametrize("between_blocks", [False, True])
@pytest.mark.parametrize("kind", OUT_OF_ORDER)
def test_postings_out_of_order_are_found(path, tight, monkeypatch, kind, between_blocks, blocks_per_piece):
    """All counts and fences fit, so that nothing else tells; within a block, hashes cannot descend."""
    monkeypatch.setattr(scan, "BLOCKS_PER_PIECE", blocks_per_piece)
    order, block_start = OUT_OF_ORDER[kind]
    Path(path).write_bytes(tight)
    with Raw(path) as raw:
        number = raw.state.runs[0].number
        write_anew(raw, np.arange(len(order)), START + block_start)
    assert faults(path) == faults(path, quick=True) == []
    with Raw(path) as raw:
        write_anew(raw, order, START + block_start if between_blocks or kind == "hash" else None)
    within_block = not between_blocks and kind != "hash"
    message = "a posting block is damaged" if within_block and kind == "document" else "is out of order"
    for quick in (False, True) if within_block else (False,):
        problem = faults(path, quick)[0]
        assert f"run {number}" in problem
        assert message in problem


def change_state(**steps):
    return lambda raw: raw.change_state(**{name: getattr(raw.state, name) + step for name, step in steps.items()})


def change_run(index, **steps):
    return lambda raw: raw.change_run(
        index, **{name: getattr(raw.state.runs[index], name) + step for name, step in steps.items()}
    )


def leave_out_last_run(raw):
    raw.change_state(runs=raw.state.runs[:-1], next_run=raw.state.runs[-1].number)


BY_ONE = {
    "next document": (change_state(next_document=-1), "run 2 has documents that were never added"),
    "next boilerplate": (change_state(next_boilerplate=-1), "run 4 has documents that were never added"),
    "next run": (change_state(next_run=-1), "run 4 is listed twice, was never begun"),
    "a run that was never begun": (leave_out_last_run, "run 4 is there but was never begun"),
    "the first id of a run": (change_run(1, first_id=1), "run 2: a posting block is damaged"),
    "the last id of a run": (change_run(0, last_id=-1), "run 1: a posting block is damaged"),
    "runs that overlap": (change_run(0, last_id=1), "run 2 is listed twice, was never begun, or overlaps"),
    "all postings dead, and one": (change_run(2, dead=3), "run 4 has impossible postings"),
    "dead postings": (change_run(1, dead=1), "run 2 has 0 dead postings; the state says 1"),
    "postings": (change_run(1, postings=1), "fences of run 2 do not add up"),
    "blocks": (change_run(1, blocks=1), "more documents or blocks than there are"),
    "documents": (change_state(documents=1), "the state counts other documents"),
    "fewer documents": (change_state(documents=-1), "the state counts other documents"),
    "all documents, and one": (change_state(documents=2), "it counts more documents than ids were given"),
    "boilerplate documents": (change_state(boilerplate_documents=-1), "the state counts other documents"),
    "texts": (change_state(texts=1), "the state counts other kept texts"),
    "bytes of texts": (change_state(text_bytes=1), "it counts impossible kept texts"),
}


@pytest.mark.parametrize("fault", BY_ONE)
def test_limits_that_are_wrong_by_one_are_found(path, tight, fault):
    plant, sentence = BY_ONE[fault]
    Path(path).write_bytes(tight)
    with Raw(path) as raw:
        plant(raw)
    assert sentence in "\n".join(faults(path))
