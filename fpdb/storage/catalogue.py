"""The documents: names, records, and the packed arrays of sizes that every scored candidate needs.

Works inside a transaction that it is given; knows nothing of postings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, pairwise, takewhile
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U8, U32, Bools
from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.file_format import RECORDS_PER_GROUP, SIZES_PER_CHUNK, Record
from fpdb.storage.reader import CatalogueReader

GROUPS_KEPT = 512  # of those that were read: half a megabyte or so
NO_SIZE = np.array((file_format.DEAD, 0, 0), file_format.SIZE)  # of a document that is not there


class Catalogue:
    """A view of the catalogue in one transaction. What is set is written by `write`."""

    def __init__(self, txn: lmdb.Transaction, databases: Mapping[bytes, Any]) -> None:
        self._txn = txn
        self._documents = databases[file_format.DOCUMENTS]
        self._names = databases[file_format.NAMES]
        self._sizes = databases[file_format.SIZES]
        self._groups: dict[int, list[Record | list[Any] | None]] = {}  # that were changed; rows are as they were stored
        self._read: dict[int, list[Record | list[Any] | None]] = {}  # those that were read last
        self._chunks: dict[int, NDArray[np.void]] = {}
        self._changed: set[int] = set()

    def _get(self, database: Any, key: bytes) -> Any:
        """The value of a key; None where there is none, and not only a damaged key that was this one."""
        value = self._txn.get(key, db=database)
        if value is None:
            cursor = self._txn.cursor(database)
            if cursor.set_range(key):
                file_format.unseal(bytes(cursor.key()), cursor.value())
            _check_before(cursor, key)
        return value

    # ------------------------------------------------------------ names and records

    def find(self, name: bytes, *, sure: bool = True) -> int | None:
        """The id of the document of this name.

        sure: that there is none must not come of damage to its key; or else this costs less.
        """
        key = file_format.name_key(name)
        value = self._get(self._names, key) if sure else self._txn.get(key, db=self._names)
        if value is None:
            return None
        return file_format.parse_id_key(bytes(file_format.unseal(key, value)))

    def find_all(self, names: Iterable[bytes]) -> dict[bytes, int]:
        """By name, the ids of those of the documents of these names that there are; `sure`, as for `find`."""
        named = {file_format.name_key(name): name for name in names}
        keys = sorted(named)
        cursor = self._txn.cursor(self._names)
        found = {bytes(key): value for key, value in cursor.getmulti(keys)}
        end: bytes | None = b""  # of the gap between names that was looked at last
        for key in keys:
            if end is not None and key >= end and key not in found:
                end = bytes(cursor.key()) if cursor.set_range(key) else None
                if end is not None:
                    file_format.unseal(end, cursor.value())
                _check_before(cursor, key)
        return {
            named[key]: file_format.parse_id_key(bytes(file_format.unseal(key, value))) for key, value in found.items()
        }

    def record(self, document: int) -> Record:
        """Raises Corrupt where there is none."""
        index, at = divmod(document, RECORDS_PER_GROUP)
        rows = self._groups.get(index) or self._rows(index)
        record = rows[at] = file_format.as_record(file_format.id_key(index), rows[at])
        if record is None:
            raise _missing(document)
        return record

    def names_and_kgrams(self, documents: U32) -> tuple[list[bytes], list[int]]:
        """The names of stored documents and how many k-grams they have, ids ascending: each group is read once, and no
        more made of it than that. Raises Corrupt where one is missing."""
        names: list[bytes] = []
        kgrams: list[int] = []
        groups, places = np.divmod(documents, RECORDS_PER_GROUP)
        bounds = [0, *(np.flatnonzero(groups[1:] != groups[:-1]) + 1).tolist(), len(groups)]
        at: list[int] = places.tolist()
        for start, end in pairwise(bounds if len(groups) else ()):
            key = file_format.id_key(int(groups[start]))
            value = self._get(self._documents, key)
            try:
                if value is None:
                    raise LookupError
                file_format.describe(key, value, at[start:end], names, kgrams)
            except LookupError:
                raise _missing(int(documents[len(names)])) from None
        return names, kgrams

    def _rows(self, index: int) -> list[Record | list[Any] | None]:
        """A group that is not changed, see `layout.unpack_rows`. Who asks for one of its records may ask for others;
        and queries that follow each other often find the same documents, or their neighbours."""
        rows = self._read.get(index)
        if rows is None:
            if len(self._read) >= GROUPS_KEPT:
                del self._read[next(iter(self._read))]
            key = file_format.id_key(index)
            value = self._get(self._documents, key)
            rows = [None] * RECORDS_PER_GROUP if value is None else file_format.unpack_rows(key, value)
            self._read[index] = rows
        return rows

    def _group(self, index: int) -> list[Record | list[Any] | None]:
        """The records of a group, to be changed."""
        group = self._groups.get(index)
        if group is None:
            group = self._groups[index] = self._rows(index)
        return group

    def set_record(self, document: int, record: Record) -> None:
        """Sets a record; its name is another matter."""
        index, at = divmod(document, RECORDS_PER_GROUP)
        self._group(index)[at] = record

    def add_records(self, first: int, records: Sequence[Record]) -> None:
        """Sets the records of documents `first` and following."""
        done = 0
        while done < len(records):
            index, at = divmod(first + done, RECORDS_PER_GROUP)
            some = records[done : done + RECORDS_PER_GROUP - at]
            self._group(index)[at : at + len(some)] = some
            done += len(some)

    def names(self) -> Iterator[tuple[bytes, int]]:
        """The key and the document of every name, in the order of keys."""
        for key, value in self._txn.cursor(self._names):
            name = bytes(key)
            yield name, file_format.parse_id_key(bytes(file_format.unseal(name, value)))

    def append_names(self, entries: Iterable[tuple[bytes, int]]) -> None:
        """Writes keys of names and their documents, in the order of keys, behind all that are there."""
        items = [(name, file_format.seal(name, file_format.id_key(document))) for name, document in entries]
        _, added = self._txn.cursor(self._names).putmulti(items, append=True)
        if added != len(items):
            raise Corrupt("names came out of order; run 'fpdb check'")

    def in_order_of_names(self, beginning: bytes = b"") -> Iterator[int]:
        """The documents whose names begin so, in the order of their names' bytes."""
        cursor = self._txn.cursor(self._names)
        beginning = beginning[: file_format.LONGEST_PLAIN_NAME]
        if beginning:
            cursor.set_range(beginning)
            _check_before(cursor, beginning)
        if not (cursor.set_range(beginning) if beginning else cursor.first()):
            return
        entries = (
            (bytes(key), file_format.parse_id_key(bytes(file_format.unseal(bytes(key), value))))
            for key, value in cursor
        )
        # The keys of long names end in digests: those of one beginning are put in order here.
        for (_, long), group in groupby(takewhile(lambda entry: entry[0].startswith(beginning), entries), _long_name):
            documents = [document for _, document in group]
            yield from sorted(documents, key=lambda document: self.record(document).name) if long else documents

    def first_by_name(self, wanted: Bools, count: int) -> list[int]:
        """Those `count` of the documents whose names' bytes come first; in any order. wanted: by id; shape (ids,)."""
        many = int(np.count_nonzero(wanted))
        if many > count:
            # Where they are many, they come up soon among the names in order; to look longer than at each costs more.
            first: list[int] = []
            for document in islice(self.in_order_of_names(), many):
                if document < len(wanted) and wanted[document]:
                    first.append(document)
                    if len(first) == count:
                        return first
        documents: list[int] = wanted.nonzero()[0].tolist()
        return documents if many <= count else sorted(documents, key=lambda each: self.record(each).name)[:count]

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield the id and the record of every document, boilerplate excluded, by ascending id."""
        return takewhile(lambda entry: entry[0] < file_format.FIRST_BOILERPLATE, self.all_records())

    def all_records(self) -> Iterator[tuple[int, Record]]:
        """Yield the id and the record of every document, boilerplate included, by ascending id."""
        for key, value in self._txn.cursor(self._documents):
            key = bytes(key)
            first = file_format.parse_id_key(key) * RECORDS_PER_GROUP
            for document, record in enumerate(file_format.unpack_records(key, value), first):
                if record is not None:
                    yield document, record

    def set_names(self, first_id: int, names: Iterable[bytes]) -> None:
        """Names documents first_id and following."""
        entries = [(file_format.name_key(name), document) for document, name in enumerate(names, first_id)]
        entries.sort()
        items = [(key, file_format.seal(key, file_format.id_key(document))) for key, document in entries]
        self._txn.cursor(self._names).putmulti(items)

    def delete(self, document: int, name: bytes | None) -> Record:
        """Drops a document's record, its sizes, and its name unless that is None: taken over by another document.
        Returns the record. Raises Corrupt where there is none."""
        index, at = divmod(document, RECORDS_PER_GROUP)
        group = self._group(index)
        record = self.record(document)
        group[at] = None
        if name is not None:
            self._txn.delete(file_format.name_key(name), db=self._names)
        index, at = divmod(document, SIZES_PER_CHUNK)
        self._chunk(index)[at] = NO_SIZE
        self._changed.add(index)
        return record

    # ------------------------------------------------------------ sizes

    def _packed(self, index: int) -> bytes | memoryview:
        """The bytes of a chunk, good until the next write."""
        chunk = self._chunks.get(index)
        if chunk is not None:
            return chunk.tobytes()
        key = file_format.id_key(index)
        value = self._get(self._sizes, key)
        return NO_SIZE.tobytes() * SIZES_PER_CHUNK if value is None else file_format.unseal_sizes(key, value)

    def _peek(self, index: int) -> NDArray[np.void]:
        """A chunk to read from only, before the next write."""
        return np.frombuffer(self._packed(index), file_format.SIZE)

    def _chunk(self, index: int) -> NDArray[np.void]:
        chunk = self._chunks.get(index)
        if chunk is None:
            chunk = self._chunks[index] = self._peek(index).copy()
        return chunk

    def sizes(self, documents: U32) -> NDArray[np.void]:
        """dtype layout.SIZE, shape (n,), for sorted ids: distinct hashes (DEAD for a document that is not there), and
        how many of these are boilerplate."""
        if not len(documents):
            return np.empty(0, file_format.SIZE)
        chunks, at = np.divmod(documents, SIZES_PER_CHUNK)
        new = np.concatenate(([True], chunks[1:] != chunks[:-1]))
        every = np.frombuffer(b"".join(map(self._packed, chunks[new].tolist())), file_format.SIZE)
        sizes: NDArray[np.void] = every[(np.cumsum(new) - 1) * SIZES_PER_CHUNK + at]
        return sizes

    def dead(self, first_id: int, last_id: int) -> U8:
        """1 for each id of first_id to last_id, both included, whose document is not there."""
        dead = np.ones(last_id + 1 - first_id, np.uint8)
        for index in range(first_id // SIZES_PER_CHUNK, last_id // SIZES_PER_CHUNK + 1):
            start = index * SIZES_PER_CHUNK - first_id
            piece = slice(max(start, 0), start + SIZES_PER_CHUNK)
            chunk = self._peek(index)["hashes"][piece.start - start :][: len(dead[piece])]
            dead[piece] = chunk == file_format.DEAD
        return dead

    def sized(self) -> Iterator[int]:
        """The ids of all documents that have sizes, ascending."""
        for key, _ in self._txn.cursor(self._sizes):
            index = file_format.parse_id_key(bytes(key))
            for at in np.flatnonzero(self._chunk(index)["hashes"] != file_format.DEAD).tolist():
                yield index * SIZES_PER_CHUNK + at

    def set_sizes(self, first_id: int, sizes: NDArray[np.void]) -> None:
        """Sets the sizes of documents first_id and following; dtype layout.SIZE, shape (n,)."""
        done = 0
        while done < len(sizes):
            index, at = divmod(first_id + done, SIZES_PER_CHUNK)
            chunk = self._chunk(index)
            count = min(SIZES_PER_CHUNK - at, len(sizes) - done)
            chunk[at : at + count] = sizes[done : done + count]
            self._changed.add(index)
            done += count

    def change_boilerplate(self, documents: U32, by: int) -> None:
        """Adds `by` to the boilerplate count of each document that is there, as often as it comes."""
        found, counts = np.unique(documents, return_counts=True)
        for document, count in zip(found.tolist(), counts.tolist(), strict=True):
            index, at = divmod(document, SIZES_PER_CHUNK)
            chunk = self._chunk(index)
            if int(chunk["hashes"][at]) != file_format.DEAD:  # numpy's own number compares wrongly for want of memory
                chunk["boilerplate"][at] = int(chunk["boilerplate"][at]) + by * count
                self._changed.add(index)

    def write(self, level: int = 1, *, append: bool = False) -> None:
        """Writes what was set; a group or a chunk without documents takes no space.

        level: of compression, 1 to 9. append: all of it follows what is there, and pages are to be filled.
        """
        for index, records in sorted(self._groups.items()):
            key = file_format.id_key(index)
            if any(records):
                self._put(self._documents, key, file_format.pack_records(key, records, level), append=append)
            else:
                self._txn.delete(key, db=self._documents)
        for index in sorted(self._changed):
            key, chunk = file_format.id_key(index), self._chunks[index]
            if (chunk["hashes"] == file_format.DEAD).all():
                self._txn.delete(key, db=self._sizes)
            else:
                self._put(self._sizes, key, file_format.pack_array(key, chunk), append=append)
        self._groups.clear()
        self._changed.clear()
        self._read.clear()

    def _put(self, database: Any, key: bytes, value: bytes, *, append: bool) -> None:
        if not self._txn.put(key, value, db=database, append=append):
            raise Corrupt(f"the key {key!r} came out of order; run 'fpdb check'")


def live_documents(catalogue: CatalogueReader, document_ids: U32) -> Bools:
    """Return which of the documents exist; document_ids in any order, shape (n,)."""
    distinct, inverse = np.unique(document_ids, return_inverse=True)
    live: Bools = catalogue.sizes(distinct)["hashes"] != file_format.DEAD
    return live[inverse]


def _missing(document: int) -> Corrupt:
    return Corrupt(f"document {document} has no record; run 'fpdb check'")


def _check_before(cursor: lmdb.Cursor, key: bytes) -> None:
    """Moves a cursor from where `set_range` put it to the entry before, whose value must be sound and its key lower.
    Raises Corrupt."""
    if cursor.prev() if cursor.key() else cursor.last():
        before = bytes(cursor.key())
        file_format.unseal(before, cursor.value())
        if before >= key:
            raise Corrupt(f"the key {before!r} is out of order; run 'fpdb check'")


def _long_name(entry: tuple[bytes, int]) -> tuple[bytes, bool]:
    key = entry[0]
    return key[: file_format.LONGEST_PLAIN_NAME], len(key) > file_format.LONGEST_PLAIN_NAME
