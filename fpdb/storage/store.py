"""An open store: snapshots to read from, commits, and the merges that follow them.

A run is live once the state record lists it, and writing that record is the only commit point. Large merges work in
transactions of bounded size; blocks that an interrupted merge wrote are swept.
"""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import lmdb

from fpdb.errors import DatabaseExists, Locked, ReadOnly, StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment
from fpdb.storage.environment.open_file import OpenFile
from fpdb.storage.runs.blocks import Blocks, delete_blocks, stored_runs
from fpdb.storage.snapshot import Cache, Snapshot, read_state, write_state
from fpdb.storage.state import Run, State

if TYPE_CHECKING:
    from fpdb.storage.commit import Change

BLOCKS_PER_SWEEP = 1 << 15  # deleted in one transaction


class Store:
    """An open store. One object serves many threads; a process opens a file once."""

    def __init__(self, path: str, *, readonly: bool = False, timeout: float = 10.0, immutable: bool = False) -> None:
        """Open an existing file.

        Args:
            path: The file.
            readonly: Refuse every change.
            timeout: Seconds to wait for another writer.
            immutable: Take the caller's word that nobody writes to the file, and read it without a lock.

        Raises:
            NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, Locked, StorageFailure: The file cannot be opened.
        """
        self.env = Environment(path, readonly=readonly, timeout=timeout, immutable=immutable)
        self.path = self.env.path
        self._cache = Cache()
        self._swept = False
        self._open_bulks = 0
        self._counting = threading.Lock()

    @staticmethod
    def create(path: str, recipe: Mapping[str, Any]) -> None:
        """Make an empty store with this recipe, which the store keeps and never reads. Raises DatabaseExists."""
        try:
            files.create(path, file_format.pack_format(recipe), {file_format.STATE_KEY: State().pack()})
        except FileExistsError:
            raise DatabaseExists(f"there is a file at {path!r} already") from None

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe that was given to `create`."""
        return self.env.recipe

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        self.env.close()

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Give the newest commit to read from. Never waits for a writer."""
        with self.env.read() as (txn, file):
            keeps_places = file.unchanging is None
            yield Snapshot(txn, file.databases, self._cache_of(file), keeps_places=keeps_places)

    def _cache_of(self, file: OpenFile) -> Cache:
        cache = self._cache
        if cache.generation != file.generation:  # another file is at the path, with its own run numbers
            cache = Cache(file.generation)
            if file.generation > self._cache.generation:
                self._cache = cache
        return cache

    def commit(self, change: "Change") -> None:
        """Make a change, durable on return; after an error nothing has changed.

        Raises:
            NoSuchDocument: A document to be removed is not there.
            Locked, ReadOnly, StorageFailure: The file cannot be written.
        """
        state = self.apply(change)
        if self._open_bulks:
            from fpdb.storage.runs.merge_policy import WIDEST

            if len(state.runs) < WIDEST:
                return
        if not self._swept or _runs_to_merge(state) is not None:
            self.tidy()

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Put merging off to the end of the block, or until there are very many runs.

        Of commits that follow each other, postings are then rewritten once instead of once a level. Queries have more
        runs to read meanwhile. After an error no merge is waited for: the next commit does it.
        """
        with self._counting:
            self._open_bulks += 1
        try:
            yield
        finally:
            with self._counting:
                self._open_bulks -= 1
        if not self._open_bulks:
            self.tidy()

    def apply(self, change: "Change") -> State:
        """Make a change as `commit` does, without merging runs afterwards; return the new state."""
        from fpdb.storage import commit

        with self.env.write() as (txn, file):
            return commit.apply(Snapshot(txn, file.databases, self._cache_of(file)), change)

    @contextmanager
    def exclude_writers(self) -> Iterator[None]:
        """Keep writers out, so that the file stands still; a read-only store cannot, and does not."""
        if self.env.readonly:
            yield
        else:
            with self.env.merging.held(), self.env.writing.held():
                yield

    # ------------------------------------------------------------ merging

    def tidy(self) -> None:
        """Merge the runs that policy names, and sweep what an interrupted merge left.

        Does nothing while another process merges. Nothing depends on it: where there is no room, or another writer is
        at work for long, a later commit does it.
        """
        try:
            with self.env.merging.held(timeout=0):
                if not self._swept:
                    files.discard(self.path + files.COMPACT)
                    self.sweep()
                    self._swept = True
                while (group := self._runs_to_merge()) is not None:
                    self._merge(group)
                    self.sweep()
        except (Locked, StorageFailure):
            return

    def _runs_to_merge(self) -> list[Run] | None:
        with self.snapshot() as snapshot:
            return _runs_to_merge(snapshot.state)

    def _merge(self, group: list[Run]) -> None:
        """Merge live neighbours; other writers can commit in between, and their removals are counted at the end."""
        from fpdb.storage.commit import live_documents_of
        from fpdb.storage.runs.merge import merge_postings
        from fpdb.storage.runs.writer import write_run

        merged = {run.number for run in group}

        def replace_group(txn: lmdb.Transaction, run: Run) -> None:
            state = read_state(txn)
            before = {old.number: old.dead for old in group}
            dead = [old.dead - before[old.number] for old in state.runs if old.number in merged]
            if len(dead) < len(group):
                return  # a commit has swallowed some of them; the new run is not listed, and is swept
            runs = [old for old in state.runs if old.number not in merged]
            if run.postings:
                runs.append(run._replace(dead=sum(dead)))
            runs.sort(key=lambda run: run.first_id)
            write_state(txn, state._replace(runs=tuple(runs)))

        number = self.reserve_run()
        with self.snapshot() as snapshot:
            group = [run for run in snapshot.state.runs if run.number in merged]
            if len(group) < len(merged):
                return  # as above
            live = live_documents_of(snapshot, group)
            pieces = merge_postings(list(map(snapshot.scan, group)), live)
            write_run(self.env, number, pieces, (group[0].first_id, group[-1].last_id), replace_group)

    def reserve_run(self) -> int:
        """Return a number for a new run, which no other run is given."""
        with self.env.write() as (txn, _):
            state = read_state(txn)
            write_state(txn, state.begin_run())
        return state.next_run

    def sweep(self) -> None:
        """Delete the blocks of runs that the state does not list, in bounded transactions."""
        with self.env.read() as (txn, file):
            live = {run.number for run in read_state(txn).runs}
            unlisted = [run for run in stored_runs(Blocks(txn, file.databases[file_format.BLOCKS])) if run not in live]
        # A run that a commit writes and lists meanwhile is not among them; a run that it drops can wait.
        for number in unlisted:
            deleted = BLOCKS_PER_SWEEP
            while deleted == BLOCKS_PER_SWEEP:
                with self.env.write() as (txn, file):
                    blocks = Blocks(txn, file.databases[file_format.BLOCKS])
                    deleted = delete_blocks(blocks, number, BLOCKS_PER_SWEEP)

    # ------------------------------------------------------------ the file as a whole

    def file_bytes(self) -> int:
        """Return the size of the file."""
        return os.stat(self.path).st_size

    def compact(self) -> None:
        """Rewrite the file as if it had been made afresh, which gives unused space back.

        Readers go on, writers wait. Killed at any moment, it leaves the file as it was, or compacted.

        Raises:
            Locked, ReadOnly, StorageFailure: The file cannot be rewritten.
        """
        from fpdb.storage.maintenance import copies

        if self.env.readonly:
            raise ReadOnly(f"{self.path!r} was opened for reading only")
        with self.exclude_writers():
            with self.snapshot() as snapshot:
                temporary = copies.rebuild(snapshot, self.path, self.recipe)
            try:
                self.env.swap(temporary)
            finally:
                files.discard(temporary)

    def backup(self, path: str) -> bytes:
        """Write a consistent copy to a new file while others read and write; return the id of the file.

        Killed at any moment, it leaves the whole copy or nothing.

        Raises:
            DatabaseExists: There is a file at the path.
            StorageFailure: The copy cannot be written.
        """
        from fpdb.storage.maintenance import copies

        return copies.backup(self.env, path)


def _runs_to_merge(state: State) -> list[Run] | None:
    from fpdb.storage.runs import merge_policy

    for boilerplate in (False, True):
        runs = state.runs_of(boilerplate=boilerplate)
        bounds = merge_policy.to_merge(runs)
        if bounds is not None:
            return runs[slice(*bounds)]
    return None
