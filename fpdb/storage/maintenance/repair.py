"""A new file of all that is sound in a damaged one, and a list of what was lost. The damaged file is only read.

Blocks give postings, records give documents; names and sizes are made anew from these.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fpdb.arrays import I64, U32, U64, Bools, contains
from fpdb.errors import DatabaseExists, MissingPackage
from fpdb.storage import _sorting, file_format
from fpdb.storage.catalogue import Catalogue
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment
from fpdb.storage.environment.failures import translated
from fpdb.storage.file_format import FIRST_BOILERPLATE, Record, Run, State
from fpdb.storage.maintenance.check import problems
from fpdb.storage.maintenance.copies import DOCUMENTS_A_TRANSACTION, POSTINGS_A_TRANSACTION
from fpdb.storage.maintenance.salvage import Salvage
from fpdb.storage.runs import _codec, run_blocks
from fpdb.storage.runs.merge import merged
from fpdb.storage.runs.run_blocks import Postings, RunWriter
from fpdb.storage.snapshot import write_state
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


class Repaired(NamedTuple):
    """What the new file holds."""

    documents: int
    boilerplate_documents: int
    postings: int
    texts: int


def repair(path: str, target: str, sampled: Callable[[Mapping[str, Any]], bool]) -> Iterator[Loss | Repaired]:
    """Writes what is sound in a file to a new one; gives the losses, and what there is in the end. Nobody may write to
    the damaged file meanwhile.

    sampled: whether fingerprints made by a recipe are samples, whose share cannot be told from them. Raises
    DatabaseExists, NotADatabase, NewerFormat, StorageFailure; Corrupt where nothing can be saved.
    """
    if os.path.lexists(target):
        raise DatabaseExists(f"there is a file at {target!r} already; a repair does not overwrite")
    temporary = f"{os.path.realpath(target)}.{os.getpid()}.repair"
    with translated(path):
        salvage = Salvage(path)
    try:
        recipe = salvage.recipe or {}
        files.discard(temporary)
        files.new_file(temporary, file_format.pack_format(recipe), {file_format.STATE_KEY: State().pack()})
        fresh = Environment(temporary, readonly=False, timeout=0)
        try:
            yield from _Repair(salvage, fresh, sampled(recipe)).run()
        finally:
            fresh.close()
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


@dataclass
class _Sort:
    """What is saved of documents of one sort: their ids, ascending, and what each has; shape (documents,)."""

    first: int
    ids: U32
    of: I64  # postings that there were
    postings: I64
    hashes: I64
    boilerplate: I64
    unplaced: I64  # postings whose position is lost

    @classmethod
    def empty(cls, first: int, of: Mapping[int, int]) -> _Sort:
        ids = np.array(sorted(of), np.uint32)
        counts = (np.zeros(len(ids), np.int64) for _ in range(4))
        return cls(first, ids, np.array([of[document] for document in ids.tolist()], np.int64), *counts)

    def known(self, documents: U32) -> Bools:
        """Whether each is among them; shape (n,)."""
        return contains(self.ids.astype(np.uint64), documents.astype(np.uint64))


class _Repair:
    def __init__(self, salvage: Salvage, fresh: Environment, sampled: bool) -> None:
        self.salvage = salvage
        self.fresh = fresh
        self.sampled = sampled
        self.sorts: dict[bool, _Sort] = {}
        self.boilerplate = np.empty(0, np.uint64)
        self.losses: list[Loss] = []

    def run(self) -> Iterator[Loss | Repaired]:
        """Writes everything; gives the losses."""
        chosen = self._choose()
        if self.salvage.changes_lost:
            yield Loss("changes", None)
        for boilerplate in (False, True):
            first = FIRST_BOILERPLATE if boilerplate else 0
            of = {number: count for number, count in chosen.items() if (number >= FIRST_BOILERPLATE) is boilerplate}
            self.sorts[boilerplate] = _Sort.empty(first, of)
        listed = self._runs()
        self.boilerplate = self._hashes(listed[True])
        written = [self._write_run(listed[boilerplate], self.sorts[boilerplate]) for boilerplate in (False, True)]
        state = State(
            next_run=3,
            next_document=len(self.sorts[False].ids),
            next_boilerplate=FIRST_BOILERPLATE + len(self.sorts[True].ids),
            documents=len(self.sorts[False].ids),
            boilerplate_documents=len(self.sorts[True].ids),
            runs=tuple(run for run in written if run.postings),
        )
        texts = text_bytes = 0
        records = ((number, record) for number, record in self.salvage.records() if number in chosen)
        for some in _in_lots(records):
            with self.fresh.write() as (txn, file):
                catalogue = Catalogue(txn, file.databases)
                kept = Texts(txn, file.databases[file_format.TEXTS])
                for old, record in some:
                    saved = self._document(catalogue, kept, old, record)
                    texts += saved is not None
                    text_bytes += saved or 0
                catalogue.write()
            yield from self.losses
            self.losses.clear()
        with self.fresh.write() as (txn, _):
            write_state(txn, state._replace(texts=texts, text_bytes=text_bytes))
        yield from self._gone(chosen)
        yield Repaired(state.documents, state.boilerplate_documents, state.postings, texts)

    # ------------------------------------------------------------ documents

    def _choose(self) -> dict[int, int]:
        """The ids of the documents that are kept, each with its number of postings. Of one name, the last one: the
        others were replaced."""
        by_name: dict[bytes, int] = {}
        postings: dict[int, int] = {}
        for number, record in self.salvage.records():
            before = by_name.get(record.name)
            if before is not None:
                del postings[before]
            by_name[record.name] = number
            postings[number] = record.fingerprints
        return postings

    def _document(self, catalogue: Catalogue, texts: Texts, old: int, record: Record) -> int | None:
        """Writes a document, and notes what it has lost; returns the size of its text, if that is kept."""
        sort = self.sorts[old >= FIRST_BOILERPLATE]
        at = int(np.searchsorted(sort.ids, old))
        postings, hashes = int(sort.postings[at]), int(sort.hashes[at])
        name = _text(record.name)
        if sort.unplaced[at]:
            self.losses.append(Loss("positions", name, postings - int(sort.unplaced[at]), int(sort.of[at])))
        elif postings < sort.of[at]:
            self.losses.append(Loss("fingerprints", name, postings, int(sort.of[at])))
        share = self.salvage.share(old)
        if share is None:
            share = file_format.WHOLE
            if self.sampled and sort.first == 0:
                self.losses.append(Loss("share", name))
        text = self._kept(old, record)
        if record.text is not None and text is None:
            self.losses.append(Loss("text", name))
        number = sort.first + at
        record = record.counted(postings, hashes)._replace(text=None if text is None else text.size)
        catalogue.set_record(number, record)
        catalogue.set_names(number, [record.name])
        catalogue.set_sizes(number, np.array([(hashes, sort.boilerplate[at], share)], file_format.SIZE))
        if text is not None:
            texts.put(number, text)
        return None if text is None else text.size

    def _kept(self, old: int, record: Record) -> KeptText | None:
        """A document's text, if all of it is there; without the package that unpacks it, as far as can be told."""
        packed = None if record.text is None else self.salvage.text(old)
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

    def _gone(self, kept: Mapping[int, int]) -> Iterator[Loss]:
        """The documents of which something says that they were there, and no record is left."""
        names = self.salvage.names()
        gone = sorted({*self.salvage.sized(), *names} - set(kept))
        saved = {record.name for number, record in self.salvage.records() if number in kept}
        for number in gone:
            name = names.get(number)
            if name is None or name not in saved:
                yield Loss("document", None if name is None else _beginning(name))
        state = self.salvage.state
        if state is not None:
            for _ in range(state.documents + state.boilerplate_documents - len(kept) - len(gone)):
                yield Loss("document", None)

    # ------------------------------------------------------------ postings

    def _runs(self) -> dict[bool, list[_SavedRun]]:
        """The runs of each sort, in order of documents."""
        found: list[_SavedRun] = []
        state = self.salvage.state
        if state is not None:
            found = [_SavedRun(self.salvage, run) for run in state.runs]
        else:
            # A run that was merged of others is newer, and covers their documents.
            for number, indices in sorted(self.salvage.blocks().items(), reverse=True):
                saved = _SavedRun.unlisted(self.salvage, number, max(indices) + 1)
                if not any(
                    saved.run.first_id <= other.run.last_id and other.run.first_id <= saved.run.last_id
                    for other in found
                ):
                    found.append(saved)
            found.sort(key=lambda saved: saved.run.first_id)
        return {sort: [saved for saved in found if saved.run.boilerplate is sort] for sort in (False, True)}

    def _hashes(self, group: list[_SavedRun]) -> U64:
        sort = self.sorts[True]
        parts = [piece.hashes[sort.known(piece.documents)] for saved in group for piece, _ in saved.pieces()]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.uint64)

    def _write_run(self, group: list[_SavedRun], sort: _Sort) -> Run:
        first = group[0].run.first_id if group else 0
        dead = np.ones(group[-1].run.last_id - first + 1 if group else 0, np.uint8)
        inside = sort.ids[(sort.ids >= first) & (sort.ids < first + len(dead))]
        dead[inside - np.uint32(first)] = 0
        pieces = merged([self._counted(saved, sort) for saved in group], dead, first)
        writer = RunWriter(1 + (sort.first > 0))
        last = run_blocks.NO_POSTINGS
        while True:
            with self.fresh.write() as (txn, file):
                blocks = file.databases[file_format.BLOCKS]
                room = POSTINGS_A_TRANSACTION
                for piece in pieces:
                    self._tally(last, piece, sort)
                    last = Postings(piece.hashes[-1:], piece.documents[-1:], piece.numbers[-1:])
                    new = np.searchsorted(sort.ids, piece.documents).astype(np.uint32) + np.uint32(sort.first)
                    writer.append(txn, blocks, Postings(piece.hashes, new, piece.numbers))
                    room -= len(piece)
                    if room <= 0:
                        break
                else:
                    return writer.finish(txn, blocks, sort.first, sort.first + max(len(sort.ids) - 1, 0))

    def _tally(self, last: Postings, piece: Postings, sort: _Sort) -> None:
        at = np.searchsorted(sort.ids, piece.documents)
        joined = run_blocks.joined(last, piece)
        new = _sorting.first_of_pair(joined.hashes, joined.documents)[len(last) :]
        common = contains(self.boilerplate, piece.hashes) if sort.first == 0 else np.zeros(len(piece), np.bool_)
        for total, which in ((sort.postings, slice(None)), (sort.hashes, new), (sort.boilerplate, new & common)):
            total += np.bincount(at[which], minlength=len(total))

    def _counted(self, saved: _SavedRun, sort: _Sort) -> Iterator[Postings]:
        """A run's postings, put in order where positions are lost, which are counted."""
        held, loose = run_blocks.NO_POSTINGS, False
        for piece, lost in saved.pieces():
            unplaced = piece.documents[lost]
            at = np.searchsorted(sort.ids, unplaced[sort.known(unplaced)])
            sort.unplaced += np.bincount(at, minlength=len(sort.ids))
            held = run_blocks.joined(held, piece)
            if loose or lost.any():
                held = _ordered(held)
            loose = bool(lost.any())
            rest = _last_pair(held)
            yield Postings(held.hashes[:rest], held.documents[:rest], held.numbers[:rest])
            held = Postings(held.hashes[rest:], held.documents[rest:], held.numbers[rest:])
        yield held


@dataclass
class _SavedRun:
    """What is left of a run. run.postings: 0 where it is not known."""

    salvage: Salvage
    run: Run

    @classmethod
    def unlisted(cls, salvage: Salvage, number: int, blocks: int) -> _SavedRun:
        """A run that no state describes."""
        positions = 0
        while salvage.block(number, file_format.POSITIONS, positions) is not None:
            positions += 1
        saved = cls(salvage, Run(number, 0, blocks, positions, 0, 0))
        ends = [(int(piece.documents.min()), int(piece.documents.max())) for piece, _ in saved.pieces()]
        return cls(salvage, saved.run._replace(first_id=min(e[0] for e in ends), last_id=max(e[1] for e in ends)))

    def pieces(self) -> Iterator[tuple[Postings, Bools]]:
        """The postings that are left, and of which of them the position is lost."""
        counts = self._counts(file_format.POSTINGS)
        starts = _starts(counts, self.run.postings)
        positions = _Positions(self)
        for index, (count, start) in enumerate(zip(counts, starts, strict=True)):
            value = self.salvage.block(self.run.number, file_format.POSTINGS, index)
            if value is None or count is None:
                continue
            hashes, documents = _codec.decode_postings([value], count)
            numbers, lost = positions.take(start, count)
            yield Postings(hashes, documents, numbers), lost

    def _counts(self, column: int) -> list[int | None]:
        """How many postings each block of a column holds; None where neither it nor its fence says so."""
        if column == file_format.POSTINGS:
            blocks, fences, per_chunk = self.run.blocks, file_format.FENCES, file_format.FENCES_PER_CHUNK
        else:
            blocks, fences = self.run.position_blocks, file_format.POSITION_FENCES
            per_chunk = file_format.POSITION_FENCES_PER_CHUNK
        counts: list[int | None] = [None] * blocks
        for start in range(0, blocks, per_chunk):
            chunk = self.salvage.block(self.run.number, fences, start // per_chunk)
            if chunk is not None:
                body = chunk[file_format.CHECKSUM :]
                if column == file_format.POSTINGS:
                    numbers = np.frombuffer(body, file_format.FENCE)["postings"]
                else:
                    numbers = np.frombuffer(body, "<u2")
                counts[start : start + len(numbers)] = numbers[: blocks - start].tolist()
        size = 2 if column == file_format.POSTINGS else 4
        for index in range(blocks):
            value = self.salvage.block(self.run.number, column, index) if counts[index] is None else None
            if value is not None:
                counts[index] = int.from_bytes(value[file_format.CHECKSUM : file_format.CHECKSUM + size], "little")
        return counts


class _Positions:
    """The positions of a run, by the rank of the posting."""

    def __init__(self, saved: _SavedRun) -> None:
        self._saved = saved
        self._counts = saved._counts(file_format.POSITIONS)
        starts = _starts(self._counts, saved.run.postings)
        self._known = [(s, i) for i, s in enumerate(starts) if s is not None and self._counts[i] is not None]
        self._next = 0

    def take(self, start: int | None, count: int) -> tuple[U32, Bools]:
        """The numbers of `count` postings, 0 where they are lost, and which are; starts ascend."""
        numbers = np.zeros(count, np.uint32)
        if not self._saved.run.position_blocks:
            return numbers, np.zeros(count, np.bool_)
        lost = np.ones(count, np.bool_)
        if start is None:
            return numbers, lost
        for at in range(self._next, len(self._known)):
            begin, index = self._known[at]
            end = begin + (self._counts[index] or 0)
            if end <= start:
                self._next = at + 1
                continue
            if begin >= start + count:
                break
            run = self._saved.run.number
            value = self._saved.salvage.block(run, file_format.POSITIONS, index)
            if value is not None:
                low, high = max(begin, start), min(end, start + count)
                numbers[low - start : high - start] = _codec.decode_positions([value], end - begin)[
                    low - begin : high - begin
                ]
                lost[low - start : high - start] = False
        return numbers, lost


def _starts(counts: list[int | None], total: int) -> list[int | None]:
    """The rank of each block's first posting, told from the beginning, or from the end; total: 0 if it is unknown."""
    starts: list[int | None] = [None] * len(counts)
    at = 0
    for index, count in enumerate(counts):
        starts[index] = at
        if count is None:
            break
        at += count
    at = total
    for index in range(len(counts) - 1, -1 if total else len(counts), -1):
        count = counts[index]
        if count is None or starts[index] is not None:
            break
        at -= count
        starts[index] = at
    return starts


def _ordered(postings: Postings) -> Postings:
    """Sorted, each once."""
    order = np.lexsort((postings.numbers, postings.documents, postings.hashes))
    hashes, documents, numbers = postings.hashes[order], postings.documents[order], postings.numbers[order]
    same = (hashes[1:] == hashes[:-1]) & (documents[1:] == documents[:-1]) & (numbers[1:] == numbers[:-1])
    keep = np.r_[True, ~same][: len(hashes)]
    return Postings(hashes[keep], documents[keep], numbers[keep])


def _last_pair(postings: Postings) -> int:
    """Where the postings of the last hash and document begin."""
    same = (postings.hashes == postings.hashes[-1]) & (postings.documents == postings.documents[-1])
    return int(np.flatnonzero(same)[0])


def _in_lots(records: Iterator[tuple[int, Record]]) -> Iterator[list[tuple[int, Record]]]:
    lot: list[tuple[int, Record]] = []
    for entry in records:
        lot.append(entry)
        if len(lot) == DOCUMENTS_A_TRANSACTION:
            yield lot
            lot = []
    yield lot


def _beginning(key: bytes) -> str:
    """The name of a key; of a long one the beginning, which is all that is left of it."""
    long = len(key) > file_format.LONGEST_PLAIN_NAME
    return _text(key[: file_format.LONGEST_PLAIN_NAME]) + ("..." if long else "")


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
