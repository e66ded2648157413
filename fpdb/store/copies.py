"""Whole copies of a store: the compact one that takes its place, and backups. Each appears complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from fpdb.errors import DatabaseExists
from fpdb.store import environment, layout, runs
from fpdb.store.commits import dead_of
from fpdb.store.environment import Environment
from fpdb.store.layout import Run, State
from fpdb.store.merging import merged
from fpdb.store.runs import RunWriter
from fpdb.store.snapshot import Snapshot, write_state

POSTINGS_A_TRANSACTION = 4 << 20


def temporary_of(path: str) -> str:
    """Where `rebuild` writes; one name, since its caller keeps every other process out."""
    return f"{path}.compact"


def rebuild(view: Snapshot, path: str, recipe: Mapping[str, Any]) -> str:
    """Writes all that is live in the view to a new file beside path, as one run of each sort; returns its name."""
    temporary = temporary_of(path)
    environment.discard(temporary)
    try:
        environment.new_file(temporary, layout.pack_format(recipe), {layout.STATE_KEY: State().pack()})
        fresh = Environment(temporary, readonly=False, timeout=0)
        try:
            listed: list[Run] = []
            for boilerplate in (False, True):
                group = view.runs(boilerplate=boilerplate)
                if group:
                    run = _rewrite(view, group, fresh, RunWriter(1 + boilerplate))
                    listed += [run] if run.postings else []
            with fresh.write() as (txn, file):
                for name in (layout.DOCUMENTS, layout.NAMES, layout.SIZES):
                    txn.cursor(file.databases[name]).putmulti(view.txn.cursor(view.databases[name]))
                write_state(txn, view.state._replace(next_run=3, runs=tuple(listed)))
        finally:
            fresh.close()
    except BaseException:
        environment.discard(temporary)
        raise
    return temporary


def _rewrite(view: Snapshot, group: list[Run], fresh: Environment, writer: RunWriter) -> Run:
    first_id, last_id = group[0].first_id, group[-1].last_id
    pieces = merged([runs.scan(view.txn, view.blocks, run) for run in group], dead_of(view, group), first_id)
    while True:
        with fresh.write() as (txn, file):
            blocks = file.databases[layout.BLOCKS]
            room = POSTINGS_A_TRANSACTION
            for piece in pieces:
                writer.append(txn, blocks, piece)
                room -= len(piece)
                if room <= 0:
                    break
            else:
                return writer.finish(txn, blocks, first_id, last_id)


def backup(env: Environment, path: str) -> None:
    """Raises DatabaseExists, StorageFailure."""
    if os.path.lexists(path):
        raise DatabaseExists(f"there is a file at {path!r} already; a backup does not overwrite")
    temporary = f"{path}.{os.getpid()}.backup"
    environment.discard(temporary)
    try:
        env.copy(temporary)
        environment.publish(temporary, path)
    except FileExistsError:
        raise DatabaseExists(f"there is a file at {path!r} already; a backup does not overwrite") from None
    finally:
        environment.discard(temporary)
