"""A quick look at a store: everything that is small, and samples of what is not. About a second, whatever its size.

The pages of the file's trees were examined when it was opened, see `environment.page_check`. Read here are the state,
all fences, and of each sort of value some, other ones after each commit: damage that is anywhere in particular may be
missed, and damage that is everywhere is not.

Numbers out of arrays are made Python's before they are compared: for want of memory, numpy finds equal ones different.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

import numpy as np

from fpdb.errors import Corrupt, MissingPackage
from fpdb.storage import file_format
from fpdb.storage.file_format import Run
from fpdb.storage.maintenance.states import state_problems
from fpdb.storage.runs import _codec
from fpdb.storage.runs.blocks import expected_blocks, stored_runs
from fpdb.storage.snapshot import Snapshot

SAMPLES: Final = 200
TEXTS: Final = 20


def problems(view: Snapshot) -> Iterator[str]:
    """What is wrong, one sentence each."""
    chance = random.Random(view.txn.id())  # noqa: S311 (nobody is to be kept from guessing)
    yield from state_problems(view)
    yield from _counts(view)
    for run in view.state.runs:
        try:
            yield from _run(view, run, chance)
        except Corrupt as error:
            yield str(error)
    yield from _documents(view, chance)


def _counts(view: Snapshot) -> Iterator[str]:
    """The entries of the databases, which LMDB counts."""
    state = view.state
    entries = {name: view.txn.stat(view.databases[name])["entries"] for name in file_format.NAMED}
    if entries[file_format.NAMES] != state.documents + state.boilerplate_documents:
        yield "there are more or fewer names than the state says there are documents"
    unlisted = set(stored_runs(view.blocks)) - {run.number for run in state.runs}
    if not unlisted and entries[file_format.BLOCKS] != sum(sum(expected_blocks(run)) for run in state.runs):
        yield "there are more or fewer blocks than the state says"


def _run(view: Snapshot, run: Run, chance: random.Random) -> Iterator[str]:
    fences, reader = view.fences(run), view.run_reader(run)
    if (fences.first_hashes[1:] < fences.first_hashes[:-1]).any():
        yield f"the fences of run {run.number} are out of order"
    counts = reader.read_position_counts()
    if run.position_blocks and int(counts.sum(dtype=np.int64)) != run.postings:
        yield f"run {run.number} has more or fewer positions than postings"
    for column, blocks in ((file_format.POSTINGS, run.blocks), (file_format.POSITIONS, run.position_blocks)):
        for index in _some(chance, blocks, SAMPLES):
            (value,) = reader.read_values(column, np.array([index]))
            try:
                if column == file_format.POSITIONS:
                    _codec.decode_positions([value], int(counts[index]))
                    continue
                hashes, documents = _codec.decode_postings([value], int(fences.posting_counts[index]))
            except ValueError as error:
                raise Corrupt(f"run {run.number}: {error}") from error
            if int(hashes[0]) != int(fences.first_hashes[index]) or (hashes[1:] < hashes[:-1]).any():
                yield f"run {run.number} has a block that is out of order"
            if int(documents.min()) < run.first_id or int(documents.max()) > run.last_id:
                yield f"run {run.number} has postings of documents outside its range"


def _documents(view: Snapshot, chance: random.Random) -> Iterator[str]:
    """Some of those that have sizes: their records, names and kept texts."""
    texts = TEXTS
    ends = ((0, view.state.next_document), (file_format.FIRST_BOILERPLATE, view.state.next_boilerplate))
    for first, end in ends:
        for at in _some(chance, end - first, SAMPLES):
            document = first + at
            try:
                hashes = int(view.catalogue.sizes(np.array([document], np.uint32))["hashes"][0])
                if hashes == file_format.DEAD:
                    continue
                record = view.catalogue.record(document)
                if record.hashes != hashes or file_format.record_fault(record) is not None:
                    yield f"document {document}: its sizes are not those that its record counts"
                elif view.catalogue.find(record.name) != document:
                    yield f"document {document} is not found under its name"
                elif record.text is not None and texts:
                    texts -= 1
                    view.texts.read(document, record)
            except Corrupt as error:
                yield str(error)
            except MissingPackage:
                texts = 0


def _some(chance: random.Random, count: int, most: int) -> list[int]:
    """The first, the last, and some numbers in between, ascending."""
    ends = {0, count - 1} if count else set()
    return sorted({*chance.sample(range(count), min(count, most)), *ends})
