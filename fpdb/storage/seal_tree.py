"""Hash trees over the values of databases whose keys are numbers.

A value that is older than the last commit has a right checksum, and so has a disk that lost a write. Here each value's
checksum is compared with the one that the last change has noted. A node of a tree notes the checksums of SEALS_PER_NODE
values, or of as many nodes below it; the state notes those of the highest nodes. Works inside a transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import group_starts
from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.file_format import CHECKSUM, SEALS_PER_NODE, Roots

LEVELS = 2
MAX_CACHED_NODES = 4096  # of 4 kB each
FEW = 16  # values that are verified faster one by one

Node = NDArray[np.uint64]
NodeCache = dict[tuple[int, int, int], tuple[int, Node]]
"""Nodes and their own checksums, by tree, level and index; for several transactions."""

_NO_SEAL = bytes(CHECKSUM)  # of a value that is not there


class SealTree:
    """One tree in one transaction; changes are written by `write`. Every method raises Corrupt."""

    def __init__(
        self, txn: lmdb.Transaction, database: Any | None, number: int, roots: Roots, cache: NodeCache
    ) -> None:
        """Read a tree.

        Args:
            txn: The transaction.
            database: The database of seals; None: the file has none, and nothing is verified.
            number: Which tree, see `file_format`.
            roots: The checksums of its highest nodes, as the state notes them.
            cache: Nodes that were verified.
        """
        self._txn = txn
        self._database = database
        self._number = number
        self._roots = dict(roots)
        self._cache = cache
        self._changes: dict[int, int] = {}

    def verify(self, index: int, value: bytes | memoryview | None) -> None:
        """Compare a value with the one that was written last under its number; value: None if there is none."""
        if self._database is not None:
            noted = self._node(0, index // SEALS_PER_NODE).item(index % SEALS_PER_NODE)
            if noted != _seal_of(value):
                raise _outdated(index)

    def verify_all(self, indices: Sequence[int], values: Sequence[bytes | memoryview | None]) -> None:
        """Do for values what `verify` does; indices: their numbers, ascending."""
        if len(indices) <= FEW or self._database is None:
            for index, value in zip(indices, values, strict=True):
                self.verify(index, value)
            return
        seals = np.frombuffer(b"".join(_NO_SEAL if value is None else value[:CHECKSUM] for value in values), "<u8")
        nodes, places = np.divmod(np.array(indices, np.int64), SEALS_PER_NODE)
        for start, end in pairwise([*group_starts(nodes).tolist(), len(nodes)]):
            noted = self._node(0, int(nodes[start]))[places[start:end]]
            wrong = np.flatnonzero(noted != seals[start:end])
            if len(wrong):
                raise _outdated(indices[start + int(wrong[0])])

    def verify_indices(self, stored: Iterable[int]) -> Iterator[int]:
        """Yield the numbers of all values that are stored, ascending, as long as they are those that were written."""
        if self._database is None:
            yield from stored
            return
        for index, noted in zip_longest(stored, self._indices()):
            if index != noted:
                raise _outdated(index if noted is None else noted)
            yield index

    def _indices(self) -> Iterator[int]:
        for root in sorted(self._roots):
            for index in self._children(LEVELS - 1, root):
                yield from self._children(0, index)

    def count_nodes(self) -> int:
        """Return the number of nodes."""
        return len(self._roots) + sum(len(self._children(LEVELS - 1, root)) for root in self._roots)

    def set(self, index: int, value: bytes | None) -> None:
        """Note the value that is written under a number; None: it is deleted."""
        self._changes[index] = _seal_of(value)

    def write(self) -> Roots:
        """Write the changed nodes; return the checksums of the highest ones."""
        if self._database is not None:
            changes = self._changes
            for level in range(LEVELS):
                changes = self._write_level(level, changes)
            self._roots = {index: seal for index, seal in {**self._roots, **changes}.items() if seal}
        self._changes = {}
        return tuple(sorted(self._roots.items()))

    def _write_level(self, level: int, changes: dict[int, int]) -> dict[int, int]:
        """Write the nodes of a level; return their new checksums, which are the changes of the level above."""
        indices = np.array(sorted(changes), np.int64)
        seals = np.array([changes[index] for index in indices.tolist()], np.uint64)
        nodes, places = np.divmod(indices, SEALS_PER_NODE)
        written = {}
        for start, end in pairwise([*group_starts(nodes).tolist(), len(nodes)]):
            index = int(nodes[start])
            node = self._node(level, index).copy()
            node[places[start:end]] = seals[start:end]
            written[index] = self._put(level, index, node)
        return written

    def _put(self, level: int, index: int, node: Node) -> int:
        key = file_format.seal_key(self._number, level, index)
        if not node.any():
            self._txn.delete(key, db=self._database)
            return 0
        value = file_format.pack_array(key, np.trim_zeros(node, "b"))
        self._txn.put(key, value, db=self._database)
        seal = _seal_of(value)
        self._remember(level, index, seal, node)
        return seal

    def _children(self, level: int, index: int) -> list[int]:
        places: list[int] = (np.flatnonzero(self._node(level, index)) + index * SEALS_PER_NODE).tolist()
        return places

    def _node(self, level: int, index: int) -> Node:
        """Return a node; shape (SEALS_PER_NODE,)."""
        if level == LEVELS - 1:
            seal = self._roots.get(index, 0)
        else:
            seal = self._node(level + 1, index // SEALS_PER_NODE).item(index % SEALS_PER_NODE)
        cached = self._cache.get((self._number, level, index))
        if cached is not None and cached[0] == seal:
            return cached[1]
        node = np.zeros(SEALS_PER_NODE, np.uint64)
        if seal:
            key = file_format.seal_key(self._number, level, index)
            value = self._txn.get(key, db=self._database)
            if value is None or _seal_of(value) != seal:
                raise Corrupt(f"the seals at {key!r} are not those of the last commit; run 'fpdb check'")
            noted = file_format.unpack_seals(key, value)
            node[: len(noted)] = noted
        self._remember(level, index, seal, node)
        return node

    def _remember(self, level: int, index: int, seal: int, node: Node) -> None:
        if len(self._cache) >= MAX_CACHED_NODES:
            self._cache.clear()
        self._cache[self._number, level, index] = seal, node


def _seal_of(value: bytes | memoryview | None) -> int:
    return 0 if value is None else int.from_bytes(value[:CHECKSUM], "little")


def _outdated(index: int) -> Corrupt:
    return Corrupt(f"the value of number {index} is not the one of the last commit; run 'fpdb check'")
