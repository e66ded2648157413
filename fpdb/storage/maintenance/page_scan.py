"""The pages of an LMDB file read one by one, without LMDB, however damaged.

Tells what the trees still lead to, and what lies where no tree leads any more. Knows the container and nothing of what
is stored: whether a value is sound is for its user to say. Nothing here fails because of what is in the file.
"""

import os
import struct
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple

from fpdb.storage.environment._page_check import (
    BIG,
    BRANCH,
    DATABASE,
    DEEPEST,
    HEADER,
    LEAF,
    OVERFLOW,
    PAGE,
    TREE_RECORD,
)
from fpdb.storage.environment.page_format import MAGIC, NODE_HEADER, NOWHERE, PAGE_HEADER, TREE, Meta


class Tree(NamedTuple):
    """The root of a tree."""

    depth: int
    root: int

    @classmethod
    def parse(cls, record: bytes) -> "Tree":
        """Return the tree of an LMDB record."""
        _, depth, root = TREE.unpack(record)
        return cls(depth, root)


class Commit(NamedTuple):
    """The content of a meta page."""

    transaction: int
    pages: int
    free: Tree
    main: Tree


class Entry(NamedTuple):
    """An entry of a leaf. offset: where in the file its value begins."""

    key: bytes
    flags: int
    offset: int
    size: int


class KeyRange(NamedTuple):
    """Keys from low on, below high; None: to the end."""

    low: bytes
    high: bytes | None

    def __contains__(self, key: object) -> bool:
        """Return True if the key is in the range."""
        return isinstance(key, bytes) and self.low <= key and (self.high is None or key < self.high)


ALL_KEYS = KeyRange(b"", None)


class Pages:
    """The pages of a file. What the medium does not give counts as zeros."""

    def __init__(self, path: str) -> None:
        """Open the file. Raises OSError."""
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.count = -(-os.fstat(self._file).st_size // PAGE)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes of the file, a page or a value, zeros where there are none."""
        if size > self.count * PAGE:
            return b""
        data = b""
        if 0 <= offset < self.count * PAGE:
            with suppress(OSError):
                data = os.pread(self._file, size, offset)
        return data.ljust(size, b"\0")

    def page(self, number: int, types: int) -> bytes | None:
        """Return the page of this number, if it says so itself and is of one of these types."""
        if not 2 <= number < self.count:
            return None
        page = self.read(number * PAGE, PAGE)
        own_number, _, flags, lower, upper = PAGE_HEADER.unpack_from(page)
        if own_number != number or flags not in (BRANCH, LEAF, OVERFLOW) or not flags & types:
            return None
        if flags != OVERFLOW and not HEADER <= lower <= upper <= PAGE:
            return None
        return page

    def commits(self) -> list[Commit]:
        """Return what the two meta pages say, the newest first."""
        start = self.read(0, 2 * PAGE)
        commits = []
        for number in (0, 1):
            meta = Meta.read(start, number)
            if meta is not None and meta.magic == MAGIC and meta.transaction & 1 == number:
                trees = Tree.parse(meta.free), Tree.parse(meta.main)
                commits.append(Commit(meta.transaction, meta.last_page + 1, *trees))
        return sorted(commits, reverse=True)

    def entries(self, number: int) -> Iterator[Entry]:
        """Yield the entries of a leaf, as far as they lie in it; none where the page is no leaf."""
        page = self.page(number, LEAF)
        if page is None:
            return
        for node in _nodes(page):
            size, flags, key_size = NODE_HEADER.unpack_from(page, node)
            end = node + NODE_HEADER.size + key_size
            if end > PAGE:
                continue
            key = page[node + NODE_HEADER.size : end]
            if not flags & BIG:
                yield Entry(key, flags, number * PAGE + end, size)
            elif end + 8 <= PAGE:
                first = int.from_bytes(page[end : end + 8], "little")
                yield Entry(key, flags, first * PAGE + HEADER, size)

    def trees(self, number: int) -> dict[bytes, Tree]:
        """Return the named trees of a leaf; none where the page is no leaf."""
        return {
            entry.key: Tree.parse(self.read(entry.offset, entry.size))
            for entry in self.entries(number)
            if entry.flags == DATABASE and entry.size == TREE_RECORD <= self.count * PAGE
        }


def _children(page: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield what a branch leads to: the first key below, and the page."""
    for index, node in enumerate(_nodes(page)):
        low, high, key_size = NODE_HEADER.unpack_from(page, node)
        key = page[node + NODE_HEADER.size : node + NODE_HEADER.size + key_size]
        yield (key if index else b""), low | high << 32


def _nodes(page: bytes) -> Iterator[int]:
    """Yield where the entries of a page begin, of those that can be entries."""
    lower = PAGE_HEADER.unpack_from(page)[3]
    for slot in range(HEADER, lower - 1, 2):
        (node,) = struct.unpack_from("<H", page, slot)
        if HEADER < node <= PAGE - NODE_HEADER.size:
            yield node


class TreeWalk:
    """The pages that a tree still leads to: its leaves, each with the keys it may have, and the gaps between them."""

    def __init__(self, pages: Pages, tree: Tree, stale: Collection[int] = frozenset()) -> None:
        """Walk the tree. stale: pages that no tree can lead to."""
        self._pages, self._stale = pages, stale
        self.leaves: list[tuple[int, KeyRange]] = []
        self.branches: set[int] = set()
        self.gaps: list[KeyRange] = []
        if tree.root != NOWHERE:
            self._descend(tree.root, ALL_KEYS, min(tree.depth, DEEPEST))

    def _descend(self, number: int, keys: KeyRange, depth: int) -> None:
        page = self._pages.page(number, LEAF if depth <= 1 else BRANCH)
        if page is None or depth < 1 or number in self._stale or number in self.branches:
            self.gaps.append(keys)
            return
        if depth == 1:
            self.leaves.append((number, keys))
            return
        self.branches.add(number)
        children = list(_children(page))
        lows = [keys.low, *(key for key, _ in children[1:])]
        if not children or lows != sorted(set(lows)) or (keys.high is not None and lows[-1] >= keys.high):
            self.gaps.append(keys)  # a wrong key: what lies below may be anywhere between these
        for (_, child), low, high in zip(children, lows, [*lows[1:], keys.high], strict=False):
            self._descend(child, KeyRange(low, high), depth - 1)

    def entries(self) -> Iterator[tuple[Entry, KeyRange]]:
        """Yield all entries of the leaves, each with the keys that its leaf may have."""
        for number, keys in self.leaves:
            for entry in self._pages.entries(number):
                yield entry, keys


def free_pages(pages: Pages, commit: Commit) -> set[int] | None:
    """Return the pages that a commit counts as free; None where the list of them is damaged."""
    walk = TreeWalk(pages, commit.free)
    free: set[int] = set()
    newest = 0
    for entry, _ in walk.entries():
        newest = max(newest, int.from_bytes(entry.key, "little"))
        value = pages.read(entry.offset, entry.size)
        if entry.size < 8 or entry.size % 8 or len(value) != entry.size:
            return None
        count, *numbers = struct.unpack(f"<{entry.size // 8}Q", value)
        if count != len(numbers) or any(not 2 <= number < commit.pages for number in numbers):
            return None
        free.update(numbers)
    # Each commit but the first frees pages, at least the root that it replaces: an older list has no such entry.
    expected = commit.transaction if newest or commit.transaction > 2 else 0
    return None if walk.gaps or newest != expected else free
