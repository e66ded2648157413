"""The sizes of documents: packed arrays that every scored candidate needs.

A size is the numbers of distinct hashes (DEAD for a document that does not exist) and of those that are boilerplate,
and of how much the hashes are a sample. Works inside a transaction that it is given.
"""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final, NamedTuple, Self

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32
from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.file_format import SIZES_PER_CHUNK
from fpdb.storage.key_values import get_verified, put_all
from fpdb.storage.seal_tree import SealTree
from fpdb.storage.state import Roots

LARGEST_LISTED: Final = 1 << 16
NO_SIZE = np.array((file_format.DEAD, 0, 0), file_format.SIZE)  # of a document that does not exist


class HeldSizes(NamedTuple):
    """The numbers of hashes that documents hold, boilerplate left out.

    Attributes:
        by_id: DEAD for a document that does not exist; shape (ids,).
        distinct: The numbers up to LARGEST_LISTED that there are, ascending; shape (n,).
        counts: How many documents hold so many; shape (n,).
        larger: How many documents hold more than LARGEST_LISTED.
    """

    by_id: U32
    distinct: I64
    counts: I64
    larger: int

    @classmethod
    def of(cls, by_id: U32) -> Self:
        """Count the documents of each size."""
        counts = np.bincount(np.minimum(by_id, LARGEST_LISTED + 1), minlength=LARGEST_LISTED + 2)
        distinct = np.flatnonzero(counts[:-1])
        larger = int(counts[-1]) - int(np.count_nonzero(by_id == file_format.DEAD))
        return cls(by_id, distinct, counts[distinct], larger)


class SizeTable:
    """The sizes in one transaction; changes are written by `write`. Every method raises Corrupt."""

    def __init__(self, txn: lmdb.Transaction, database: Any, seals: SealTree) -> None:
        """Read from, and write to, the database of sizes in a transaction; seals: of its chunks."""
        self._txn = txn
        self._database = database
        self.seals = seals
        self._chunks: dict[int, NDArray[np.void]] = {}
        self._changed_chunks: set[int] = set()

    def _packed_chunks(self, indices: list[int]) -> list[bytes | memoryview]:
        """Return the bytes of chunks, valid until the next write; indices: ascending."""
        missing = [index for index in indices if index not in self._chunks] if self._chunks else indices
        keys = list(map(file_format.id_key, missing))
        values = [get_verified(self._txn, self._database, key) for key in keys]
        self.seals.verify_all(missing, values)
        read = list(map(_unpacked, keys, values))
        if len(missing) == len(indices):
            return read
        packed = dict(zip(missing, read, strict=True))
        return [self._chunks[index].tobytes() if index in self._chunks else packed[index] for index in indices]

    def _read_chunk(self, index: int) -> NDArray[np.void]:
        """Return a chunk to be read only, valid until the next write."""
        if index in self._chunks:
            return self._chunks[index]
        key = file_format.id_key(index)
        value = get_verified(self._txn, self._database, key)
        self.seals.verify(index, value)
        return np.frombuffer(_unpacked(key, value), file_format.SIZE)

    def _chunk(self, index: int) -> NDArray[np.void]:
        if index not in self._chunks:
            copied = bytearray(self._read_chunk(index))  # NumPy would copy structures one by one
            self._chunks[index] = np.frombuffer(copied, file_format.SIZE)
        return self._chunks[index]

    def _changed_chunk(self, index: int) -> NDArray[np.void]:
        self._changed_chunks.add(index)
        return self._chunk(index)

    def get(self, document_ids: U32) -> NDArray[np.void]:
        """Return the sizes of documents, see `CatalogueReader.sizes`; cheapest if neighbours stand together."""
        if not len(document_ids):
            return np.empty(0, file_format.SIZE)
        chunks, places = np.divmod(document_ids, SIZES_PER_CHUNK)
        new = np.concatenate(([True], chunks[1:] != chunks[:-1]))
        read = np.frombuffer(b"".join(self._packed_chunks(chunks[new].tolist())), file_format.SIZE)
        sizes: NDArray[np.void] = read[(new.cumsum() - 1) * SIZES_PER_CHUNK + places]
        return sizes

    def held(self, ids: int) -> U32:
        """Return how many hashes each of the documents 0 to ids - 1 holds, boilerplate left out, or DEAD; (ids,)."""
        packed = self._packed_chunks(list(range(-(-ids // SIZES_PER_CHUNK))))
        sizes = np.frombuffer(b"".join(packed), file_format.SIZE)[:ids]
        held: U32 = sizes["hashes"] - sizes["boilerplate"]
        return held

    def live_ids(self, first_id: int, last_id: int) -> I64:
        """Return the ids from first_id to last_id, both included, of documents that exist; ascending."""
        chunks = range(first_id // SIZES_PER_CHUNK, last_id // SIZES_PER_CHUNK + 1)
        keys = self._txn.cursor(self._database)
        keys.set_range(file_format.id_key(chunks.start))
        stored = (file_format.parse_id_key(bytes(key)) for key in keys.iternext(values=False))
        verified = self.seals.verify_indices(takewhile(chunks.__contains__, stored), chunks)
        indices = {*verified, *filter(chunks.__contains__, self._chunks)}
        parts = [
            index * SIZES_PER_CHUNK + np.flatnonzero(self._read_chunk(index)["hashes"] != file_format.DEAD)
            for index in sorted(indices)
        ]
        ids: I64 = np.concatenate([np.empty(0, np.int64), *parts])
        return ids[slice(*np.searchsorted(ids, [first_id, last_id + 1]))]

    def set(self, first_id: int, sizes: NDArray[np.void]) -> None:
        """Set the sizes of the documents first_id and following; dtype file_format.SIZE, shape (n,)."""
        for index, place, part in divide_ids(first_id, len(sizes), SIZES_PER_CHUNK):
            self._changed_chunk(index)[place : place + part.stop - part.start] = sizes[part]

    def change_boilerplate(self, document_ids: U32, by: int) -> None:
        """Add `by` to the boilerplate count of each document that exists, as often as its id occurs."""
        distinct, counts = np.unique(document_ids, return_counts=True)
        for document_id, count in zip(distinct.tolist(), counts.tolist(), strict=True):
            index, place = divmod(document_id, SIZES_PER_CHUNK)
            chunk = self._chunk(index)
            if int(chunk["hashes"][place]) != file_format.DEAD:  # numpy's own number compares wrongly without memory
                boilerplate = int(chunk["boilerplate"][place]) + by * count
                if not 0 <= boilerplate <= int(chunk["hashes"][place]):
                    raise Corrupt(
                        f"document {document_id} would have {boilerplate} boilerplate hashes; run 'fpdb check'"
                    )
                chunk["boilerplate"][place] = boilerplate
                self._changed_chunks.add(index)

    def delete(self, document_id: int) -> None:
        """Delete the sizes of a document."""
        index, place = divmod(document_id, SIZES_PER_CHUNK)
        self._changed_chunk(index)[place] = NO_SIZE

    def write(self) -> Roots:
        """Write all changes; a chunk without documents takes no space. Return the roots of the chunks' seals."""
        items = []
        for index in sorted(self._changed_chunks):
            key, packed = file_format.id_key(index), self._chunks[index].tobytes()
            value = None if packed == _empty_chunk() else file_format.seal(key, file_format.pack_sizes(packed))
            items.append((key, value))
            self.seals.set(index, value)
        put_all(self._txn, self._database, items)
        self._changed_chunks.clear()
        return self.seals.write()


def _empty_chunk() -> bytes:
    return NO_SIZE.tobytes() * SIZES_PER_CHUNK


def _unpacked(key: bytes, value: bytes | memoryview | None) -> bytes | memoryview:
    """Return the bytes of a chunk; of one that is not there, those of documents that do not exist."""
    return _empty_chunk() if value is None else file_format.unseal_sizes(key, value)


def divide_ids(first_id: int, count: int, size: int) -> Iterator[tuple[int, int, slice]]:
    """Divide ids among groups of a size: yield each group's index, the place of the first id in it, and their slice."""
    done = 0
    while done < count:
        index, place = divmod(first_id + done, size)
        part = slice(done, min(done + size - place, count))
        yield index, place, part
        done = part.stop
