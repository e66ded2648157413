"""The catalogue: names and records of documents, and the packed arrays of sizes that every scored candidate needs.

Works inside a transaction that it is given; knows nothing of postings.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, pairwise, takewhile
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U8, U32, Bools, group_starts
from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.file_format import LONGEST_PLAIN_NAME, RECORDS_PER_GROUP, SIZES_PER_CHUNK
from fpdb.storage.reader import CatalogueReader
from fpdb.storage.records import Record, as_record, describe, pack_records, unpack_records, unpack_rows

CACHED_GROUPS = 512  # half a megabyte or so
NO_SIZE = np.array((file_format.DEAD, 0, 0), file_format.SIZE)  # of a document that does not exist

Rows = list[Record | list[Any] | None]
"""A group of records; a list is a record as it is stored."""


class Catalogue:
    """The catalogue in one transaction; changes are written by `write`. Every method raises Corrupt."""

    def __init__(self, txn: lmdb.Transaction, databases: Mapping[bytes, Any]) -> None:
        """Read from, and write to, the named databases of a transaction."""
        self._txn = txn
        self._documents = databases[file_format.DOCUMENTS]
        self._names = databases[file_format.NAMES]
        self._sizes = databases[file_format.SIZES]
        self._cached_groups: dict[int, Rows] = {}
        self._changed_groups: dict[int, Rows] = {}
        self._chunks: dict[int, NDArray[np.void]] = {}
        self._changed_chunks: set[int] = set()

    def _get(self, database: Any, key: bytes) -> Any:
        """Return the value of a key, or None if the keys around its place show that it does not exist."""
        value = self._txn.get(key, db=database)
        if value is None:
            cursor = self._txn.cursor(database)
            if cursor.set_range(key):
                file_format.unseal(bytes(cursor.key()), cursor.value())
            _check_before(cursor, key)
        return value

    # ------------------------------------------------------------ names

    def find(self, name: bytes, *, sure: bool = True) -> int | None:
        """Return the id of the document of a name, or None.

        Args:
            name: The name.
            sure: Verify that a missing name is not a damaged key. Costs more.
        """
        key = file_format.name_key(name)
        value = self._get(self._names, key) if sure else self._txn.get(key, db=self._names)
        return None if value is None else _parse_id(key, value)

    def find_all(self, names: Iterable[bytes]) -> dict[bytes, int]:
        """Return the ids of the documents of those names that exist; the others are not damaged keys."""
        names_by_key = {file_format.name_key(name): name for name in names}
        keys = sorted(names_by_key)
        cursor = self._txn.cursor(self._names)
        values = {bytes(key): value for key, value in cursor.getmulti(keys)}
        gap_end: bytes | None = b""  # of the gap between names that was verified last
        for key in keys:
            if gap_end is not None and key >= gap_end and key not in values:
                gap_end = bytes(cursor.key()) if cursor.set_range(key) else None
                if gap_end is not None:
                    file_format.unseal(gap_end, cursor.value())
                _check_before(cursor, key)
        return {names_by_key[key]: _parse_id(key, value) for key, value in values.items()}

    def names(self) -> Iterator[tuple[bytes, int]]:
        """Yield the key and the document id of every name, in the order of keys."""
        for key, value in self._txn.cursor(self._names):
            yield bytes(key), _parse_id(bytes(key), value)

    def in_order_of_names(self, beginning: bytes = b"") -> Iterator[int]:
        """Yield the ids of the documents whose names begin so, in the order of the names' bytes."""
        cursor = self._txn.cursor(self._names)
        beginning = beginning[:LONGEST_PLAIN_NAME]
        if beginning:
            cursor.set_range(beginning)
            _check_before(cursor, beginning)
        if not (cursor.set_range(beginning) if beginning else cursor.first()):
            return
        entries = ((bytes(key), _parse_id(bytes(key), value)) for key, value in cursor)
        # The keys of long names end in digests: those of one beginning are put in order here.
        for (_, long), group in groupby(takewhile(lambda entry: entry[0].startswith(beginning), entries), _long_name):
            ids = [document_id for _, document_id in group]
            yield from sorted(ids, key=lambda document_id: self.record(document_id).name) if long else ids

    def first_by_name(self, candidates: Bools, count: int) -> list[int]:
        """Return the ids of the candidates whose names come first, see `CatalogueReader.first_by_name`."""
        total = int(np.count_nonzero(candidates))
        if total > count:
            # Many candidates come up soon among the names in order; looking longer than at each costs more.
            first: list[int] = []
            for document_id in islice(self.in_order_of_names(), total):
                if document_id < len(candidates) and candidates[document_id]:
                    first.append(document_id)
                    if len(first) == count:
                        return first
        ids: list[int] = candidates.nonzero()[0].tolist()
        return ids if total <= count else sorted(ids, key=lambda document_id: self.record(document_id).name)[:count]

    def set_names(self, first_id: int, names: Iterable[bytes]) -> None:
        """Name the documents first_id and following."""
        entries = sorted((file_format.name_key(name), document_id) for document_id, name in enumerate(names, first_id))
        self._txn.cursor(self._names).putmulti(_sealed_names(entries))

    def append_names(self, entries: Iterable[tuple[bytes, int]]) -> None:
        """Write keys of names and their document ids, in the order of keys, after all that exist."""
        items = _sealed_names(entries)
        _, added = self._txn.cursor(self._names).putmulti(items, append=True)
        if added != len(items):
            raise Corrupt("names came out of order; run 'fpdb check'")

    # ------------------------------------------------------------ records

    def record(self, document_id: int) -> Record:
        """Return the record of a document, which must exist."""
        index, place = divmod(document_id, RECORDS_PER_GROUP)
        rows = self._changed_groups.get(index) or self._rows(index)
        record = rows[place] = as_record(file_format.id_key(index), rows[place])
        if record is None:
            raise _missing(document_id)
        return record

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield the id and the record of every document, boilerplate excluded, by ascending id."""
        return takewhile(lambda entry: entry[0] < file_format.FIRST_BOILERPLATE, self.all_records())

    def all_records(self) -> Iterator[tuple[int, Record]]:
        """Yield the id and the record of every document, boilerplate included, by ascending id."""
        for key, value in self._txn.cursor(self._documents):
            key = bytes(key)
            first_id = file_format.parse_id_key(key) * RECORDS_PER_GROUP
            for document_id, record in enumerate(unpack_records(key, value), first_id):
                if record is not None:
                    yield document_id, record

    def names_and_kgrams(self, document_ids: U32) -> tuple[list[bytes], list[int]]:
        """Return the names and the numbers of k-grams of existing documents; ids ascending.

        Reads each group once, and makes no objects of the rest of it.
        """
        names: list[bytes] = []
        kgrams: list[int] = []
        groups, places = np.divmod(document_ids, RECORDS_PER_GROUP)
        place_list: list[int] = places.tolist()
        for start, end in pairwise([*group_starts(groups).tolist(), len(groups)]):
            key = file_format.id_key(int(groups[start]))
            value = self._get(self._documents, key)
            try:
                if value is None:
                    raise LookupError
                describe(key, value, place_list[start:end], names, kgrams)
            except LookupError:
                raise _missing(int(document_ids[len(names)])) from None
        return names, kgrams

    def _rows(self, index: int) -> Rows:
        """Return an unchanged group. It is cached: who asks for a record may ask for its neighbours."""
        rows = self._cached_groups.get(index)
        if rows is None:
            if len(self._cached_groups) >= CACHED_GROUPS:
                del self._cached_groups[next(iter(self._cached_groups))]
            key = file_format.id_key(index)
            value = self._get(self._documents, key)
            rows = [None] * RECORDS_PER_GROUP if value is None else unpack_rows(key, value)
            self._cached_groups[index] = rows
        return rows

    def _group(self, index: int) -> Rows:
        """Return a group that is to be changed."""
        if index not in self._changed_groups:
            self._changed_groups[index] = self._rows(index)
        return self._changed_groups[index]

    def set_record(self, document_id: int, record: Record) -> None:
        """Set the record of a document; its name's entry stays as it is."""
        index, place = divmod(document_id, RECORDS_PER_GROUP)
        self._group(index)[place] = record

    def add_records(self, first_id: int, records: Sequence[Record]) -> None:
        """Set the records of the documents first_id and following."""
        for index, place, part in _pieces(first_id, len(records), RECORDS_PER_GROUP):
            self._group(index)[place : place + part.stop - part.start] = records[part]

    def delete(self, document_id: int, name: bytes | None) -> Record:
        """Delete a document's record, its sizes and its name.

        Args:
            document_id: The document, which must exist.
            name: Its name, or None if another document has taken it over.

        Returns:
            The record.
        """
        record = self.record(document_id)
        index, place = divmod(document_id, RECORDS_PER_GROUP)
        self._group(index)[place] = None
        if name is not None:
            self._txn.delete(file_format.name_key(name), db=self._names)
        index, place = divmod(document_id, SIZES_PER_CHUNK)
        self._changed_chunk(index)[place] = NO_SIZE
        return record

    # ------------------------------------------------------------ sizes

    def _packed_chunk(self, index: int) -> bytes | memoryview:
        """Return the bytes of a chunk, valid until the next write."""
        chunk = self._chunks.get(index)
        if chunk is not None:
            return chunk.tobytes()
        key = file_format.id_key(index)
        value = self._get(self._sizes, key)
        return NO_SIZE.tobytes() * SIZES_PER_CHUNK if value is None else file_format.unseal_sizes(key, value)

    def _read_chunk(self, index: int) -> NDArray[np.void]:
        """Return a chunk to be read only, valid until the next write."""
        return np.frombuffer(self._packed_chunk(index), file_format.SIZE)

    def _chunk(self, index: int) -> NDArray[np.void]:
        chunk = self._chunks.get(index)
        if chunk is None:
            chunk = self._chunks[index] = self._read_chunk(index).copy()
        return chunk

    def _changed_chunk(self, index: int) -> NDArray[np.void]:
        self._changed_chunks.add(index)
        return self._chunk(index)

    def sizes(self, document_ids: U32) -> NDArray[np.void]:
        """Return the sizes of documents, see `CatalogueReader.sizes`; cheapest if neighbours stand together."""
        if not len(document_ids):
            return np.empty(0, file_format.SIZE)
        chunks, places = np.divmod(document_ids, SIZES_PER_CHUNK)
        new = np.concatenate(([True], chunks[1:] != chunks[:-1]))
        read = np.frombuffer(b"".join(map(self._packed_chunk, chunks[new].tolist())), file_format.SIZE)
        sizes: NDArray[np.void] = read[(np.cumsum(new) - 1) * SIZES_PER_CHUNK + places]
        return sizes

    def dead(self, first_id: int, last_id: int) -> U8:
        """Return 1 for each id of first_id to last_id, both included, whose document does not exist."""
        ids = last_id + 1 - first_id
        chunks = range(first_id // SIZES_PER_CHUNK, last_id // SIZES_PER_CHUNK + 1)
        dead = [self._read_chunk(index)["hashes"] == file_format.DEAD for index in chunks]
        return np.concatenate(dead)[first_id % SIZES_PER_CHUNK :][:ids].astype(np.uint8)

    def sized(self) -> Iterator[int]:
        """Yield the ids of all documents that have sizes, ascending."""
        for key, _ in self._txn.cursor(self._sizes):
            index = file_format.parse_id_key(bytes(key))
            for place in np.flatnonzero(self._chunk(index)["hashes"] != file_format.DEAD).tolist():
                yield index * SIZES_PER_CHUNK + place

    def set_sizes(self, first_id: int, sizes: NDArray[np.void]) -> None:
        """Set the sizes of the documents first_id and following; dtype file_format.SIZE, shape (n,)."""
        for index, place, part in _pieces(first_id, len(sizes), SIZES_PER_CHUNK):
            self._changed_chunk(index)[place : place + part.stop - part.start] = sizes[part]

    def change_boilerplate(self, document_ids: U32, by: int) -> None:
        """Add `by` to the boilerplate count of each document that exists, as often as its id occurs."""
        distinct, counts = np.unique(document_ids, return_counts=True)
        for document_id, count in zip(distinct.tolist(), counts.tolist(), strict=True):
            index, place = divmod(document_id, SIZES_PER_CHUNK)
            chunk = self._chunk(index)
            if int(chunk["hashes"][place]) != file_format.DEAD:  # numpy's own number compares wrongly without memory
                chunk["boilerplate"][place] = int(chunk["boilerplate"][place]) + by * count
                self._changed_chunks.add(index)

    # ------------------------------------------------------------ writing

    def write(self, level: int = 1, *, append: bool = False) -> None:
        """Write all changes; a group or a chunk without documents takes no space.

        Args:
            level: The level of compression, 1 to 9.
            append: All changes follow what is stored, and pages are to be filled.
        """
        for index, rows in sorted(self._changed_groups.items()):
            key = file_format.id_key(index)
            packed = pack_records(key, rows, level) if any(rows) else None
            self._put(self._documents, key, packed, append=append)
        for index in sorted(self._changed_chunks):
            key, chunk = file_format.id_key(index), self._chunks[index]
            empty = (chunk["hashes"] == file_format.DEAD).all()
            self._put(self._sizes, key, None if empty else file_format.pack_array(key, chunk), append=append)
        self._changed_groups.clear()
        self._changed_chunks.clear()
        self._cached_groups.clear()

    def _put(self, database: Any, key: bytes, value: bytes | None, *, append: bool) -> None:
        """Write a value, or delete the key of None."""
        if value is None:
            self._txn.delete(key, db=database)
        elif not self._txn.put(key, value, db=database, append=append):
            raise Corrupt(f"the key {key!r} came out of order; run 'fpdb check'")


def live_documents(catalogue: CatalogueReader, document_ids: U32) -> Bools:
    """Return which of the documents exist; document_ids in any order, shape (n,)."""
    distinct, inverse = np.unique(document_ids, return_inverse=True)
    live: Bools = catalogue.sizes(distinct)["hashes"] != file_format.DEAD
    return live[inverse]


def _missing(document_id: int) -> Corrupt:
    return Corrupt(f"document {document_id} has no record; run 'fpdb check'")


def _parse_id(key: bytes, value: Any) -> int:
    """Return the document id that is stored under the key of a name."""
    return file_format.parse_id_key(bytes(file_format.unseal(key, value)))


def _sealed_names(entries: Iterable[tuple[bytes, int]]) -> list[tuple[bytes, bytes]]:
    return [(key, file_format.seal(key, file_format.id_key(document_id))) for key, document_id in entries]


def _pieces(first_id: int, count: int, size: int) -> Iterator[tuple[int, int, slice]]:
    """Divide ids among groups of a size: yield each group's index, the place of the first id in it, and their slice."""
    done = 0
    while done < count:
        index, place = divmod(first_id + done, size)
        part = slice(done, min(done + size - place, count))
        yield index, place, part
        done = part.stop


def _check_before(cursor: lmdb.Cursor, key: bytes) -> None:
    """Move a cursor from where `set_range` put it to the entry before, and verify that one's value and order."""
    if cursor.prev() if cursor.key() else cursor.last():
        before = bytes(cursor.key())
        file_format.unseal(before, cursor.value())
        if before >= key:
            raise Corrupt(f"the key {before!r} is out of order; run 'fpdb check'")


def _long_name(entry: tuple[bytes, int]) -> tuple[bytes, bool]:
    key = entry[0]
    return key[:LONGEST_PLAIN_NAME], len(key) > LONGEST_PLAIN_NAME
