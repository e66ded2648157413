"""The state record: the counters and the list of live runs, which each commit replaces; no I/O."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import attrgetter, le
from typing import Any, Final, NamedTuple

import msgpack

from fpdb.errors import Corrupt, Error
from fpdb.storage.file_format import (
    FIRST_BOILERPLATE,
    LARGEST_COUNT,
    LARGEST_COUNTED,
    LARGEST_INDEX,
    LARGEST_RUN,
    LARGEST_STATE,
    LARGEST_TEXT,
    LAST_BOILERPLATE,
    POSTINGS_PER_BLOCK,
    STATE_KEY,
    seal,
    unpack_values,
    unseal,
)


def _are_counts(values: tuple[Any, ...], largest: Sequence[int]) -> bool:
    """Return True if each value is an integer from 0 to the largest in its place; each commit asks for every run."""
    return set(map(type, values)) == {int} and min(values) >= 0 and all(map(le, values, largest))


class Run(NamedTuple):
    """One live run: its number, its sizes, the range of its documents' ids, and how much of it is dead."""

    number: int
    postings: int
    blocks: int
    position_blocks: int  # 0: no posting has a position
    first_id: int
    last_id: int
    dead: int = 0  # postings of documents removed since the run was written

    @property
    def boilerplate(self) -> bool:
        """True if the run holds boilerplate documents; a run holds only these or none."""
        return self.first_id >= FIRST_BOILERPLATE

    def check(self) -> None:
        """Raise ValueError if no run can be so."""
        number, postings, blocks, position_blocks, first_id, last_id, dead = self
        if not _are_counts(self, _LARGEST_OF_RUN):
            raise ValueError("a run has a number that is none, or out of range")
        if first_id > last_id or (first_id >= FIRST_BOILERPLATE) != (last_id >= FIRST_BOILERPLATE):
            raise ValueError(f"run {number} has impossible documents")
        if not 0 < blocks <= postings <= blocks * POSTINGS_PER_BLOCK or dead > postings:
            raise ValueError(f"run {number} has impossible postings")
        if position_blocks and not position_blocks <= postings <= position_blocks * LARGEST_COUNTED:
            raise ValueError(f"run {number} has impossible positions")


_LARGEST_OF_RUN: Final = (
    *(LARGEST_RUN, LARGEST_COUNT, LARGEST_INDEX + 1, LARGEST_INDEX + 1, LAST_BOILERPLATE, LAST_BOILERPLATE),
    LARGEST_COUNT,
)
_first_id = attrgetter("first_id")
Roots = tuple[tuple[int, int], ...]
"""The highest nodes of a tree of seals, ascending: the index and the checksum of each."""


class Seals(NamedTuple):
    """The trees of seals."""

    records: Roots = ()
    sizes: Roots = ()

    @classmethod
    def unpack(cls, trees: Any) -> "Seals":
        """Return the trees of a state record. Raises TypeError, ValueError."""
        seals = cls(*(tuple((index, seal) for index, seal in roots) for roots in trees))
        for roots in seals:
            indices = [index for index, _ in roots]
            if not all(_are_counts(root, (LARGEST_RUN, 2**64 - 1)) for root in roots):
                raise ValueError("a seal has a number that is none, or out of range")
            if indices != sorted(set(indices)):
                raise ValueError("the seals are out of order")
        return seals


NO_SEALS: Final = Seals()


class State(NamedTuple):
    """The record that each commit replaces: the counters and the list of live runs, oldest first, by document ids."""

    next_run: int = 1
    next_document: int = 0
    next_boilerplate: int = FIRST_BOILERPLATE
    documents: int = 0
    boilerplate_documents: int = 0
    texts: int = 0  # documents whose text is kept
    text_bytes: int = 0  # of those texts, before compression
    runs: tuple[Run, ...] = ()
    seals: Seals = NO_SEALS  # not in version 1

    @property
    def postings(self) -> int:
        """Live postings, boilerplate's included."""
        return sum(run.postings - run.dead for run in self.runs)

    def runs_of(self, *, boilerplate: bool) -> list[Run]:
        """Return the runs of ordinary, or of boilerplate, documents, in order of their documents' ids."""
        start = bisect_left(self.runs, FIRST_BOILERPLATE, key=_first_id)
        return list(self.runs[start:] if boilerplate else self.runs[:start])

    def check(self, checked: Iterable[Run] = ()) -> None:
        """Raise ValueError if no commit of a sound database leaves such a state; checked: runs that were checked."""
        if not _are_counts(self[:_COUNTS], _LARGEST_OF_STATE):
            raise ValueError("it has a number that is none, or out of range")
        boilerplate_ids = self.next_boilerplate - FIRST_BOILERPLATE
        if self.documents > self.next_document or not self.boilerplate_documents <= boilerplate_ids:
            raise ValueError("it counts more documents than ids were given")
        texts = self.texts
        if texts > self.documents + self.boilerplate_documents or self.text_bytes > texts * LARGEST_TEXT:
            raise ValueError("it counts impossible kept texts")
        sound, numbers, next_id = set(map(id, checked)), set(), 0
        for run in self.runs:
            if id(run) not in sound:
                run.check()
            if not next_id <= run.first_id or run.number >= self.next_run or run.number in numbers:
                raise ValueError(f"run {run.number} is listed twice, was never begun, or overlaps in documents")
            if run.last_id >= (self.next_boilerplate if run.boilerplate else self.next_document):
                raise ValueError(f"run {run.number} has documents that were never added")
            numbers.add(run.number)
            next_id = run.last_id + 1

    def begin_run(self) -> "State":
        """Return the state in which the number `next_run` is used. Raises Error."""
        if self.next_run > LARGEST_RUN:
            raise Error("the numbers of runs are used up; 'fpdb compact' begins again")
        return self._replace(next_run=self.next_run + 1)

    def pack(self, checked: Iterable[Run] = ()) -> bytes:
        """Return the value under STATE_KEY. Raises Corrupt: a state that could not be read is never written.

        checked: runs, of a state that was read or written before.
        """
        packed = msgpack.packb(self)
        try:
            self.check(checked)
            if len(packed) > LARGEST_STATE:
                raise ValueError(f"it lists {len(self.runs)} runs")
        except ValueError as error:
            raise Corrupt(f"the change would leave an impossible state: {error}; run 'fpdb check'") from error
        return seal(STATE_KEY, packed)

    @classmethod
    def unpack(cls, value: bytes | memoryview) -> "State":
        """Return the state of a record. Raises Corrupt."""
        try:
            values = unpack_values(unseal(STATE_KEY, value), LARGEST_STATE)
            counts, listed, trees = values[:_COUNTS], values[_COUNTS], values[_COUNTS + 1 :]
            seals = Seals.unpack(*trees) if trees else NO_SEALS
            state = cls._make((*counts, tuple(Run(*fields) for fields in listed), seals))
            state.check()
        except (TypeError, ValueError, IndexError) as error:
            raise Corrupt(f"the state record is malformed: {error}; run 'fpdb check'") from error
        return state


_COUNTS: Final = State._fields.index("runs")
_LARGEST_OF_STATE: Final = (LARGEST_RUN + 1, FIRST_BOILERPLATE, LAST_BOILERPLATE + 1, *(LARGEST_COUNT,) * 4)
