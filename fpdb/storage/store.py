"""An open store: snapshots to read from, commits, and the merging that follows them.

A run is live once the state record lists it, and that record is the only commit point. Large merges work in
transactions of bounded size, and what they wrote is swept if they do not come to their end.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fpdb.errors import DatabaseExists, Locked, ReadOnly, StorageFailure
from fpdb.storage import commit, file_format
from fpdb.storage.commit import Change
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment, OpenFile
from fpdb.storage.file_format import Run, State
from fpdb.storage.maintenance import copies
from fpdb.storage.runs import merge_policy, run_blocks
from fpdb.storage.runs.merge import merged
from fpdb.storage.runs.run_blocks import Postings, RunWriter
from fpdb.storage.snapshot import Cache, Snapshot, read_state, write_state

POSTINGS_A_TRANSACTION = 4 << 20  # of a large merge
SWEPT_A_TRANSACTION = 1 << 15  # blocks


class Store:
    """An open store. One object serves many threads; a process opens a file once."""

    def __init__(self, path: str, *, readonly: bool = False, timeout: float = 10.0) -> None:
        """Opens an existing file. Raises NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, StorageFailure."""
        self.env = Environment(path, readonly=readonly, timeout=timeout)
        self.path = self.env.path
        self._cache = Cache()
        self._swept = False
        self._bulks = 0  # that are under way
        self._counting = threading.Lock()

    @staticmethod
    def create(path: str, recipe: Mapping[str, Any]) -> None:
        """Makes an empty store with this recipe, which the store keeps and never reads. Raises DatabaseExists."""
        try:
            files.create(path, file_format.pack_format(recipe), {file_format.STATE_KEY: State().pack()})
        except FileExistsError:
            raise DatabaseExists(f"there is a file at {path!r} already") from None

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe as it was given to `create`."""
        return self.env.recipe

    def close(self) -> None:
        """Closes the file; closing twice is harmless."""
        self.env.close()

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """The newest commit, to read from. Never waits for a writer."""
        with self.env.read() as (txn, file):
            yield Snapshot(txn, file.databases, self._cache_of(file))

    def _cache_of(self, file: OpenFile) -> Cache:
        cache = self._cache
        if cache.generation != file.generation:  # compacted: run numbers begin anew
            cache = Cache(file.generation)
            if file.generation > self._cache.generation:
                self._cache = cache
        return cache

    def commit(self, change: Change) -> None:
        """Makes a change, durable on return. Raises NoSuchDocument, Locked, ReadOnly, StorageFailure; then nothing
        has changed."""
        state = self.apply(change)
        if self._bulks and len(state.runs) < merge_policy.WIDEST:
            return
        if not self._swept or _due(state) is not None:
            self.tidy()

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Puts merging off to the end of the block, or until there are very many runs: of commits that follow each
        other, postings are then rewritten once instead of once a level. Queries have more runs to read meanwhile. After
        an error, whoever waits for it need not wait for merges: the next commit does them."""
        with self._counting:
            self._bulks += 1
        try:
            yield
        finally:
            with self._counting:
                self._bulks -= 1
        if not self._bulks:
            self.tidy()

    def apply(self, change: Change) -> State:
        """The same, and no run is merged afterwards; the state that it comes to."""
        with self.env.write() as (txn, file):
            return commit.apply(Snapshot(txn, file.databases, self._cache_of(file)), change)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Keeps writers out, so that the file stands still; a read-only store cannot, and does not."""
        if self.env.readonly:
            yield
        else:
            with self.env.merging.held(), self.env.writing.held():
                yield

    # ------------------------------------------------------------ merging

    def tidy(self) -> None:
        """Merges what policy names, and sweeps what an interrupted merge left; not while another process does.

        Nothing depends on it: where there is no room, or another writer is at work for long, a later commit does it.
        """
        try:
            with self.env.merging.held(timeout=0):
                if not self._swept:
                    files.discard(copies.temporary_of(self.path))
                    self.sweep()
                    self._swept = True
                while (group := self._due()) is not None:
                    self._merge(group)
                    self.sweep()
        except (Locked, StorageFailure):
            return

    def _due(self) -> list[Run] | None:
        with self.snapshot() as view:
            return _due(view.state)

    def _merge(self, group: list[Run]) -> None:
        """Merges live neighbours; other writers can commit in between, and their removals are counted at the end."""
        numbers = {run.number for run in group}
        with self.env.write() as (txn, _):
            state = read_state(txn)
            writer = RunWriter(state.next_run)
            write_state(txn, state._replace(next_run=state.next_run + 1))
        with self.snapshot() as view:
            group = [run for run in view.state.runs if run.number in numbers]
            if len(group) < len(numbers):
                return  # a commit has swallowed some of them meanwhile
            dead = commit.dead_of(view, group)
            pieces = merged([run_blocks.scan(view.txn, view.blocks, run) for run in group], dead, group[0].first_id)
            held: list[Postings] = []
            for piece in pieces:
                held.append(piece)
                if sum(map(len, held)) >= POSTINGS_A_TRANSACTION:
                    self._append(writer, held)
                    held = []
            self._append(writer, held)
        with self.env.write() as (txn, file):
            state = read_state(txn)
            if not numbers <= {run.number for run in state.runs}:
                return  # as above; what was written is not listed, and is swept
            died = sum(run.dead for run in state.runs if run.number in numbers) - sum(run.dead for run in group)
            listed = [run for run in state.runs if run.number not in numbers]
            run = writer.finish(txn, file.databases[file_format.BLOCKS], group[0].first_id, group[-1].last_id, died)
            if run.postings:
                listed.append(run)
            listed.sort(key=lambda run: run.first_id)
            write_state(txn, state._replace(runs=tuple(listed)))

    def _append(self, writer: RunWriter, pieces: list[Postings]) -> None:
        with self.env.write() as (txn, file):
            for piece in pieces:
                writer.append(txn, file.databases[file_format.BLOCKS], piece)

    def sweep(self) -> None:
        """Deletes the blocks of runs that the state does not list, in bounded transactions."""
        with self.env.read() as (txn, file):
            live = {run.number for run in read_state(txn).runs}
            unlisted = [
                number for number in run_blocks.written(txn, file.databases[file_format.BLOCKS]) if number not in live
            ]
        # A run that is written and listed by a commit meanwhile is not among them; one that is dropped can wait.
        for number in unlisted:
            deleted = SWEPT_A_TRANSACTION
            while deleted == SWEPT_A_TRANSACTION:
                with self.env.write() as (txn, file):
                    deleted = run_blocks.delete(txn, file.databases[file_format.BLOCKS], number, SWEPT_A_TRANSACTION)

    # ------------------------------------------------------------ the file as a whole

    def file_bytes(self) -> int:
        """The size of the file."""
        return os.stat(self.path).st_size

    def compact(self) -> None:
        """Rewrites the file as if it had been made afresh and gives the rest of its space back. Readers go on, writers
        wait. Killed at any moment, it leaves the file as it was, or compacted. Raises Locked, ReadOnly,
        StorageFailure."""
        if self.env.readonly:
            raise ReadOnly(f"{self.path!r} was opened for reading only")
        with self.quiet():
            with self.snapshot() as view:
                temporary = copies.rebuild(view, self.path, self.recipe)
            try:
                self.env.swap(temporary)
            finally:
                files.discard(temporary)

    def backup(self, path: str) -> None:
        """Writes a consistent copy to a new file while others read and write. Killed at any moment, it leaves the
        whole copy or nothing. Raises DatabaseExists, StorageFailure."""
        copies.backup(self.env, path)


def _due(state: State) -> list[Run] | None:
    """The runs to merge next."""
    for boilerplate in (False, True):
        listed = [run for run in state.runs if run.boilerplate is boilerplate]
        bounds = merge_policy.to_merge(listed)
        if bounds is not None:
            return listed[slice(*bounds)]
    return None
