"""Prepare many chunks, in worker processes where there is enough to do; order is kept, memory bounded.

Workers look for themselves which documents the database holds already, and never change it.
"""

import itertools
import os
from collections.abc import Callable, Generator, Iterator
from typing import Any

from fpdb.fingerprint import Recipe
from fpdb.ingest.batch import WriteBatch
from fpdb.ingest.chunk_preparer import ChunkPreparer, Outcome
from fpdb.ingest.chunks import Chunk, estimate_work
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.packing import PackedOutcomes, pack_outcomes, unpack_outcomes
from fpdb.ingest.process_pool import PoolTask, run_in_pool
from fpdb.storage.store import Store

CHUNKS_AHEAD = 24
"""For each process: what workers do while a batch is committed."""
ALONE_BYTES = 16 << 20
"""Less text than this is done sooner than a worker process has started."""


def prepare_chunks(
    chunks: Iterator[Chunk],
    preparer: ChunkPreparer,
    processes: int,
    *,
    path: str | None = None,
    batch: Callable[[], WriteBatch | None] = lambda: None,
) -> Generator[tuple[Chunk, list[Outcome]]]:
    """Yield each chunk with its outcomes, in order. Reading ahead is bounded: a few chunks a process.

    processes: How many may work at once, this one among them, which does all the work if the preparer has frequencies.
    path: Of the database in which workers look for known documents; None where there are none. batch: Returns the batch
    in which this process looks for them. Raises WorkerError.
    """

    def prepare_here(chunk: Chunk) -> list[tuple[Chunk, list[Outcome]]]:
        return [(chunk, preparer.prepare(chunk.documents(), batch()))]

    ahead: list[Chunk] = []
    work = 0
    while processes > 1 and preparer.frequencies is None and (chunk := next(chunks, None)) is not None:
        ahead.append(chunk)
        work += estimate_work(chunk, preparer.recipe)
        if work >= ALONE_BYTES and len(ahead) > 1:
            arguments = preparer.recipe.to_record(), preparer.options, path and os.path.realpath(path)
            task = PoolTask(_start_worker, arguments, _unpack, prepare_here, CHUNKS_AHEAD)
            yield from run_in_pool(itertools.chain(ahead, chunks), task, processes)
            return
    for chunk in itertools.chain(ahead, chunks):
        yield from prepare_here(chunk)


def _unpack(chunk: Chunk, packed: PackedOutcomes) -> list[tuple[Chunk, list[Outcome]]]:
    return [(chunk, unpack_outcomes(packed))]


def _start_worker(recipe: dict[str, Any], options: LoadOptions, path: str | None) -> Callable[[Chunk], PackedOutcomes]:
    """Return what a worker process does with each chunk."""
    preparer = ChunkPreparer(Recipe.from_record(recipe), options)
    if path is None:
        return lambda chunk: pack_outcomes(preparer.prepare(chunk.documents(), None))
    store = Store(path, readonly=True)  # open for as long as the process lives

    def prepare(chunk: Chunk) -> PackedOutcomes:
        with store.snapshot() as snapshot:
            return pack_outcomes(preparer.prepare(chunk.documents(), WriteBatch(preparer.recipe, snapshot)))

    return prepare
