"""Load documents into a database in batches, and count what became of each.

A batch is one commit; Ctrl-C or an error loses the batch that is being filled and nothing before it, and the summary
says exactly what is in the database. Knows nothing of how documents are found.
"""

import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol

from fpdb import limits
from fpdb.arrays import I64, U64
from fpdb.errors import BadLabel, Error
from fpdb.fingerprint import Recipe
from fpdb.ingest.batch import WriteBatch
from fpdb.ingest.chunk_preparer import ChunkPreparer, Outcome, ReadyDocument
from fpdb.ingest.chunks import Chunk, chunked
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.load_summary import LISTED, LoadSummary, document_name
from fpdb.ingest.parallel import prepare_chunks
from fpdb.ingest.process_pool import WorkerError, available_processors
from fpdb.ingest.record_fields import RecordChunk
from fpdb.storage.texts import check_packages

BATCH_POSTINGS = 2_000_000
BATCH_TEXT_BYTES = 64 << 20
"""Of texts to be kept, compressed."""
BATCH_SECONDS = 10.0


class LoadTarget(Protocol):
    """A database that is loaded into; `Database` is one."""

    path: str
    recipe: Recipe

    def batch(self) -> AbstractContextManager[WriteBatch]:
        """Return a context whose changes become one commit when it ends."""

    def bulk(self) -> AbstractContextManager[None]:
        """Return a context in which merging waits until it ends."""

    def frequencies(self, hashes: U64, /) -> I64:
        """Return in how many documents each hash is; both shapes (n,)."""


class Watcher(Protocol):
    """Follows a load while it runs."""

    def done(self, size: int) -> None:
        """Count so many more bytes of input as handled."""

    def skipped(self, skipped: Skipped) -> None:
        """Take notice of a document that is skipped."""

    def noticed(self, place: str, what: str) -> None:
        """Take notice of something about a document that is not skipped."""


class Stopped(Error):
    """A strict load came upon what it would skip otherwise; what came before is in the database."""


def load(
    target: LoadTarget,
    inputs: Iterable[InputDocument | Skipped | Chunk],
    options: LoadOptions | None = None,
    *,
    jobs: int | None = None,
    watcher: Watcher | None = None,
    summary: LoadSummary | None = None,
) -> LoadSummary:
    """Add every document to the database; one that cannot be read or fingerprinted is skipped with the reason.

    The same again changes nothing, and fingerprints nothing: a load that was interrupted goes on from there. Ctrl-C
    ends the load early and sets `interrupted`.

    Args:
        target: The database.
        inputs: Documents, one by one or in chunks.
        options: What is done with every document.
        jobs: Processes that fingerprint, this one among them (default: one a processor); where it is more than 1, a
            script that calls this needs the usual `if __name__ == "__main__":`.
        watcher: Follows the load.
        summary: Where to count, for a caller who wants the counts even when an error ends the load.

    Raises:
        Stopped: The load is strict, and a document would be skipped.
        MissingPackage, MissingKey: Texts cannot be kept; nothing can be fingerprinted.
        Error: The load cannot go on.
    """
    options = options or LoadOptions()
    target.recipe.check_key()
    if options.keep_text:
        check_packages()
    preparer = ChunkPreparer(target.recipe, options, target.frequencies if options.rarity == "corpus" else None)
    return _Load(target, preparer, watcher, summary or LoadSummary()).run(inputs, jobs or available_processors())


def is_full(batch: WriteBatch) -> bool:
    """Return True if a batch holds as much as is to be held in memory."""
    return batch.postings >= BATCH_POSTINGS or batch.text_bytes >= BATCH_TEXT_BYTES


@dataclass
class _Load:
    target: LoadTarget
    preparer: ChunkPreparer
    watcher: Watcher | None
    summary: LoadSummary
    batch: WriteBatch | None = None
    """The one that is being filled."""
    first_ids: tuple[int, int] = 0, 0
    """The ids that the first documents got."""
    changed: bool = False
    """Something that was stored before has changed: documents that were known may be so no longer."""
    origin: str = ""
    """The file of records that is being read."""

    def run(self, inputs: Iterable[InputDocument | Skipped | Chunk], processes: int) -> LoadSummary:
        start = time.monotonic()
        with self.target.batch() as batch:
            self.first_ids, was_empty = batch.next_ids, batch.is_empty_database
        prepared = prepare_chunks(
            chunked(inputs),
            self.preparer,
            processes,
            path=None if was_empty else self.target.path,  # where nothing is stored, nothing is looked for
            batch=lambda: None if was_empty else self.batch,
        )
        try:
            with limits.one_run(), self.target.bulk(), _Interrupts() as interrupts, closing(prepared):
                while self._fill_batch(prepared, interrupts):
                    pass
        except KeyboardInterrupt:
            self.summary.interrupted = True
        finally:
            self.summary.seconds += time.monotonic() - start
        return self.summary

    def _fill_batch(self, prepared: Iterator[tuple[Chunk, list[Outcome]]], interrupts: "_Interrupts") -> bool:
        """Fill and commit one batch. Return True if there is more."""
        counts = LoadSummary()
        more = False
        failure: Error | None = None
        deadline = time.monotonic() + BATCH_SECONDS
        with self.target.batch() as self.batch:
            try:
                for chunk, outcomes in prepared:
                    self._put_chunk(self.batch, chunk, outcomes, counts)
                    if is_full(self.batch) or time.monotonic() > deadline:
                        more = True
                        break
            except (WorkerError, Stopped) as error:
                failure = error  # nothing is wrong with what is in the batch
            interrupts.hold()
        self.summary.include(counts)
        interrupts.release()
        if failure is not None:
            raise failure
        return more

    def _put_chunk(self, batch: WriteBatch, chunk: Chunk, outcomes: Sequence[Outcome], counts: LoadSummary) -> None:
        batch.look_up([each.document.record.name for each in outcomes if isinstance(each, ReadyDocument)])
        items: list[InputDocument | Skipped] | None = None
        for outcome in outcomes:
            outdated = self._put(batch, outcome, counts)
            if outdated is not None:
                items = list(chunk.documents()) if items is None else items
                for again in self.preparer.prepare(items[outdated], batch):
                    self._put(batch, again, counts, is_final=True)
        if self.watcher is not None:
            self._notice_missing_labels(chunk, self.watcher)
            if chunk.input_bytes:
                self.watcher.done(chunk.input_bytes)

    def _notice_missing_labels(self, chunk: Chunk, watcher: Watcher) -> None:
        """Tell of each field for a label that the first records of a file lack; those that follow may have it."""
        if isinstance(chunk, RecordChunk) and chunk.origin != self.origin:
            self.origin = chunk.origin
            for fault in chunk.missing_labels():
                watcher.noticed(chunk.origin, fault)

    def _put(self, batch: WriteBatch, outcome: Outcome, counts: LoadSummary, *, is_final: bool = False) -> slice | None:
        """Put an outcome into the batch. Return the items to prepare again, if their names have other documents now."""
        if isinstance(outcome, ReadyDocument):
            return self._put_ready(batch, outcome, counts)
        if isinstance(outcome, Skipped):
            self._skip(outcome)
        elif self.preparer.options.if_absent:
            counts.present += outcome.end - outcome.start
        elif self.changed and not is_final:
            return slice(outcome.start, outcome.end)
        else:
            counts.unchanged += outcome.end - outcome.start
            counts.bytes += outcome.size
            counts.kept_boilerplate += outcome.boilerplate if self.preparer.options.boilerplate is None else 0
        return None

    def _put_ready(self, batch: WriteBatch, ready: ReadyDocument, counts: LoadSummary) -> slice | None:
        document, options = ready.document, self.preparer.options
        existing = batch.existing(document.record.name)
        if existing is not None and options.if_absent:
            counts.present += 1
            return None
        if existing is not None:
            if ready.is_outdated(existing):
                return slice(ready.item, ready.item + 1)
            if ready.is_record and existing.was_added_since(self.first_ids):
                self._notice_duplicate(ready, counts)
        try:
            status = batch.put(document, drop_text=options.keep_text is False)
        except BadLabel as error:  # too many, together with those that are stored
            self._skip(Skipped(ready.place, str(error)))
            return None
        self.changed |= status in ("replaced", "updated")
        counts.count(status, ready.size, document)
        counts.kept_boilerplate += document.boilerplate and options.boilerplate is None
        return None

    def _notice_duplicate(self, record: ReadyDocument, counts: LoadSummary) -> None:
        counts.duplicates += 1
        what = f"another record is named {document_name(record.document)!r}; the later one stays"
        if self.preparer.options.strict:
            raise Stopped(f"stopped at {record.place}: {what}")
        if self.watcher is not None:
            self.watcher.noticed(record.place, what)

    def _skip(self, skipped: Skipped) -> None:
        if self.preparer.options.strict:
            raise Stopped(f"stopped at {skipped.name}: {skipped.reason}")
        self.summary.skips += 1
        self.summary.skipped += [skipped][: LISTED - len(self.summary.skipped)]
        if self.watcher is not None:
            self.watcher.skipped(skipped)


class _Interrupts:
    """Keeps Ctrl-C away from a commit and its counting; a second one goes through."""

    def __init__(self) -> None:
        self._holding = False
        self._noted = False
        self._before: Any = None

    def __enter__(self) -> "_Interrupts":
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def hold(self) -> None:
        self._holding = True

    def release(self) -> None:
        self._holding = False
        if self._noted:
            raise KeyboardInterrupt

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if self._holding and not self._noted:
            self._noted = True
        else:
            raise KeyboardInterrupt
