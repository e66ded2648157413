"""Whole copies of a store: the compact one that takes its place, and backups. Each appears complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from math import lcm
from typing import Any

import numpy as np

from fpdb.arrays import U32
from fpdb.errors import Corrupt, DatabaseExists
from fpdb.storage import file_format
from fpdb.storage.catalogue import Catalogue
from fpdb.storage.commit import dead_of
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment
from fpdb.storage.file_format import Run, State
from fpdb.storage.maintenance import sampled
from fpdb.storage.runs import run_blocks
from fpdb.storage.runs.merge import merged
from fpdb.storage.runs.run_blocks import Postings, RunWriter
from fpdb.storage.snapshot import Cache, Snapshot, write_state
from fpdb.storage.texts import Texts

POSTINGS_A_TRANSACTION = 4 << 20
TEXTS_A_TRANSACTION = 64 << 20  # bytes, compressed
# So many that no group of records and no chunk of sizes is written by two transactions.
DOCUMENTS_A_TRANSACTION = 48 * lcm(file_format.RECORDS_PER_GROUP, file_format.SIZES_PER_CHUNK)


def temporary_of(path: str) -> str:
    """Where `rebuild` writes; one name, since its caller keeps every other process out."""
    return f"{path}.compact"


def rebuild(view: Snapshot, path: str, recipe: Mapping[str, Any]) -> str:
    """Writes all that is live in the view to a new file beside path, as one run of each sort; returns its name."""
    temporary = temporary_of(path)
    files.discard(temporary)
    try:
        files.new_file(temporary, file_format.pack_format(recipe), {file_format.STATE_KEY: State().pack()})
        fresh = Environment(temporary, readonly=False, timeout=0)
        try:
            _Rebuilding(view, fresh).run()
        finally:
            fresh.close()
        _verify(temporary)
    except BaseException:
        files.discard(temporary)
        raise
    return temporary


class _Rebuilding:
    """ForkedPool what is live, giving the documents new ids without gaps, in the same order."""

    def __init__(self, view: Snapshot, fresh: Environment) -> None:
        self.view = view
        self.fresh = fresh
        every = np.fromiter(view.catalogue.sized(), np.uint32)
        self.ids = {
            False: every[every < file_format.FIRST_BOILERPLATE],
            True: every[every >= file_format.FIRST_BOILERPLATE],
        }

    def run(self) -> None:
        listed: list[Run] = []
        for boilerplate in (False, True):
            run = self._run(self.view.runs(boilerplate=boilerplate), boilerplate=boilerplate)
            listed += [run] if run.postings else []
            self._documents(boilerplate=boilerplate)
        self._names()
        self._texts()
        with self.fresh.write() as (txn, _):
            state = State(
                next_run=3,
                next_document=len(self.ids[False]),
                next_boilerplate=file_format.FIRST_BOILERPLATE + len(self.ids[True]),
                documents=len(self.ids[False]),
                boilerplate_documents=len(self.ids[True]),
                texts=self.view.state.texts,
                text_bytes=self.view.state.text_bytes,
                runs=tuple(listed),
            )
            write_state(txn, state)

    def _run(self, group: list[Run], *, boilerplate: bool) -> Run:
        view, ids = self.view, self.ids[boilerplate]
        first = file_format.FIRST_BOILERPLATE if boilerplate else 0
        scans = [run_blocks.scan(view.txn, view.blocks, run) for run in group]
        pieces = merged(scans, dead_of(view, group), group[0].first_id if group else 0)
        writer = RunWriter(1 + boilerplate)
        while True:
            with self.fresh.write() as (txn, file):
                blocks = file.databases[file_format.BLOCKS]
                room = POSTINGS_A_TRANSACTION
                for piece in pieces:
                    documents = self._renumbered(piece.documents)
                    writer.append(txn, blocks, Postings(piece.hashes, documents, piece.numbers))
                    room -= len(piece)
                    if room <= 0:
                        break
                else:
                    return writer.finish(txn, blocks, first, first + max(len(ids) - 1, 0))

    def _documents(self, *, boilerplate: bool) -> None:
        """Records and sizes, in order of ids, so that pages are filled."""
        ids = self.ids[boilerplate]
        first = file_format.FIRST_BOILERPLATE if boilerplate else 0
        for start in range(0, len(ids), DOCUMENTS_A_TRANSACTION):
            some = ids[start : start + DOCUMENTS_A_TRANSACTION]
            with self.fresh.write() as (txn, file):
                catalogue = Catalogue(txn, file.databases)
                for document, old in enumerate(some.tolist(), first + start):
                    catalogue.set_record(document, self.view.catalogue.record(old))
                catalogue.set_sizes(first + start, self.view.catalogue.sizes(some))
                catalogue.write(level=9, append=True)

    def _names(self) -> None:
        """In order of names."""
        entries = self.view.catalogue.names()
        while some := list(islice(entries, DOCUMENTS_A_TRANSACTION)):
            ids = self._renumbered(np.array([document for _, document in some], np.uint32))
            with self.fresh.write() as (txn, file):
                Catalogue(txn, file.databases).append_names(
                    (name, document) for (name, _), document in zip(some, ids.tolist(), strict=True)
                )

    def _texts(self) -> None:
        """As they are stored, in order of ids."""
        kept = self.view.texts.documents()
        more = True
        while more:
            more = False
            with self.fresh.write() as (txn, file):
                texts = Texts(txn, file.databases[file_format.TEXTS])
                room = TEXTS_A_TRANSACTION
                for document in kept:
                    text = self.view.texts.kept(document, self.view.catalogue.record(document))
                    if text is None:
                        raise Corrupt(f"document {document} has a text that its record does not tell; run 'fpdb check'")
                    (new,) = self._renumbered(np.array([document], np.uint32)).tolist()
                    texts.put(new, text, append=True)
                    room -= len(text.packed)
                    if room <= 0:
                        more = True
                        break

    def _renumbered(self, documents: U32) -> U32:
        """New ids of documents of both sorts."""
        new = np.searchsorted(self.ids[False], documents).astype(np.uint32)
        boilerplate = documents >= file_format.FIRST_BOILERPLATE
        found = np.searchsorted(self.ids[True], documents[boilerplate])
        new[boilerplate] = file_format.FIRST_BOILERPLATE + found.astype(np.uint32)
        return new


def _verify(path: str) -> None:
    """Looks at a copy before it gets its name. Raises Corrupt."""
    env = Environment(path, readonly=True, timeout=0)
    try:
        with env.read() as (txn, file):
            found = next(sampled.problems(Snapshot(txn, file.databases, Cache())), None)
    finally:
        env.close()
    if found is not None:
        raise Corrupt(f"the copy is not sound, and was not kept: {found}; run 'fpdb check'")


def backup(env: Environment, path: str) -> None:
    """Raises DatabaseExists, StorageFailure; Corrupt where the copy is not sound."""
    if os.path.lexists(path):
        raise DatabaseExists(f"there is a file at {path!r} already; a backup does not overwrite")
    temporary = f"{path}.{os.getpid()}.backup"
    files.discard(temporary)
    try:
        env.copy(temporary)
        _verify(temporary)
        files.publish(temporary, path)
    except FileExistsError:
        raise DatabaseExists(f"there is a file at {path!r} already; a backup does not overwrite") from None
    finally:
        files.discard(temporary)
