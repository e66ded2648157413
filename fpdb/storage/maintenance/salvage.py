"""What is sound in a damaged file: values that match their checksums, found by the trees as far as these lead, and
beyond by looking at every page.

A value's checksum covers its key, so a sound value tells what it is wherever it lies. Old values lie around too, in
pages that are free: they count only where the trees lead nowhere, and only if the list of free pages is damaged too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import Corrupt, NotADatabase
from fpdb.storage import file_format
from fpdb.storage._checksums import is_sound
from fpdb.storage.environment.page_check import PAGE
from fpdb.storage.file_format import RECORDS_PER_GROUP, SIZES_PER_CHUNK, Record, State
from fpdb.storage.maintenance.page_scan import LEAF, OVERFLOW, Entry, Gap, Pages, Tree, Walk, free_pages, trees

LARGEST_VALUE = 1 << 27
MOST_TRIALS = 1 << 22  # of a key for a block that has lost its own
EVERYTHING = Gap(b"", None)


@dataclass
class _Values:
    """The sound values of one database: where each begins in the file, and its size. old: of keys whose newest value
    may be lost, all that were found."""

    gaps: list[Gap] = field(default_factory=list)
    places: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    old: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)


class Salvage:
    """The sound values of a file."""

    def __init__(self, path: str) -> None:
        """Raises NotADatabase, NewerFormat, Corrupt where the recipe is lost, OSError."""
        self._pages = Pages(path)
        self._values = {name: _Values() for name in file_format.NAMED}
        self._seen: set[int] = set()  # pages that a tree leads to
        self._used: set[int] = set()  # pages that hold the values of entries
        self._free: set[int] | None = None
        self.changes_lost = False  # the newest state is lost, or what tells documents from those that were removed
        self.recipe: dict[str, Any] | None = None
        self.state: State | None = None
        try:
            roots = self._roots()
            for name in file_format.NAMED:
                self._walk(name, roots.get(name))
            if any(values.gaps for values in self._values.values()):
                self._look_everywhere()
                self._find_blocks()
            if self.recipe is None:
                self._find_recipe(path)
        except BaseException:
            self._pages.close()
            raise

    def close(self) -> None:
        """Closes the file."""
        self._pages.close()

    # ------------------------------------------------------------ where to begin

    def _roots(self) -> dict[bytes, Tree]:
        """The trees of the newest commit."""
        commits = self._pages.commits()
        root = -1
        if commits:
            self._free = free_pages(self._pages, commits[0])
            root = commits[0].main.root
            if root not in (self._free or ()):
                self.state = self._read_main(root)
            self.changes_lost = self.state is None
        apart = [one.transaction - other.transaction for one, other in pairwise(commits)]
        if self.state is None or apart not in ([1], [0]):  # no meta page may name the newest commit any more
            for number, state in self._main_pages():
                if self.state is None or _age(state) > _age(self.state):
                    root, self.state, self._free = number, state, None
        self._seen.add(root)
        self._read_main(root)
        return trees(self._pages, root) or {}

    def _main_pages(self) -> Iterator[tuple[int, State]]:
        for number in range(2, self._pages.count):
            state = self._read_main(number)
            if state is not None:
                yield number, state

    def _read_main(self, number: int) -> State | None:
        """The state that a page of the main tree holds; reads the recipe as well."""
        page = self._pages.page(number, LEAF)
        state = None
        for entry in () if page is None else self._pages.entries(number, page):
            if entry.key in (file_format.FORMAT_KEY, file_format.STATE_KEY) and entry.size < PAGE:
                value = self._pages.read(entry.at, entry.size)
                with suppress(Corrupt):
                    if entry.key == file_format.STATE_KEY:
                        state = State.unpack(value)
                    else:
                        self.recipe = file_format.unpack_format(value)
        return state

    def _find_recipe(self, path: str) -> None:
        for number in range(2, self._pages.count):
            self._read_main(number)
            if self.recipe is not None:
                return
        mentioned = any(file_format.FORMAT_KEY in self._pages.read(at, 1 << 20) for at in range(0, self._end, 1 << 20))
        if not mentioned:
            raise NotADatabase(f"{path!r} is not an fpdb database, or nothing of it is left")
        raise Corrupt(f"the recipe of {path!r} is lost, without which its fingerprints mean nothing: use a backup")

    @property
    def _end(self) -> int:
        return self._pages.count * PAGE

    # ------------------------------------------------------------ values

    def _walk(self, name: bytes, tree: Tree | None) -> None:
        values = self._values[name]
        if tree is None:
            values.gaps.append(EVERYTHING)
            return
        walk = Walk(self._pages, tree, self._free or set())
        values.gaps += walk.gaps
        self._seen |= walk.branches
        self._seen.update(number for number, _ in walk.leaves)
        for entry, keys in walk.entries():
            if entry.key in keys and self._is_sound(name, entry):
                values.places[entry.key] = entry.at, entry.size
                self._use(entry)
            elif not values.gaps or values.gaps[-1] != keys:
                values.gaps.append(keys)

    def _use(self, entry: Entry) -> None:
        self._used.update(range(entry.at // PAGE, (entry.at + entry.size - 1) // PAGE + 1))

    def _is_sound(self, name: bytes, entry: Entry) -> bool:
        if entry.size > LARGEST_VALUE:
            return False
        value = self._pages.read(entry.at, entry.size)
        if name == file_format.BLOCKS:
            return len(entry.key) == 8 and is_sound(int.from_bytes(entry.key, "big"), value)
        try:
            body = file_format.unseal(entry.key, value)
        except Corrupt:
            return False
        if name == file_format.NAMES:
            return len(body) == 4
        if name == file_format.TEXTS:
            return len(entry.key) == 8
        sizes = len(body) == SIZES_PER_CHUNK * file_format.SIZE.itemsize
        return len(entry.key) == 4 and len(body) != 4 and sizes == (name == file_format.SIZES)

    def _look_everywhere(self) -> None:
        """Fills gaps with what the leaves hold that no tree leads to."""
        for number in range(2, self._pages.count):
            if number in self._seen or (self._free is not None and number in self._free):
                continue
            page = self._pages.page(number, LEAF)
            for entry in () if page is None else self._pages.entries(number, page):
                for name, values in self._values.items():
                    if (
                        entry.key not in values.places
                        and any(entry.key in gap for gap in values.gaps)
                        and self._is_sound(name, entry)
                    ):
                        values.old.setdefault(entry.key, []).append((entry.at, entry.size))
                        self._use(entry)
        for values in self._values.values():
            if self._free is not None:  # none of them is old: each key's page was in use, and is there once
                values.places.update((key, found[-1]) for key, found in values.old.items())
                values.old.clear()

    def _find_blocks(self) -> None:
        """Finds blocks whose leaf is lost, and with it their keys: those that are missing are tried."""
        if self.state is None:
            return
        blocks = self._values[file_format.BLOCKS]
        missing = {
            file_format.block_number(run.number, column, index)
            for run in self.state.runs
            for column, count in ((file_format.POSTINGS, run.blocks), (file_format.POSITIONS, run.position_blocks))
            for index in range(count)
            if file_format.block_key(file_format.block_number(run.number, column, index)) not in blocks.places
        }
        trials = MOST_TRIALS
        for number in range(2, self._pages.count if missing else 0):
            if number in self._used or (self._free is not None and number in self._free):
                continue
            page = self._pages.page(number, OVERFLOW)
            for size in () if page is None else _block_sizes(page[16:]):
                value = page[16 : 16 + size] if page else b""
                trials -= len(missing)
                if trials < 0:
                    return
                key = next((key for key in missing if is_sound(key, value)), None)
                if key is not None:
                    blocks.places[file_format.block_key(key)] = number * PAGE + 16, size
                    missing.discard(key)
                    break

    def _read(self, place: tuple[int, int]) -> bytes:
        return self._pages.read(*place)

    # ------------------------------------------------------------ what they say

    def posting_blocks(self) -> dict[int, set[int]]:
        """The runs that have posting blocks, and which."""
        found: dict[int, set[int]] = {}
        values = self._values[file_format.BLOCKS]
        for key in {**values.places, **values.old}:
            run, column, index = file_format.parse_block_key(key)
            if column == file_format.POSTINGS:
                found.setdefault(run, set()).add(index)
        return found

    def block(self, run: int, column: int, index: int) -> bytes | None:
        """A block, if it is sound."""
        key = file_format.block_key(file_format.block_number(run, column, index))
        values = self._values[file_format.BLOCKS]
        place = values.places.get(key) or values.old.get(key, [None])[-1]
        return None if place is None else self._read(place)

    def records(self) -> Iterator[tuple[int, Record]]:
        """The documents that are there, by id."""
        values = self._values[file_format.DOCUMENTS]
        for key in sorted({**values.places, **values.old}):
            first = file_format.parse_id_key(key) * RECORDS_PER_GROUP
            place = values.places.get(key)
            if place is not None:
                for document, record in enumerate(self._group(key, place), first):
                    if record is not None:
                        yield document, record
                continue
            some: dict[int, Record] = {}
            removed: set[int] = set()
            for place in values.old[key]:
                group = self._group(key, place)
                there = {document: record for document, record in enumerate(group, first) if record is not None}
                some.update(there)
                # Ids ascend: what is missing below one that is there had been there, and was removed.
                removed.update(set(range(first, max(there, default=first))) - set(there))
            for document in sorted(set(some) - removed):
                if self._may_live(document):
                    yield document, some[document]

    def _group(self, key: bytes, place: tuple[int, int]) -> list[Record | None]:
        try:
            return file_format.unpack_records(key, self._read(place))
        except Corrupt:
            return []

    def _chunk(self, document: int, *, old: bool) -> Iterator[NDArray[np.void]]:
        key = file_format.id_key(document // SIZES_PER_CHUNK)
        values = self._values[file_format.SIZES]
        places = [values.places[key]] if key in values.places else []
        for place in places or (values.old.get(key, []) if old else []):
            with suppress(Corrupt):
                yield np.frombuffer(file_format.unseal_sizes(key, self._read(place)), file_format.SIZE)

    def _may_live(self, document: int) -> bool:
        """Whether sizes that are surely the newest know a document; where they are lost, it may have been removed."""
        for chunk in self._chunk(document, old=False):
            return int(chunk["hashes"][document % SIZES_PER_CHUNK]) != file_format.DEAD
        self.changes_lost = True
        return True

    def share(self, document: int) -> int | None:
        """Of how much a document's hashes are a sample, which never changes; None where that is lost."""
        for chunk in self._chunk(document, old=True):
            size = chunk[document % SIZES_PER_CHUNK]
            if int(size["hashes"]) != file_format.DEAD:
                return int(size["share"])
        return None

    def sized(self) -> Iterator[int]:
        """The ids of documents that the newest sizes know."""
        for key in sorted(self._values[file_format.SIZES].places):
            first = file_format.parse_id_key(key) * SIZES_PER_CHUNK
            for chunk in self._chunk(first, old=False):
                for at in np.flatnonzero(chunk["hashes"] != file_format.DEAD).tolist():
                    yield first + at

    def names(self) -> dict[int, bytes]:
        """Names by id, as far as the newest say; a long one's key."""
        found = {}
        for key, place in self._values[file_format.NAMES].places.items():
            with suppress(Corrupt):
                found[file_format.parse_id_key(bytes(file_format.unseal(key, self._read(place))))] = key
        return found

    def text(self, document: int) -> bytes | None:
        """A kept text, packed, as far as its pieces follow each other; None where there is no first one."""
        pieces: list[bytes] = []
        values = self._values[file_format.TEXTS]
        while True:
            key = file_format.text_key(document, len(pieces))
            place = values.places.get(key) or values.old.get(key, [None])[-1]
            if place is None:
                return b"".join(pieces) if pieces else None
            pieces.append(bytes(file_format.unseal(key, self._read(place))))


def _age(state: State) -> tuple[int, ...]:
    """Of two states of a file, the later one's is greater."""
    documents = state.documents + state.boilerplate_documents
    dead = sum(run.dead for run in state.runs)
    return state.next_document + state.next_boilerplate, state.next_run, -documents, state.texts, dead


def _block_sizes(value: bytes) -> Iterator[int]:
    """How long a block is that begins so, by what it says of itself: as postings, and as positions."""
    checksum = file_format.CHECKSUM
    postings, hashes, high, low_bits, document_bits = struct.unpack_from("<HHHBB", value, checksum)
    lows = postings if hashes == 1 else hashes
    size = checksum + 20 + high + -(-lows * low_bits // 8) + 8
    if hashes > 1:
        size += -(-postings * document_bits // 8) + (-(-postings // 8) if hashes < postings else 0)
    if postings and size <= len(value):
        yield size
    count, bits = struct.unpack_from("<IB", value, checksum)
    size = checksum + 16 + -(-count * bits // 8)
    if count and size <= len(value):
        yield size
