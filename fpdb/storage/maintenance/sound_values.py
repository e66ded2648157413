"""The values of a damaged file that match their checksums, found by the trees as far as these lead.

Beyond, every page is looked at. A value's checksum covers its key, so a sound value tells what it is wherever it lies.
Old values lie around too, in pages that are free: they count only where the trees lead nowhere, and only if the list of
free pages is damaged too.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from fpdb.errors import Corrupt, NotADatabase
from fpdb.storage import file_format
from fpdb.storage._checksums import is_sound
from fpdb.storage.environment._page_check import HEADER, OVERFLOW, PAGE
from fpdb.storage.file_format import CHECKSUM
from fpdb.storage.maintenance.page_scan import ALL_KEYS, Entry, KeyRange, Pages, Tree, TreeWalk, free_pages
from fpdb.storage.name_table import unpack_names
from fpdb.storage.runs.blocks import block_count
from fpdb.storage.state import State

SALVAGED = file_format.named(1)  # seals are made anew
LARGEST_VALUE = 1 << 27
BLOCKS_PER_PAGE = PAGE // 32  # a leaf takes more for a key, a checksum and what LMDB notes
DOCUMENTS_PER_PAGE = PAGE // 4  # likewise, for a name in a block: two lengths, a byte, and a step between ids
MAX_TRIALS = 1 << 22  # of a key for a block that has lost its own
BYTES_PER_READ = 1 << 20


@dataclass
class Values:
    """The sound values of one database: where each begins in the file, and its size.

    gaps: the keys that the tree no longer leads to. old: all values found of keys whose newest one may be lost.
    """

    gaps: list[KeyRange] = field(default_factory=list)
    places: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    old: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)

    def newest(self, key: bytes) -> tuple[int, int] | None:
        """Return where the newest value of a key is."""
        return self.places.get(key) or self.old.get(key, [None])[-1]


class SoundValues:
    """The sound values of a file, by database.

    changes_lost: the newest state is lost, or what tells documents from those that were removed. recipe, state: of the
    newest commit whose record is sound.
    """

    def __init__(self, path: str) -> None:
        """Find the values.

        Raises:
            NotADatabase, NewerFormat: It is not a file of this fpdb.
            Corrupt: The recipe is lost.
            OSError: The file cannot be read.
        """
        self._pages = Pages(path)
        self.values = {name: Values() for name in SALVAGED}
        self._led_to: set[int] = set()  # pages that a tree leads to
        self._used: set[int] = set()  # pages that hold the values of entries
        self._free: set[int] | None = None
        self.changes_lost = False
        self.recipe: dict[str, Any] | None = None
        self.state: State | None = None
        try:
            trees = self._find_trees()
            for name in SALVAGED:
                self._walk(name, trees.get(name))
            if any(values.gaps for values in self.values.values()):
                self._look_everywhere()
                self._find_blocks()
            if self.recipe is None:
                self._find_recipe(path)
        except BaseException:
            self._pages.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._pages.close()

    def read(self, place: tuple[int, int]) -> bytes:
        """Return the value at a place."""
        return self._pages.read(*place)

    # ------------------------------------------------------------ where to begin

    def _find_trees(self) -> dict[bytes, Tree]:
        """Return the trees of the newest commit."""
        commits = self._pages.commits()
        root = -1
        if commits:
            self._free = free_pages(self._pages, commits[0])
            root = commits[0].main.root
            if root not in (self._free or ()):
                self.state = self._read_main(root)
            self.changes_lost = self.state is None
        distance = [newer.transaction - older.transaction for newer, older in pairwise(commits)]
        if self.state is None or distance not in ([1], [0]):  # no meta page may name the newest commit any more
            for number in range(2, self._pages.count):
                state = self._read_main(number)
                if state is not None and (self.state is None or _age(state) > _age(self.state)):
                    root, self.state, self._free = number, state, None
        self._led_to.add(root)
        self._read_main(root)
        return self._pages.trees(root)

    def _read_main(self, number: int) -> State | None:
        """Return the state that a page of the main tree holds; read the recipe as well."""
        state = None
        for entry in self._pages.entries(number):
            if entry.key in (file_format.FORMAT_KEY, file_format.STATE_KEY) and entry.size < PAGE:
                value = self._pages.read(entry.offset, entry.size)
                with suppress(Corrupt):
                    if entry.key == file_format.STATE_KEY:
                        state = self._with_room(State.unpack(value))
                    else:
                        self.recipe = file_format.unpack_format(value).recipe
        return state

    def _with_room(self, state: State) -> State | None:
        """Return a state if the file has room for the blocks and the documents that it counts."""
        has_room = sum(map(block_count, state.runs)) <= BLOCKS_PER_PAGE * self._pages.count
        documents = state.documents + state.boilerplate_documents
        return state if has_room and documents <= DOCUMENTS_PER_PAGE * self._pages.count else None

    def _find_recipe(self, path: str) -> None:
        for number in range(2, self._pages.count):
            self._read_main(number)
            if self.recipe is not None:
                return
        parts = range(0, self._pages.count * PAGE, BYTES_PER_READ)
        if not any(file_format.FORMAT_KEY in self._pages.read(offset, BYTES_PER_READ) for offset in parts):
            raise NotADatabase(f"{path!r} is not an fpdb database, or nothing of it is left")
        raise Corrupt(f"the recipe of {path!r} is lost, without which its fingerprints mean nothing: use a backup")

    # ------------------------------------------------------------ values

    def _walk(self, name: bytes, tree: Tree | None) -> None:
        values = self.values[name]
        if tree is None:
            values.gaps.append(ALL_KEYS)
            return
        walk = TreeWalk(self._pages, tree, self._free or frozenset())
        values.gaps += walk.gaps
        self._led_to |= walk.branches
        self._led_to.update(number for number, _ in walk.leaves)
        for entry, keys in walk.entries():
            if entry.key in keys and self._is_sound(name, entry):
                values.places[entry.key] = entry.offset, entry.size
                self._use(entry)
            elif not values.gaps or values.gaps[-1] != keys:
                values.gaps.append(keys)

    def _use(self, entry: Entry) -> None:
        self._used.update(range(entry.offset // PAGE, (entry.offset + entry.size - 1) // PAGE + 1))

    def _is_sound(self, name: bytes, entry: Entry) -> bool:
        if entry.size > LARGEST_VALUE:
            return False
        value = self._pages.read(entry.offset, entry.size)
        if name == file_format.BLOCKS:
            return len(entry.key) == 8 and is_sound(int.from_bytes(entry.key, "big"), value)
        try:
            body = file_format.unseal(entry.key, value)
            if name == file_format.NAMES:
                return bool(unpack_names(entry.key, value))
        except Corrupt:
            return False
        if name == file_format.TEXTS:
            return len(entry.key) == 8
        return len(entry.key) == 4 and len(body) != 4 and file_format.are_sizes(body) == (name == file_format.SIZES)

    def _unreached_pages(self, reached: set[int]) -> Iterator[int]:
        for number in range(2, self._pages.count):
            if number not in reached and (self._free is None or number not in self._free):
                yield number

    def _look_everywhere(self) -> None:
        """Fill gaps with what the leaves hold that no tree leads to."""
        for number in self._unreached_pages(self._led_to):
            for entry in self._pages.entries(number):
                for name, values in self.values.items():
                    in_gap = entry.key not in values.places and any(entry.key in gap for gap in values.gaps)
                    if in_gap and self._is_sound(name, entry):
                        values.old.setdefault(entry.key, []).append((entry.offset, entry.size))
                        self._use(entry)
        for values in self.values.values():
            if self._free is not None:  # none of them is old: each key's page was in use, and is there once
                values.places.update((key, places[-1]) for key, places in values.old.items())
                values.old.clear()

    def _find_blocks(self) -> None:
        """Find blocks whose leaf is lost, and with it their keys: those that are missing are tried."""
        places = self.values[file_format.BLOCKS].places
        missing = {number for number in _block_numbers(self.state) if file_format.block_key(number) not in places}
        trials = MAX_TRIALS
        for page_number in self._unreached_pages(self._used) if missing else ():
            page = self._pages.page(page_number, OVERFLOW)
            for size in () if page is None else _block_sizes(page[HEADER:]):
                value = page[HEADER : HEADER + size] if page else b""
                trials -= len(missing)
                if trials < 0:
                    return
                number = next((number for number in missing if is_sound(number, value)), None)
                if number is not None:
                    places[file_format.block_key(number)] = page_number * PAGE + HEADER, size
                    missing.discard(number)
                    break


def _block_numbers(state: State | None) -> Iterator[int]:
    """Yield the numbers of the posting and position blocks that a state lists."""
    for run in () if state is None else state.runs:
        for column, count in ((file_format.POSTINGS, run.blocks), (file_format.POSITIONS, run.position_blocks)):
            for index in range(count):
                yield file_format.block_number(run.number, column, index)


def _age(state: State) -> tuple[int, ...]:
    """Return what is greater for the later one of two states of a file."""
    documents = state.documents + state.boilerplate_documents
    dead = sum(run.dead for run in state.runs)
    return state.next_document + state.next_boilerplate, state.next_run, -documents, state.texts, dead


def _block_sizes(value: bytes) -> Iterator[int]:
    """Yield how long a block is that begins so, by what it says of itself: as postings, and as positions."""
    postings, hashes, high, low_bits, document_bits = struct.unpack_from("<HHHBB", value, CHECKSUM)
    lows = postings if hashes == 1 else hashes
    size = CHECKSUM + 20 + high + -(-lows * low_bits // 8) + 8
    if hashes > 1:
        size += -(-postings * document_bits // 8) + (-(-postings // 8) if hashes < postings else 0)
    if postings and size <= len(value):
        yield size
    count, bits = struct.unpack_from("<IB", value, CHECKSUM)
    size = CHECKSUM + 16 + -(-count * bits // 8)
    if count and size <= len(value):
        yield size
