"""Verification of everything a store holds: the file's structure, checksums, order, counts, and what refers to what.

Every storage test ends in it. Reads only; reports what it finds and never stops at the first fault.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import lmdb.verify
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import contains
from fpdb.errors import Corrupt, MissingPackage
from fpdb.storage import file_format
from fpdb.storage._sorting import first_of_pair as _first_of_pair
from fpdb.storage.environment import environment, page_check
from fpdb.storage.file_format import FIRST_BOILERPLATE, Record, Run
from fpdb.storage.maintenance import sampled
from fpdb.storage.maintenance.states import state_problems
from fpdb.storage.runs.blocks import count_blocks, expected_blocks
from fpdb.storage.runs.postings import NO_POSTINGS, concat_postings, is_ascending
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.store import Store
from fpdb.storage.texts import check_packages

TRIES = 20


class Unchecked(str):
    """A sentence on what could not be looked at, and why."""

    __slots__ = ()


def problems(store: Store) -> list[str]:
    """What is wrong, one sentence each; [] for a sound store, see `examine`."""
    return [sentence for sentence in examine(store) if not isinstance(sentence, Unchecked)]


def examine(store: Store, *, quick: bool = False) -> Iterator[str]:
    """What is wrong with a store, and what could not be looked at. Writers wait meanwhile, unless the store is
    read-only. quick: looks at samples of what there is very much of, see `fpdb.storage.maintenance.sampled`."""
    try:
        with store.exclude_writers():
            found = [] if quick else _structure(store.path)
            yield from found
            if any(not isinstance(sentence, Unchecked) for sentence in found):
                return  # LMDB itself is not to read such a file
            with store.snapshot() as view:
                yield from (sampled.problems if quick else _problems)(view)
    except (Corrupt, lmdb.verify.VerifyError) as error:
        yield str(error)


def _structure(path: str) -> list[str]:
    """What is wrong with the file as an LMDB file. Who reads only keeps no writer out: then it is looked at again."""
    for _ in range(TRIES):
        before = page_check.transaction(path)
        found = [f"structure: {problem}" for problem in environment.structure_problems(path)]
        if not found or page_check.transaction(path) == before:
            return found
    return [Unchecked("the file's structure was not looked at, since others kept writing: check when they are done")]


@dataclass
class _Tally:
    """What the runs hold of each document; ids ascending, and one count a document in each array."""

    ids: NDArray[np.uint32]
    postings: NDArray[np.int64]
    hashes: NDArray[np.int64]
    boilerplate: NDArray[np.int64]

    @classmethod
    def of(cls, ids: NDArray[np.uint32]) -> _Tally:
        return cls(ids, *(np.zeros(len(ids), np.int64) for _ in range(3)))

    def count(self, documents: NDArray[np.uint32], new: NDArray[np.bool_], common: NDArray[np.bool_]) -> int:
        """Counts postings; returns how many are of documents that are not in the catalogue."""
        at = np.searchsorted(self.ids, documents)
        known = at < len(self.ids)
        known[known] = self.ids[at[known]] == documents[known]
        for total, which in ((self.postings, known), (self.hashes, known & new), (self.boilerplate, known & common)):
            total += np.bincount(at[which], minlength=len(total))
        return int((~known).sum())


def _problems(view: Snapshot) -> Iterator[str]:
    yield from _format(view)
    yield from state_problems(view)
    told = yield from _catalogue(view)
    tally = _Tally.of(told.ids)
    try:
        boilerplate = view.boilerplate()
    except Corrupt:
        boilerplate = np.empty(0, np.uint64)  # said below, run by run
    for run in view.state.runs:
        try:
            yield from _run(view, run, boilerplate, tally)
        except Corrupt as error:
            yield str(error)
    tally.boilerplate[tally.ids >= FIRST_BOILERPLATE] = 0
    sizes = view.catalogue.sizes(tally.ids)
    wrong = (sizes["hashes"] != tally.hashes) | (sizes["boilerplate"] != tally.boilerplate)
    for document in tally.ids[wrong].tolist():
        yield f"document {document}: its sizes are not those of its postings"
    wrong = (told.fingerprints != tally.postings) | (told.hashes != tally.hashes)
    for document in tally.ids[wrong].tolist():
        yield f"document {document}: its record counts other postings than the runs hold"
    yield from _texts(view, told.texts)


def _format(view: Snapshot) -> Iterator[str]:
    """The unnamed database holds the named ones and two records of ours."""
    expected = {file_format.FORMAT_KEY, file_format.STATE_KEY, *file_format.NAMED}
    for key in {bytes(key) for key in view.txn.cursor().iternext(values=False)} ^ expected:
        yield f"{key!r} is {'missing' if key in expected else 'there, which no fpdb has written'}"
    for name in file_format.NAMED:
        for found in view.txn.cursor(view.databases[name]).iternext(values=False):
            if not file_format.may_be_key(name, found):
                yield f"{bytes(found)!r} is no key of {name.decode()}"


class _Told(NamedTuple):
    """What the records tell: ids ascending, and counts, each shape (documents,); texts: the bytes of those kept, by id.
    Not the records themselves, which would take most of the memory of a check."""

    ids: NDArray[np.uint32]
    fingerprints: NDArray[np.int64]
    hashes: NDArray[np.int64]
    texts: Mapping[int, int]


def _catalogue(view: Snapshot) -> Generator[str, None, _Told]:
    counts = array("I"), array("q"), array("q")
    texts: dict[int, int] = {}
    for document, record in view.catalogue.all_records():
        if document >= (view.state.next_document if document < FIRST_BOILERPLATE else view.state.next_boilerplate):
            yield f"document {document} has an id that was never given"
            continue
        for column, value in zip(counts, (document, record.fingerprints, record.hashes), strict=True):
            column.append(value)
        if record.text is not None:
            texts[document] = record.text
        if view.catalogue.find(record.name) != document:
            yield f"document {document} is not found under its name"
    ids = np.frombuffer(counts[0], np.uint32)
    ordinary = int(np.count_nonzero(ids < FIRST_BOILERPLATE))
    if (ordinary, len(ids) - ordinary) != (view.state.documents, view.state.boilerplate_documents):
        yield f"the state counts other documents than the {len(ids)} there are"
    indexed = np.fromiter(view.catalogue.in_order_of_names(), np.uint64)
    if not np.array_equal(np.sort(indexed), ids):
        yield "the names lead to other documents than there are records of"
    if not np.array_equal(np.fromiter(view.catalogue.sized(), np.uint64), ids):
        yield "the sizes are those of other documents than there are records of"
    return _Told(ids, np.frombuffer(counts[1], np.int64), np.frombuffer(counts[2], np.int64), texts)


def _run(view: Snapshot, run: Run, boilerplate: NDArray[np.uint64], tally: _Tally) -> Iterator[str]:
    if count_blocks(view.blocks, run.number) != expected_blocks(run):
        yield f"run {run.number} has more or fewer blocks than the state says"
    fences = view.fences(run)
    starts = np.cumsum(fences.posting_counts, dtype=np.int64) - fences.posting_counts
    done = dead = 0
    last = NO_POSTINGS
    for piece in view.scan(run):
        joined = concat_postings(last, piece)
        if not is_ascending(joined):
            yield f"run {run.number} is out of order"
        new = _first_of_pair(joined.hashes, joined.document_ids)[len(last) :]
        dead += tally.count(piece.document_ids, new, new & contains(boilerplate, piece.hashes))
        inside = slice(*np.searchsorted(starts, [done, done + len(piece)]))
        if (piece.hashes[starts[inside] - done] != fences.first_hashes[inside]).any():
            yield f"run {run.number} has fences that are not its blocks' first hashes"
        if piece.document_ids.min() < run.first_id or piece.document_ids.max() > run.last_id:
            yield f"run {run.number} has postings of documents outside its range"
        done += len(piece)
        last = piece[-1:]
    if dead != run.dead:
        yield f"run {run.number} has {dead} dead postings; the state says {run.dead}"


def _texts(view: Snapshot, told: Mapping[int, int]) -> Iterator[str]:
    """told: the bytes that the records tell of each kept text."""
    if (len(told), sum(told.values())) != (view.state.texts, view.state.text_bytes):
        yield f"the state counts other kept texts than the {len(told)} that the records tell"
    try:
        for document in set(view.texts.documents()) - set(told):
            yield f"there is a text of document {document}, whose record tells of none"
    except Corrupt as error:
        yield str(error)
    read: Callable[[int, Record], object] = view.texts.read
    try:
        check_packages()
    except MissingPackage as error:
        read = view.texts.kept
        if told:
            yield Unchecked(f"the {len(told)} kept texts were not unpacked, only their checksums compared: {error}")
    for document in told:
        try:
            read(document, view.catalogue.record(document))
        except Corrupt as error:
            yield str(error)
