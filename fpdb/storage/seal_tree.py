"""Hash trees over the values of databases whose keys are numbers.

A value that is older than the last commit has a right checksum, and so has a disk that lost a write. Here each value's
checksum is compared with the one that the last change has noted. A node of a tree notes the checksums of SEALS_PER_NODE
values, or of as many nodes below it; the state notes those of the highest nodes. Works inside a transaction.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any

import lmdb
import numpy as np

from fpdb.arrays import U64, group_starts
from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage._checksums import change_seals
from fpdb.storage.file_format import CHECKSUM, SEALS_PER_NODE
from fpdb.storage.state import Roots

LEVELS = 2
MAX_CACHED_NODES = 4096  # of 4 kB each
ALL_INDICES = range(2**32)
FEW = 16  # values that are verified faster one by one

_NO_SEAL = bytes(CHECKSUM)  # of a value that is not there


@dataclass
class SealCache:
    """Nodes that were verified, for several transactions.

    Attributes:
        nodes: By tree, level and index: the node's own checksum, and the node.
        lowest: By tree: roots, and the nodes of level 0 under them.
    """

    nodes: dict[tuple[int, int, int], tuple[int, bytes]] = field(default_factory=dict)
    lowest: dict[int, tuple[Roots, dict[int, bytes]]] = field(default_factory=dict)


class SealTree:
    """One tree in one transaction; changes are written by `write`. Every method raises Corrupt.

    A node is the bytes of its checksums, one after the other, up to the last that is there.
    """

    def __init__(self, txn: lmdb.Transaction, database: Any, number: int, roots: Roots, cache: SealCache) -> None:
        """Read a tree.

        Args:
            txn: The transaction.
            database: The database of seals; None if the file has none: then nothing is verified.
            number: Which tree, see `file_format`.
            roots: The checksums of its highest nodes, as the state notes them.
            cache: Nodes that were verified.
        """
        self._txn = txn
        self._database = database
        self._number = number
        self._roots = dict(roots)
        self._cache = cache
        if number not in cache.lowest or cache.lowest[number][0] != roots:
            cache.lowest[number] = roots, {}
        self._lowest = cache.lowest[number][1]
        self._changes: dict[int, bytes] = {}

    def verify(self, index: int, value: bytes | memoryview | None) -> None:
        """Compare a value with the one that was written last under its number; value: None if there is none."""
        if self._database is not None:
            parent, place = divmod(index, SEALS_PER_NODE)
            node = self._lowest.get(parent)
            if node is None:
                node = self._lowest[parent] = self._node(0, parent)
            noted = node[place * CHECKSUM : (place + 1) * CHECKSUM]
            if (noted or _NO_SEAL) != (_NO_SEAL if value is None else value[:CHECKSUM]):
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
            wrong = np.flatnonzero(self._seals(0, int(nodes[start]))[places[start:end]] != seals[start:end])
            if len(wrong):
                raise _outdated(indices[start + int(wrong[0])])

    def verify_indices(self, stored: Iterable[int], limits: range = ALL_INDICES) -> Iterator[int]:
        """Yield the numbers of all values that are stored, ascending, as long as they are those that were written.

        limits: Only numbers within are stored, and looked at.
        """
        if self._database is None:
            yield from stored
            return
        for index, noted in zip_longest(stored, self._indices(limits)):
            if index != noted:
                raise _outdated(index if noted is None else noted)
            yield index

    def _indices(self, limits: range) -> Iterator[int]:
        for root in sorted(self._roots):
            for index in self._children(LEVELS - 1, root):
                if index * SEALS_PER_NODE < limits.stop and (index + 1) * SEALS_PER_NODE > limits.start:
                    yield from filter(limits.__contains__, self._children(0, index))

    def count_nodes(self) -> int:
        """Return the number of nodes."""
        return len(self._roots) + sum(len(self._children(LEVELS - 1, root)) for root in self._roots)

    def set(self, index: int, value: bytes | None) -> None:
        """Note the value that is written under a number; None: it is deleted."""
        self._changes[index] = _NO_SEAL if value is None else value[:CHECKSUM]

    def write(self) -> Roots:
        """Write the changed nodes; return the checksums of the highest ones."""
        if self._database is not None:
            changes = self._changes
            for level in range(LEVELS):
                changes = self._write_level(level, changes)
            roots = {**self._roots, **{index: _number(seal) for index, seal in changes.items()}}
            self._roots = {index: seal for index, seal in roots.items() if seal}
        self._changes, self._lowest = {}, {}
        return tuple(sorted(self._roots.items()))

    def _write_level(self, level: int, changes: Mapping[int, bytes]) -> dict[int, bytes]:
        """Write the nodes of a level; return their new checksums, which are the changes of the level above."""
        nodes: dict[int, list[tuple[int, bytes]]] = {}
        for index, seal in changes.items():
            parent, place = divmod(index, SEALS_PER_NODE)
            nodes.setdefault(parent, []).append((place, seal))
        return {index: self._change(level, index, places) for index, places in nodes.items()}

    def _change(self, level: int, index: int, changes: list[tuple[int, bytes]]) -> bytes:
        """Write a node with these checksums in these places of it; return its new checksum."""
        key = file_format.seal_key(self._number, level, index)
        old = self._lowest.get(index) if level == 0 else None
        node = change_seals(self._node(level, index) if old is None else old, changes)
        if not node:
            self._txn.delete(key, db=self._database)
            return _NO_SEAL
        value = file_format.seal(key, node)
        self._txn.put(key, value, db=self._database)
        seal = value[:CHECKSUM]
        self._remember(level, index, _number(seal), node)
        return seal

    def _children(self, level: int, index: int) -> list[int]:
        places: list[int] = (np.flatnonzero(self._seals(level, index)) + index * SEALS_PER_NODE).tolist()
        return places

    def _seals(self, level: int, index: int) -> U64:
        """Return the checksums of a node; shape (SEALS_PER_NODE,)."""
        return np.frombuffer(self._node(level, index).ljust(SEALS_PER_NODE * CHECKSUM, b"\0"), "<u8")

    def _node(self, level: int, index: int) -> bytes:
        if level == LEVELS - 1:
            seal = self._roots.get(index, 0)
        else:
            parent, place = divmod(index, SEALS_PER_NODE)
            seal = _number(self._node(level + 1, parent)[place * CHECKSUM : (place + 1) * CHECKSUM])
        cached = self._cache.nodes.get((self._number, level, index))
        if cached is not None and cached[0] == seal:
            return cached[1]
        node = self._read(file_format.seal_key(self._number, level, index), seal) if seal else b""
        self._remember(level, index, seal, node)
        return node

    def _read(self, key: bytes, seal: int) -> bytes:
        value = self._txn.get(key, db=self._database)
        if value is None or _number(value[:CHECKSUM]) != seal:
            raise Corrupt(f"the seals at {key!r} are not those of the last commit; run 'fpdb check'")
        return file_format.unseal_node(key, value)

    def _remember(self, level: int, index: int, seal: int, node: bytes) -> None:
        nodes = self._cache.nodes
        if len(nodes) >= MAX_CACHED_NODES:
            nodes.clear()
            self._cache.lowest.clear()
        nodes[self._number, level, index] = seal, node


def _number(seal: bytes | memoryview) -> int:
    return int.from_bytes(seal, "little")


def _outdated(index: int) -> Corrupt:
    return Corrupt(f"the value of number {index} is not the one of the last commit; run 'fpdb check'")
