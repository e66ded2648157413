"""Whole copies of a store: the compact one that takes its place, and backups. Each appears complete or not at all."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from math import lcm
from typing import Any

import numpy as np

from fpdb.arrays import U32
from fpdb.errors import Corrupt, DatabaseExists
from fpdb.storage import file_format
from fpdb.storage.catalogue import Catalogue
from fpdb.storage.commit import live_documents_of
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment
from fpdb.storage.environment.failures import translated
from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.id_set import ABSENT, IdSet
from fpdb.storage.maintenance.verifier import verify
from fpdb.storage.runs.merge import merge_postings
from fpdb.storage.runs.postings import Postings
from fpdb.storage.runs.writer import write_run
from fpdb.storage.snapshot import Cache, Snapshot, write_state
from fpdb.storage.state import NO_SEALS, Run, State
from fpdb.storage.texts import Texts

TEXT_BYTES_PER_TRANSACTION = 64 << 20  # compressed
# So many that no group of records and no chunk of sizes is written by two transactions.
DOCUMENTS_PER_TRANSACTION = 48 * lcm(file_format.RECORDS_PER_GROUP, file_format.SIZES_PER_CHUNK)


@contextmanager
def new_store(path: str, recipe: Mapping[str, Any]) -> Iterator[Environment]:
    """Make an empty file, open inside the block; what was at the path goes."""
    files.discard(path)
    files.new_file(path, file_format.pack_format(recipe), {file_format.STATE_KEY: State().pack()})
    env = Environment(path, readonly=False, timeout=0)
    try:
        yield env
    finally:
        env.close()


def rebuild(snapshot: Snapshot, path: str, recipe: Mapping[str, Any]) -> str:
    """Write all that is live in the snapshot to a new file beside path, as one run of each sort; return its name."""
    temporary = path + files.COMPACT
    try:
        with new_store(temporary, recipe) as target:
            _Rebuild(snapshot, target).run()
        _verify(temporary)
    except BaseException:
        files.discard(temporary)
        raise
    return temporary


class _Rebuild:
    """Copies what is live, giving the documents new ids without gaps, in the same order."""

    def __init__(self, snapshot: Snapshot, target: Environment) -> None:
        self.snapshot = snapshot
        self.target = target
        self.seals = NO_SEALS
        ids = snapshot.catalogue.live_ids()
        self.ordinary, self.boilerplate = ids[ids < FIRST_BOILERPLATE], ids[ids >= FIRST_BOILERPLATE]
        self.rows = IdSet(self.ordinary), IdSet(self.boilerplate)

    def run(self) -> None:
        runs = []
        for boilerplate in (False, True):
            runs.append(self._write_run(boilerplate=boilerplate))
            self._write_documents(boilerplate=boilerplate)
        self._write_names()
        self._write_texts()
        with self.target.write() as (txn, _):
            state = State(
                next_run=3,
                next_document=len(self.ordinary),
                next_boilerplate=FIRST_BOILERPLATE + len(self.boilerplate),
                documents=len(self.ordinary),
                boilerplate_documents=len(self.boilerplate),
                texts=self.snapshot.state.texts,
                text_bytes=self.snapshot.state.text_bytes,
                runs=tuple(run for run in runs if run.postings),
                seals=self.seals,
            )
            write_state(txn, state)

    def _write_run(self, *, boilerplate: bool) -> Run:
        snapshot = self.snapshot
        runs = snapshot.runs(boilerplate=boilerplate)
        merged = merge_postings(list(map(snapshot.scan, runs)), live_documents_of(snapshot, runs))
        pieces = (
            Postings(piece.hashes, self._new_ids(piece.document_ids), piece.encoded_positions) for piece in merged
        )
        ids, first = (self.boilerplate, FIRST_BOILERPLATE) if boilerplate else (self.ordinary, 0)
        return write_run(self.target, 1 + boilerplate, pieces, (first, first + max(len(ids) - 1, 0)))

    def _write_documents(self, *, boilerplate: bool) -> None:
        """Write records and sizes, in order of ids, so that pages are filled."""
        ids, first = (self.boilerplate, FIRST_BOILERPLATE) if boilerplate else (self.ordinary, 0)
        for start in range(0, len(ids), DOCUMENTS_PER_TRANSACTION):
            some = ids[start : start + DOCUMENTS_PER_TRANSACTION]
            with self.target.write() as (txn, file):
                catalogue = Catalogue(txn, file.databases, self.seals)
                for new_id, old_id in enumerate(some.tolist(), first + start):
                    catalogue.set_record(new_id, self.snapshot.catalogue.record(old_id))
                catalogue.size_table.set(first + start, self.snapshot.catalogue.sizes(some))
                self.seals = catalogue.write(level=9)

    def _write_names(self) -> None:
        """Write names in their order, so that pages are filled."""
        entries = self.snapshot.catalogue.names()
        while some := list(islice(entries, DOCUMENTS_PER_TRANSACTION)):
            keys, old_ids = zip(*some, strict=True)
            new_ids = self._new_ids(np.array(old_ids, np.uint32))
            with self.target.write() as (txn, file):
                Catalogue(txn, file.databases, self.seals).set_names(keys, new_ids)

    def _write_texts(self) -> None:
        """Write texts as they are stored, in order of ids."""
        old_ids = self.snapshot.texts.documents()
        more = True
        while more:
            more = False
            with self.target.write() as (txn, file):
                texts = Texts(txn, file.databases[file_format.TEXTS])
                room = TEXT_BYTES_PER_TRANSACTION
                for old_id in old_ids:
                    text = self.snapshot.texts.kept(old_id, self.snapshot.catalogue.record(old_id))
                    if text is None:
                        raise Corrupt(f"document {old_id} has a text that its record does not tell; run 'fpdb check'")
                    (new_id,) = self._new_ids(np.array([old_id], np.uint32)).tolist()
                    texts.put([(new_id, text)])
                    room -= len(text.packed)
                    if room <= 0:
                        more = True
                        break

    def _new_ids(self, old_ids: U32) -> U32:
        """Return the new ids of documents, boilerplate or not. Raises Corrupt."""
        rows, boilerplate_rows = (ids.rows(old_ids) for ids in self.rows)
        boilerplate = boilerplate_rows != ABSENT
        if ((rows == ABSENT) & ~boilerplate).any():
            raise Corrupt("there are postings, or a name, of a document that has no size; run 'fpdb check'")
        rows[boilerplate] = boilerplate_rows[boilerplate] + np.uint32(FIRST_BOILERPLATE)
        return rows


def _verify(path: str) -> None:
    """Look at a copy before it gets its name. Raises Corrupt."""
    env = Environment(path, readonly=True, timeout=0)
    try:
        with env.read() as (txn, file):
            problem = next(verify(Snapshot(txn, file.databases, Cache()), quick=True), None)
    finally:
        env.close()
    if problem is not None:
        raise Corrupt(f"the copy is not sound, and was not kept: {problem}; run 'fpdb check'")


def write_copy(env: Environment, path: str) -> bytes:
    """Write the newest commit to a new file, with an id of its own; return that. Raises StorageFailure, OSError."""
    out = files.open_new(path)
    try:
        env.copy(out)
    finally:
        os.close(out)
    return files.give_new_id(path)


def backup(env: Environment, path: str) -> bytes:
    """Write the newest commit to a new file; return the id of the file.

    Raises:
        DatabaseExists: There is a file at the path.
        StorageFailure: The copy cannot be written.
        Corrupt: The copy is not sound.
    """
    if os.path.lexists(path):
        raise DatabaseExists(f"there is a file at {path!r} already; a backup does not overwrite")
    temporary = files.temporary_name(path, "backup")
    try:
        with translated(path):
            file_id = write_copy(env, temporary)
        _verify(temporary)
        files.publish(temporary, path)
        return file_id
    except FileExistsError:
        raise DatabaseExists(f"there is a file at {path!r} already; a backup does not overwrite") from None
    finally:
        files.discard(temporary)
