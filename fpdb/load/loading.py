"""Commits fingerprinted documents in batches and counts what became of each.

A batch is one commit; a Ctrl-C or an error loses the batch that is being filled and nothing before it, and
the report says exactly what is in the database. Knows nothing of how documents are found or fingerprinted.
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

from fpdb.addresses import without_credentials
from fpdb.batch import check_packages, purpose_of
from fpdb.errors import BadName, NoSuchDocument
from fpdb.fingerprint import AUTO, Frequencies
from fpdb.load.sources import Skipped, Source
from fpdb.load.workers import Job, Outcome, WorkerError, fingerprinted

if TYPE_CHECKING:
    from fpdb.batch import Batch, Rarity
    from fpdb.database import Database

BATCH_POSTINGS = 2_000_000
BATCH_TEXT_BYTES = 64 << 20
"""Of texts to be kept, compressed."""
BATCH_SECONDS = 10.0


class Watcher(Protocol):
    """Is told how a load gets on, while it does."""

    def done(self, size: int) -> None:
        """One more document was handled, of so many bytes."""

    def skipped(self, skipped: Skipped) -> None:
        """A document was passed over."""


@dataclass
class Report:
    """What a load did; only what was committed is counted as added, replaced or updated."""

    added: int = 0
    replaced: int = 0
    updated: int = 0
    """Same content; other labels, source or contact, or its text is kept now."""
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    too_short: list[str] = field(default_factory=list)
    """Names of documents with fewer than k symbols: in the database, with no fingerprint."""
    bytes: int = 0
    """Of content, in the documents counted."""
    postings: int = 0
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def documents(self) -> int:
        """Documents that are in the database, whether they were there before or not."""
        return self.added + self.replaced + self.updated + self.unchanged

    def count(self, status: str, outcome: Outcome) -> None:
        """Counts one document. status: what the database says it did."""
        setattr(self, status, getattr(self, status) + 1)
        self.bytes += outcome.size
        found = outcome.fingerprints
        if found is None or status == "unchanged":
            return
        if found.kgrams == 0:
            self.too_short.append(outcome.source.name)
        if status != "updated":
            self.postings += len(found.hashes)

    def take(self, committed: "Report") -> None:
        """Adds the counts of a batch that was committed."""
        for status in ("added", "replaced", "updated", "unchanged", "bytes", "postings"):
            setattr(self, status, getattr(self, status) + getattr(committed, status))
        self.too_short += committed.too_short


def load(
    db: "Database",
    sources: Iterable[Source | Skipped],
    *,
    boilerplate: bool = False,
    labels: Mapping[str, str] | None = None,
    contact: str | None = None,
    rarity: "Rarity" = "document",
    keep_text: bool = False,
    jobs: int | None = None,
    watcher: Watcher | None = None,
    report: Report | None = None,
) -> Report:
    """Adds every source to the database; one that cannot be read or fingerprinted is skipped with the reason.

    labels, contact: for all, unless a source has its own. rarity, keep_text: as `Batch.add` takes them.
    jobs: processes that fingerprint, this one among them (default: one a processor); where it is more than 1,
    a script that calls this needs the usual `if __name__ == "__main__":`.
    report: where to count, for a caller who wants the counts even when an error ends the load.
    Ctrl-C ends the load early and sets `interrupted`. Error: the load could not go on. MissingPackage: texts cannot be
    kept. MissingKey: nothing can be fingerprinted.
    """
    db.recipe.check_key()
    if keep_text:
        check_packages()
    frequencies = db.frequencies if rarity == "corpus" else None
    loading = _Loading(db, boilerplate, labels or {}, contact, frequencies, keep_text, watcher, report or Report())
    return loading.run(sources, jobs)


def is_full(batch: "Batch") -> bool:
    """Whether a batch holds as much as is to be held in memory."""
    return batch.postings >= BATCH_POSTINGS or batch.text_bytes >= BATCH_TEXT_BYTES


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class _Loading:
    db: "Database"
    boilerplate: bool
    labels: Mapping[str, str]
    contact: str | None
    frequencies: Frequencies | None
    keep_text: bool
    watcher: Watcher | None
    report: Report
    empty: bool = False
    """Nothing is stored yet, so that there is nothing to compare with."""
    met: set[int] = field(default_factory=set)
    """Hashes of the names so far: what is stored says nothing about the second document of a name, since the
    first may still be on its way."""

    def run(self, sources: Iterable[Source | Skipped], jobs: int | None) -> Report:
        begun = time.monotonic()
        info = self.db.info()
        self.empty = not (info["documents"] or info["boilerplate_documents"])
        work = fingerprinted(self._jobs(sources), self.db.recipe, jobs or processors(), self.frequencies)
        try:
            with _Interrupts() as interrupts, closing(work):
                while self._one_batch(work, interrupts):
                    pass
        except KeyboardInterrupt:
            self.report.interrupted = True
        finally:
            self.report.seconds += time.monotonic() - begun
        return self.report

    def _jobs(self, sources: Iterable[Source | Skipped]) -> Iterator[Job]:
        for source in sources:
            if isinstance(source, Skipped):
                self._skip(source)
                continue
            if self.labels or self.contact:
                labels = {**self.labels, **(source.labels or {})}
                source = source._replace(labels=labels, contact=source.contact or self.contact)
            try:
                yield Job(source, self._known(source), purpose_of(self.boilerplate), self.keep_text)
            except BadName as error:
                self._skip(Skipped(source.name, str(error), source.asked))

    def _known(self, source: Source) -> bytes | None:
        """The digest with which nothing would change: all but the content is as stored."""
        if self.empty or hash(source.name) in self.met:
            return None
        self.met.add(hash(source.name))
        try:
            document = self.db.document(source.name)
        except NoSuchDocument:
            return None
        if self.keep_text and document.text_bytes is None:
            return None
        stored = (
            document.kind,
            document.boilerplate,
            document.source,
            document.contact,
            dict(document.labels),
        )
        kind = document.kind if source.kind == AUTO else source.kind  # the same content is of the same kind
        where = None if source.source is None else without_credentials(source.source)
        given = (kind, self.boilerplate, where, source.contact, dict(source.labels or {}))
        return document.digest if stored == given else None

    def _one_batch(self, work: Iterator[Outcome], interrupts: "_Interrupts") -> bool:
        """Fills and commits one batch. Whether there is more."""
        counted = Report()
        more = False
        failure: WorkerError | None = None
        until = time.monotonic() + BATCH_SECONDS
        with self.db.batch() as batch:
            try:
                for outcome in work:
                    self._put(batch, outcome, counted)
                    if is_full(batch) or time.monotonic() > until:
                        more = True
                        break
            except WorkerError as error:
                failure = error  # nothing is wrong with what is in the batch
            interrupts.hold()
        self.report.take(counted)
        interrupts.release()
        if failure is not None:
            raise failure
        return more

    def _put(self, batch: "Batch", outcome: Outcome, counted: Report) -> None:
        source = outcome.source
        if self.watcher is not None:
            self.watcher.done(source.size)
        if outcome.failure is not None:
            self._skip(Skipped(source.name, outcome.failure, source.asked))
        elif outcome.fingerprints is None:
            counted.count("unchanged", outcome)
        else:
            try:
                status = batch.add_fingerprinted(
                    source.name,
                    outcome.fingerprints,
                    digest=outcome.digest,
                    boilerplate=self.boilerplate,
                    source=source.source,
                    contact=source.contact,
                    labels=source.labels,
                    text=outcome.text,
                )
            except BadName as error:
                self._skip(Skipped(source.name, str(error), source.asked))
            else:
                counted.count(status, outcome)

    def _skip(self, skipped: Skipped) -> None:
        self.report.skipped.append(skipped)
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
