"""Commits fingerprinted documents in batches and counts what became of each.

A batch is one commit; a Ctrl-C or an error loses the batch that is being filled and nothing before it, and
the summary says exactly what is in the database. Knows nothing of how documents are found or fingerprinted.
"""

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from fpdb.errors import Error
from fpdb.ingest.batch import check_packages
from fpdb.ingest.files import Chunk, InputDocument, Skipped
from fpdb.ingest.prepare import Outcome, Task, Worker, chunked, fingerprinted
from fpdb.ingest.process_pool import WorkerError

if TYPE_CHECKING:
    from fpdb.database import Database
    from fpdb.ingest.batch import PreparedDocument, Rarity, WriteBatch

BATCH_POSTINGS = 2_000_000
BATCH_TEXT_BYTES = 64 << 20
"""Of texts to be kept, compressed."""
BATCH_SECONDS = 10.0
NAMED = 10_000
"""Documents that a summary names of those with which something is wrong: it is not to grow with the input."""


class Watcher(Protocol):
    """Is told how a load gets on, while it does."""

    def done(self, size: int) -> None:
        """So many more bytes of input were handled."""

    def skipped(self, skipped: Skipped) -> None:
        """A document was passed over."""

    def noticed(self, place: str, what: str) -> None:
        """Something about a document that was not passed over."""


class Stopped(Error):
    """A strict load came upon what it would have skipped else; what came before is in the database."""


@dataclass
class LoadSummary:
    """What a load did; only what was committed is counted as added, replaced or updated."""

    added: int = 0
    replaced: int = 0
    updated: int = 0
    """Same content; other labels, source or contact, or its text is kept now."""
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    """The first NAMED of them."""
    skips: int = 0
    """How many were skipped."""
    duplicates: int = 0
    """Records whose name came before in the same load, and which took the place of those."""
    too_short: list[str] = field(default_factory=list)
    """Names of documents with fewer than k symbols: in the database, with no fingerprint; the first NAMED of them."""
    shorts: int = 0
    """How many these are."""
    bytes: int = 0
    """Of content, in the documents counted."""
    postings: int = 0
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def documents(self) -> int:
        """Documents that are in the database, whether they were there before or not."""
        return self.added + self.replaced + self.updated + self.unchanged

    def count(self, status: str, size: int, added: "PreparedDocument") -> None:
        """Counts one document of so many bytes. status: what the database says it did."""
        setattr(self, status, getattr(self, status) + 1)
        self.bytes += size
        if status == "unchanged":
            return
        if added.record.kgrams == 0:
            self.shorts += 1
            self.too_short += [_name_in(added)][: NAMED - len(self.too_short)]
        if status != "updated":
            self.postings += len(added.hashes)

    def take(self, committed: "LoadSummary") -> None:
        """Adds the counts of a batch that was committed."""
        for count in ("added", "replaced", "updated", "unchanged", "bytes", "postings", "duplicates", "shorts"):
            setattr(self, count, getattr(self, count) + getattr(committed, count))
        self.too_short += committed.too_short[: NAMED - len(self.too_short)]


def load(
    db: "Database",
    sources: Iterable[InputDocument | Skipped | Chunk],
    *,
    boilerplate: bool = False,
    labels: Mapping[str, str] | None = None,
    contact: str | None = None,
    rarity: "Rarity" = "document",
    keep_text: bool = False,
    jobs: int | None = None,
    strict: bool = False,
    watcher: Watcher | None = None,
    summary: LoadSummary | None = None,
) -> LoadSummary:
    """Adds every source to the database; one that cannot be read or fingerprinted is skipped with the reason.

    The same again changes nothing, and fingerprints nothing: a load that was interrupted goes on from there.

    labels, contact: for all, unless a source has its own. rarity, keep_text: as `WriteBatch.add` takes them.
    jobs: processes that fingerprint, this one among them (default: one a processor); where it is more than 1,
    a script that calls this needs the usual `if __name__ == "__main__":`.
    strict: stop at what would be skipped, or at a record whose name came before; Stopped, then.
    summary: where to count, for a caller who wants the counts even when an error ends the load.
    Ctrl-C ends the load early and sets `interrupted`. Error: the load could not go on. MissingPackage: texts cannot be
    kept. MissingKey: nothing can be fingerprinted.
    """
    db.recipe.check_key()
    if keep_text:
        check_packages()
    frequencies = db.frequencies if rarity == "corpus" else None
    info = db.info()
    empty = not (info["documents"] or info["boilerplate_documents"])  # then there is nothing to look for
    task = Task(boilerplate, labels or {}, contact, keep_text, None if empty else os.path.realpath(db.path))
    worker = Worker(db.recipe, task, None if empty else db, frequencies)
    return _Loading(db, worker, strict, watcher, summary or LoadSummary()).run(sources, jobs or processors())


def is_full(batch: "WriteBatch") -> bool:
    """Whether a batch holds as much as is to be held in memory."""
    return batch.postings >= BATCH_POSTINGS or batch.text_bytes >= BATCH_TEXT_BYTES


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class _Loading:
    db: "Database"
    worker: Worker
    strict: bool
    watcher: Watcher | None
    summary: LoadSummary
    since: tuple[int, int] | None = None
    """The ids that the first documents got."""
    changed: bool = False
    """Something that was stored before has changed: what workers saw of it may be out of date."""

    def run(self, sources: Iterable[InputDocument | Skipped | Chunk], processes: int) -> LoadSummary:
        begun = time.monotonic()
        work = fingerprinted(chunked(sources), self.worker, processes)
        try:
            with self.db.bulk(), _Interrupts() as interrupts, closing(work):
                while self._one_batch(work, interrupts):
                    pass
        except KeyboardInterrupt:
            self.summary.interrupted = True
        finally:
            self.summary.seconds += time.monotonic() - begun
        return self.summary

    def _one_batch(self, work: Iterator[Outcome], interrupts: "_Interrupts") -> bool:
        """Fills and commits one batch. Whether there is more."""
        counted = LoadSummary()
        more = False
        failure: Error | None = None
        until = time.monotonic() + BATCH_SECONDS
        with self.db.batch() as batch:
            self.since = self.since or batch.next_ids
            try:
                for outcome in work:
                    self._put(batch, outcome, counted)
                    if is_full(batch) or time.monotonic() > until:
                        more = True
                        break
            except (WorkerError, Stopped) as error:
                failure = error  # nothing is wrong with what is in the batch
            interrupts.hold()
        self.summary.take(counted)
        interrupts.release()
        if failure is not None:
            raise failure
        return more

    def _put(self, batch: "WriteBatch", outcome: Outcome, counted: LoadSummary) -> None:
        if self.watcher is not None and outcome.passed:
            self.watcher.done(outcome.passed)
        for one in outcome.again(batch) if outcome.again is not None and self.changed else (outcome,):
            self._put_one(batch, one, counted)

    def _put_one(self, batch: "WriteBatch", outcome: Outcome, counted: LoadSummary) -> None:
        if outcome.again is not None:
            counted.unchanged += outcome.known
            counted.bytes += outcome.size
        elif outcome.addition is None:
            self._skip(Skipped(outcome.place, outcome.failure or "", outcome.requested))
        else:
            if outcome.is_record and self.since and batch.holds_since(outcome.addition.record.name, self.since):
                self._meet_duplicate(outcome.place, outcome.addition, counted)
            status = batch.put(outcome.addition)
            self.changed |= status in ("replaced", "updated")
            counted.count(status, outcome.size, outcome.addition)

    def _meet_duplicate(self, place: str, addition: "PreparedDocument", counted: LoadSummary) -> None:
        counted.duplicates += 1
        what = f"another record is named {_name_in(addition)!r}; the later one stays"
        if self.strict:
            raise Stopped(f"stopped at {place}: {what}")
        if self.watcher is not None:
            self.watcher.noticed(place, what)

    def _skip(self, skipped: Skipped) -> None:
        if self.strict:
            raise Stopped(f"stopped at {skipped.name}: {skipped.reason}")
        self.summary.skips += 1
        self.summary.skipped += [skipped][: NAMED - len(self.summary.skipped)]
        if self.watcher is not None:
            self.watcher.skipped(skipped)


def _name_in(addition: "PreparedDocument") -> str:
    return addition.record.name.decode("utf-8", "surrogateescape")


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
