"""A new file of all that is sound in a damaged one, and a list of what was lost. The damaged file is only read.

Blocks give postings, records give documents; names and sizes are made anew from these.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from fpdb.arrays import I64, U32, U64, Bools, contains, sorted_distinct
from fpdb.errors import DatabaseExists, MissingPackage
from fpdb.storage import file_format
from fpdb.storage.catalogue import Catalogue
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment
from fpdb.storage.environment.failures import translated
from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.id_set import IdSet
from fpdb.storage.maintenance.check import problems
from fpdb.storage.maintenance.copies import DOCUMENTS_PER_TRANSACTION, new_store
from fpdb.storage.maintenance.salvage import SalvageReader
from fpdb.storage.maintenance.salvaged_run import SalvagedRun, find_runs
from fpdb.storage.records import Record
from fpdb.storage.runs.merge import merge_postings
from fpdb.storage.runs.postings import NO_POSTINGS, Postings, concat_postings, is_ascending, mark_pairs
from fpdb.storage.runs.writer import write_run
from fpdb.storage.snapshot import write_state
from fpdb.storage.state import NO_SEALS, Run, State
from fpdb.storage.store import Store
from fpdb.storage.texts import KeptText, Texts, unpack


class Loss(NamedTuple):
    """Something that could not be saved.

    what: "changes": of the last commits, so that what these added may be missing unnamed, and what they removed may be
    there again; "document": all of it; "fingerprints", "positions": some of them, kept of so many; "text": its kept
    text; "share": of how much its fingerprints are a sample. name: the document's, of a very long one perhaps its
    beginning and "..."; None where all that is known is that there was one.
    """

    what: str
    name: str | None
    kept: int | None = None
    of: int | None = None

    def to_dict(self) -> dict[str, str | int | None]:
        """Return the values by name."""
        return self._asdict()


class Repaired(NamedTuple):
    """Counts of the new file."""

    documents: int
    boilerplate_documents: int
    postings: int
    texts: int


def repair(path: str, target: str, sampled: Callable[[Mapping[str, Any]], bool]) -> Iterator[Loss | Repaired]:
    """Write what is sound in a file to a new one; yield the losses, and what there is in the end.

    Nobody may write to the damaged file meanwhile.

    Args:
        path: The damaged file.
        target: The new file.
        sampled: Returns True if fingerprints made by a recipe are samples, whose share cannot be told from them.

    Raises:
        DatabaseExists: There is a file at the target.
        NotADatabase, NewerFormat, StorageFailure: The file cannot be read.
        Corrupt: Nothing can be saved.
    """
    if os.path.lexists(target):
        raise DatabaseExists(f"there is a file at {target!r} already; a repair does not overwrite")
    temporary = files.temporary_name(os.path.realpath(target), "repair")
    with translated(path):
        salvage = SalvageReader(path)
    try:
        recipe = salvage.recipe or {}
        with new_store(temporary, recipe) as env:
            yield from _Repair(salvage, env, sampled(recipe)).run()
        _verify(temporary)
        files.publish(temporary, target)
    except FileExistsError:
        raise DatabaseExists(f"there is a file at {target!r} already; a repair does not overwrite") from None
    finally:
        salvage.close()
        files.discard(temporary)


def _verify(path: str) -> None:
    store = Store(path, readonly=True)
    try:
        found = problems(store)
    finally:
        store.close()
    if found:  # a mistake of ours: better no file than one that is not what it says
        raise AssertionError(f"the repaired file is not sound: {found[0]}")


@dataclass(frozen=True)
class _SavedDocuments:
    """The documents that are saved, boilerplate or not, and counts of each; arrays of shape (documents,).

    first_id: the first of their new ids. old_ids: ascending. told: the postings there were. unplaced: postings whose
    position is lost.
    """

    first_id: int
    old_ids: U32
    told: I64
    postings: I64
    hashes: I64
    boilerplate: I64
    unplaced: I64

    @classmethod
    def empty(cls, first_id: int, told: Mapping[int, int]) -> "_SavedDocuments":
        ids = sorted(told)
        counts = (np.zeros(len(ids), np.int64) for _ in range(4))
        return cls(first_id, np.array(ids, np.uint32), np.array([told[old_id] for old_id in ids], np.int64), *counts)

    def include(self, old_ids: U32) -> Bools:
        """Return which documents are among them; shape (n,)."""
        return contains(self.old_ids.astype(np.uint64), old_ids.astype(np.uint64))

    @property
    def ids(self) -> tuple[int, int]:
        """The first and last of their new ids."""
        return self.first_id, self.first_id + max(len(self.old_ids) - 1, 0)


class _Repair:
    def __init__(self, salvage: SalvageReader, env: Environment, sampled: bool) -> None:
        self.salvage = salvage
        self.env = env
        self.sampled = sampled
        self.losses: list[Loss] = []
        self.told = self._choose_documents()
        self.ordinary = _SavedDocuments.empty(0, {i: n for i, n in self.told.items() if i < FIRST_BOILERPLATE})
        self.templates = _SavedDocuments.empty(
            FIRST_BOILERPLATE, {i: n for i, n in self.told.items() if i >= FIRST_BOILERPLATE}
        )

    def run(self) -> Iterator[Loss | Repaired]:
        """Write everything; yield the losses, and what there is."""
        if self.salvage.changes_lost:
            yield Loss("changes", None)
        runs = self._write_runs()
        texts = text_bytes = 0
        seals = NO_SEALS
        records = ((old_id, record) for old_id, record in self.salvage.records() if old_id in self.told)
        while some := list(islice(records, DOCUMENTS_PER_TRANSACTION)):
            with self.env.write() as (txn, file):
                catalogue = Catalogue(txn, file.databases, seals)
                for old_id, record in some:
                    text = self._write_document(catalogue, old_id, record)
                    if text is not None:
                        Texts(txn, file.databases[file_format.TEXTS]).put([(self._new_id(old_id), text)])
                        texts, text_bytes = texts + 1, text_bytes + text.size
                seals = catalogue.write()
            yield from self.losses
            self.losses.clear()
        state = State(
            next_run=3,
            next_document=len(self.ordinary.old_ids),
            next_boilerplate=FIRST_BOILERPLATE + len(self.templates.old_ids),
            documents=len(self.ordinary.old_ids),
            boilerplate_documents=len(self.templates.old_ids),
            texts=texts,
            text_bytes=text_bytes,
            runs=tuple(run for run in runs if run.postings),
            seals=seals,
        )
        with self.env.write() as (txn, _):
            write_state(txn, state)
        yield from self._lost_documents()
        yield Repaired(state.documents, state.boilerplate_documents, state.postings, texts)

    # ------------------------------------------------------------ documents

    def _choose_documents(self) -> dict[int, int]:
        """Return the ids of the documents that are saved, each with the number of its postings.

        Of one name the last document is: it replaced the others.
        """
        by_name: dict[bytes, int] = {}
        postings: dict[int, int] = {}
        for old_id, record in self.salvage.records():
            replaced = by_name.get(record.name)
            if replaced is not None:
                del postings[replaced]
            by_name[record.name] = old_id
            postings[old_id] = record.fingerprints
        return postings

    def _saved(self, old_id: int) -> tuple[_SavedDocuments, int]:
        """Return the documents among which this one is, and its place there."""
        saved = self.ordinary if old_id < FIRST_BOILERPLATE else self.templates
        return saved, int(np.searchsorted(saved.old_ids, old_id))

    def _new_id(self, old_id: int) -> int:
        saved, place = self._saved(old_id)
        return saved.first_id + place

    def _write_document(self, catalogue: Catalogue, old_id: int, record: Record) -> KeptText | None:
        """Write a document's record, name and sizes, and note what it has lost; return its text."""
        saved, place = self._saved(old_id)
        new_id, name = saved.first_id + place, file_format.name_text(record.name)
        postings, hashes, told = int(saved.postings[place]), int(saved.hashes[place]), int(saved.told[place])
        if saved.unplaced[place]:
            self.losses.append(Loss("positions", name, postings - int(saved.unplaced[place]), told))
        elif postings < told:
            self.losses.append(Loss("fingerprints", name, postings, told))
        share = self.salvage.share(old_id)
        if share is None:
            share = file_format.WHOLE
            if self.sampled and saved is self.ordinary:
                self.losses.append(Loss("share", name))
        text = self._text(old_id, record)
        if record.text is not None and text is None:
            self.losses.append(Loss("text", name))
        record = record.counted(postings, hashes)._replace(text=None if text is None else text.size)
        catalogue.set_record(new_id, record)
        catalogue.set_names(file_format.name_keys([record.name]), np.array([new_id], np.uint32))
        catalogue.size_table.set(new_id, np.array([(hashes, saved.boilerplate[place], share)], file_format.SIZE))
        return text

    def _text(self, old_id: int, record: Record) -> KeptText | None:
        """Return a document's text if all of it is there; without the package that unpacks it, as far as is known."""
        packed = None if record.text is None else self.salvage.text(old_id)
        if packed is None or record.text is None:
            return None
        text = KeptText(packed, record.text, record.digest)
        try:
            unpack(text)
        except ValueError:
            return None
        except MissingPackage:
            pass
        return text

    def _lost_documents(self) -> Iterator[Loss]:
        """Yield the documents of which something says that they were there, and no record is left."""
        names = self.salvage.names()
        lost = sorted({*self.salvage.sized(), *names} - set(self.told))
        saved_names = {record.name for old_id, record in self.salvage.records() if old_id in self.told}
        for old_id in lost:
            name = names.get(old_id)
            if name is None or name not in saved_names:
                yield Loss("document", None if name is None else _decode_key(name))
        state = self.salvage.state
        if state is not None:
            for _ in range(state.documents + state.boilerplate_documents - len(self.told) - len(lost)):
                yield Loss("document", None)

    # ------------------------------------------------------------ postings

    def _write_runs(self) -> list[Run]:
        runs = find_runs(self.salvage)
        ordinary = [salvaged for salvaged in runs if not salvaged.run.boilerplate]
        templates = [salvaged for salvaged in runs if salvaged.run.boilerplate]
        hashes = [np.empty(0, np.uint64)]
        for salvaged in templates:
            hashes += [piece.hashes[self.templates.include(piece.document_ids)] for piece, _ in salvaged.pieces()]
        boilerplate = sorted_distinct(np.concatenate(hashes))
        runs_written = []
        for number, group, saved in ((1, ordinary, self.ordinary), (2, templates, self.templates)):
            pieces = _merge(group, saved)
            counted = _count(pieces, saved, boilerplate if saved is self.ordinary else boilerplate[:0])
            runs_written.append(write_run(self.env, number, counted, saved.ids))
        return runs_written


def _merge(runs: Sequence[SalvagedRun], saved: _SavedDocuments) -> Iterator[Postings]:
    """Yield the postings that the runs hold of the saved documents, under their old ids."""
    return merge_postings([_in_order(salvaged, saved) for salvaged in runs], IdSet(saved.old_ids))


def _count(pieces: Iterator[Postings], saved: _SavedDocuments, boilerplate: U64) -> Iterator[Postings]:
    """Count postings; yield them under their new ids."""
    for piece, first in mark_pairs(pieces):
        places = np.searchsorted(saved.old_ids, piece.document_ids)
        common = first & contains(boilerplate, piece.hashes)
        for total, rows in ((saved.postings, slice(None)), (saved.hashes, first), (saved.boilerplate, common)):
            total += np.bincount(places[rows], minlength=len(total))
        yield Postings(piece.hashes, (places + saved.first_id).astype(np.uint32), piece.encoded_positions)


def _in_order(salvaged: SalvagedRun, saved: _SavedDocuments) -> Iterator[Postings]:
    """Yield a run's postings, sorted again where positions are lost; count those."""
    rest, unsorted = NO_POSTINGS, False
    for piece, lost in salvaged.pieces():
        unplaced = piece.document_ids[lost]
        places = np.searchsorted(saved.old_ids, unplaced[saved.include(unplaced)])
        saved.unplaced[:] += np.bincount(places, minlength=len(saved.old_ids))
        rest = concat_postings(rest, piece)
        if unsorted or lost.any() or not is_ascending(rest):
            rest = _sort(rest)
        unsorted = bool(lost.any())
        last_pair = (rest.hashes == rest.hashes[-1]) & (rest.document_ids == rest.document_ids[-1])
        start = int(np.flatnonzero(last_pair)[0])
        yield rest[:start]
        rest = rest[start:]  # the next piece may hold more of this hash and document
    yield rest


def _sort(postings: Postings) -> Postings:
    """Return the distinct postings, sorted."""
    postings = postings[np.lexsort((postings.encoded_positions, postings.document_ids, postings.hashes))]
    columns = postings.hashes, postings.document_ids, postings.encoded_positions
    repeated = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    return postings[np.r_[True, ~repeated][: len(postings)]]


def _decode_key(key: bytes) -> str:
    """Return the name of a key; of a long name the beginning, which is all that is left of it."""
    is_long = len(key) > file_format.LONGEST_PLAIN_NAME
    return file_format.name_text(key[: file_format.LONGEST_PLAIN_NAME]) + ("..." if is_long else "")
