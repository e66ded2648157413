"""The pages of an LMDB file read one by one, without LMDB, however damaged: what its trees still lead to, and what lies
where no tree leads any more.

Knows the container (LMDB file format 1, pages of 4096 bytes), and nothing of what is stored: whether a value is sound
is for its user to say. Nothing here fails because of what is in the file.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from fpdb.storage.environment.page_check import PAGE

HEADER = 16
NOWHERE = 2**64 - 1
DEEPEST = 32
_HEADER = struct.Struct("<QHHHH")  # page number, pad, flags, lower and upper end of the free space
_NODE = struct.Struct("<IHH")  # size of the value, flags, bytes of the key
_TREE = struct.Struct("<4xHH32xQ")  # flags, depth, root
_META = struct.Struct("<16xI4x16x48s48sQQ")  # magic, free list, main tree, last page, transaction
_MAGIC = 0xBEEFC0DE
BRANCH, LEAF, OVERFLOW = 1, 2, 4
BIG, TREE = 1, 2  # flags of a node: its value is on pages of its own; is the record of a tree


class Tree(NamedTuple):
    """Where a tree begins."""

    depth: int
    root: int

    @classmethod
    def of(cls, record: bytes) -> Tree:
        """The tree of an LMDB record."""
        _, depth, root = _TREE.unpack(record)
        return cls(depth, root)


class Commit(NamedTuple):
    """What a meta page says."""

    transaction: int
    pages: int
    free: Tree
    main: Tree


class Entry(NamedTuple):
    """An entry of a leaf. at: where in the file its value begins."""

    key: bytes
    flags: int
    at: int
    size: int


class Gap(NamedTuple):
    """Keys that a tree no longer leads to: from low on, below high; None: to the end."""

    low: bytes
    high: bytes | None

    def __contains__(self, key: object) -> bool:
        return isinstance(key, bytes) and self.low <= key and (self.high is None or key < self.high)


class Pages:
    """A file's pages. What the medium does not give counts as zeros."""

    def __init__(self, path: str) -> None:
        """Raises OSError."""
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.count = -(-os.fstat(self._file).st_size // PAGE)
        self.unreadable = 0

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)

    def read(self, at: int, size: int) -> bytes:
        """Bytes of the file, zeros where there are none; size: of a page, or of a value."""
        data = b""
        if 0 <= at < self.count * PAGE and size <= self.count * PAGE:
            try:
                data = os.pread(self._file, size, at)
            except OSError:
                self.unreadable += 1
        return data.ljust(size if size <= self.count * PAGE else 0, b"\0")

    def page(self, number: int, sorts: int) -> bytes | None:
        """The page of this number, if it says so itself and is of one of these sorts."""
        if not 2 <= number < self.count:
            return None
        page = self.read(number * PAGE, PAGE)
        itself, _, flags, lower, upper = _HEADER.unpack_from(page)
        if itself != number or flags not in (BRANCH, LEAF, OVERFLOW) or not flags & sorts:
            return None
        if flags != OVERFLOW and not HEADER <= lower <= upper <= PAGE:
            return None
        return page

    def commits(self) -> list[Commit]:
        """What the two meta pages say, the newest first."""
        found = []
        for number in (0, 1):
            magic, free, main, last, transaction = _META.unpack_from(self.read(number * PAGE, PAGE))
            if magic == _MAGIC and transaction & 1 == number:
                found.append(Commit(transaction, last + 1, Tree.of(free), Tree.of(main)))
        return sorted(found, reverse=True)

    def entries(self, number: int, page: bytes) -> Iterator[Entry]:
        """The entries of a leaf, as far as they lie in it."""
        for node in _nodes(page):
            size, flags, key_size = _NODE.unpack_from(page, node)
            at = node + _NODE.size + key_size
            if at > PAGE:
                continue
            key = page[node + _NODE.size : at]
            if not flags & BIG:
                yield Entry(key, flags, number * PAGE + at, size)
            elif at + 8 <= PAGE:
                (first,) = struct.unpack_from("<Q", page, at)
                yield Entry(key, flags, first * PAGE + HEADER, size)

    def below(self, page: bytes) -> Iterator[tuple[bytes, int]]:
        """What a branch leads to: the first key below, and the page."""
        for index, node in enumerate(_nodes(page)):
            low, high, key_size = _NODE.unpack_from(page, node)
            key = page[node + _NODE.size : node + _NODE.size + key_size]
            yield (key if index else b""), low | high << 32


def _nodes(page: bytes) -> Iterator[int]:
    """Where the entries of a page begin, of those that can be entries."""
    lower = _HEADER.unpack_from(page)[3]
    for slot in range(HEADER, lower - 1, 2):
        (node,) = struct.unpack_from("<H", page, slot)
        if HEADER < node <= PAGE - _NODE.size:
            yield node


class Walk:
    """What a tree still leads to: its leaves, and the gaps between them."""

    def __init__(self, pages: Pages, tree: Tree, stale: frozenset[int] | set[int] = frozenset()) -> None:
        """stale: pages that no tree can lead to."""
        self._pages, self._stale = pages, stale
        self.leaves: list[tuple[int, Gap]] = []
        self.branches: set[int] = set()
        self.gaps: list[Gap] = []
        if tree.root != NOWHERE:
            self._descend(tree.root, Gap(b"", None), min(tree.depth, DEEPEST))

    def _descend(self, number: int, keys: Gap, depth: int) -> None:
        page = self._pages.page(number, LEAF if depth <= 1 else BRANCH)
        if page is None or depth < 1 or number in self._stale or number in self.branches:
            self.gaps.append(keys)
            return
        if depth == 1:
            self.leaves.append((number, keys))
            return
        self.branches.add(number)
        parts = list(self._pages.below(page))
        lows = [keys.low, *(key for key, _ in parts[1:])]
        if not parts or lows != sorted(set(lows)) or (keys.high is not None and lows[-1] >= keys.high):
            self.gaps.append(keys)  # a wrong key: what lies below may be anywhere between these
        for index, (_, child) in enumerate(parts):
            high = lows[index + 1] if index + 1 < len(parts) else keys.high
            self._descend(child, Gap(lows[index], high), depth - 1)

    def entries(self) -> Iterator[tuple[Entry, Gap]]:
        """All entries of the leaves, each with the keys that its leaf may have."""
        for number, keys in self.leaves:
            page = self._pages.page(number, LEAF)
            for entry in () if page is None else self._pages.entries(number, page):
                yield entry, keys


def free_pages(pages: Pages, commit: Commit) -> set[int] | None:
    """The pages that a commit counts as free; None where the list of them is damaged."""
    walk = Walk(pages, commit.free)
    free: set[int] = set()
    newest = 0
    for entry, _ in walk.entries():
        newest = max(newest, int.from_bytes(entry.key, "little"))
        value = pages.read(entry.at, entry.size)
        if entry.size < 8 or entry.size % 8 or len(value) != entry.size:
            return None
        numbers = struct.unpack(f"<{entry.size // 8}Q", value)
        if numbers[0] != len(numbers) - 1 or any(not 2 <= number < commit.pages for number in numbers[1:]):
            return None
        free.update(numbers[1:])
    # Each commit but the first frees pages, at least the root that it replaces: an older list has no such entry.
    return None if walk.gaps or newest != (commit.transaction if newest or commit.transaction > 2 else 0) else free


def trees(pages: Pages, number: int) -> dict[bytes, Tree] | None:
    """The named trees of a leaf; None where the page is no leaf."""
    page = pages.page(number, LEAF)
    if page is None:
        return None
    found = {}
    for entry in pages.entries(number, page):
        if entry.flags == TREE and entry.size == 48:
            with suppress(struct.error):
                found[entry.key] = Tree.of(pages.read(entry.at, entry.size))
    return found
