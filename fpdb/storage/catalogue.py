"""The catalogue: names, records and sizes of documents.

Works inside a transaction that it is given; knows nothing of postings.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U32, Bools, group_starts
from fpdb.errors import Corrupt
from fpdb.storage import file_format, name_order
from fpdb.storage.file_format import FIRST_BOILERPLATE, LONGEST_PLAIN_NAME, RECORDS_PER_GROUP
from fpdb.storage.index_reader import CatalogueReader
from fpdb.storage.key_values import get_verified, put_all
from fpdb.storage.name_order import NamesInOrder
from fpdb.storage.name_table import NameTable
from fpdb.storage.record_groups import RecordGroups, Rows, missing, record_in
from fpdb.storage.records import Record, describe, pack_records, unpack_records
from fpdb.storage.seal_tree import SealCache, SealTree
from fpdb.storage.sizes import HeldSizes, SizeTable, divide_ids
from fpdb.storage.state import Roots, Seals

if TYPE_CHECKING:
    from fpdb.storage.document_table import DocumentTable


class GivenIds(NamedTuple):
    """The ids below which documents, and boilerplate documents, have got theirs."""

    next_document: int
    next_boilerplate: int

    def verified(self, document_id: int) -> int:
        """Return an id that was given to a document. Raises Corrupt."""
        if document_id < self.next_document or FIRST_BOILERPLATE <= document_id < self.next_boilerplate:
            return document_id
        raise Corrupt(f"there is a document {document_id}, an id that was never given; run 'fpdb check'")


ALL_IDS = GivenIds(FIRST_BOILERPLATE, file_format.LAST_BOILERPLATE + 1)
FEW_NAMES = 64  # candidates of which all names are read
NAMES_A_CANDIDATE = 8  # that are read in order before all candidates' own names are: these are as much slower
BEYOND_ALL = 2**48  # so that what is stored beyond the last id there can be is found


@dataclass
class CatalogueCache:
    """Values that catalogues keep from one transaction to the next, with the seals by which they are current.

    Attributes:
        seals: Nodes of the trees of seals that were verified.
        held: How many hashes documents hold; with the number of ids, too: those of removed documents are in no seal.
        order: How far the names were read in order.
    """

    seals: SealCache = field(default_factory=SealCache)
    held: tuple[tuple[Roots, int], HeldSizes] | None = None
    order: tuple[Roots, NamesInOrder] | None = None


class Catalogue:
    """The catalogue in one transaction; changes are written by `write`. Every method raises Corrupt."""

    def __init__(
        self,
        txn: lmdb.Transaction,
        databases: Mapping[bytes, Any],
        seals: Seals,
        cache: CatalogueCache | None = None,
        ids: GivenIds = ALL_IDS,
    ) -> None:
        """Read from, and write to, the named databases of a transaction.

        Args:
            txn: The transaction.
            databases: By name.
            seals: The seals of records and sizes, as the state notes them.
            cache: Values that are kept.
            ids: Those that were given to documents.
        """
        self._txn = txn
        self.ids = ids
        self._documents = databases[file_format.DOCUMENTS]
        self._cache = cache = CatalogueCache() if cache is None else cache
        self._state_seals = seals
        sealed = databases.get(file_format.SEALS)
        self.name_table = NameTable(txn, databases[file_format.NAMES])
        self._seals = SealTree(txn, sealed, file_format.RECORD_SEALS, seals.records, cache.seals)
        size_seals = SealTree(txn, sealed, file_format.SIZE_SEALS, seals.sizes, cache.seals)
        self.size_table = SizeTable(txn, databases[file_format.SIZES], size_seals)
        self._read_group = partial(_read_group, txn, self._documents, self._seals)  # no cycle
        self._groups = RecordGroups(self._read_group)
        self._changed_groups: dict[int, Rows] = {}

    # ------------------------------------------------------------ names

    def find(self, name: bytes) -> int | None:
        """Return the id of the document of a name; None if there is none, and not a damaged key."""
        found = self.name_table.find([file_format.name_key(name)])
        return next((self.ids.verified(id_) for _, id_ in found), None)

    def find_all(self, names: Iterable[bytes]) -> dict[bytes, int]:
        """Return the ids of the documents of those names that exist; the others are not damaged keys.

        Names that fall into one block cost one look-up together.
        """
        names = list(names)
        names_by_key = dict(zip(file_format.name_keys(names), names, strict=True))
        found = self.name_table.find(sorted(names_by_key))
        return {names_by_key[key]: self.ids.verified(id_) for key, id_ in found}

    def names(self) -> Iterator[tuple[bytes, int]]:
        """Yield the key and the document id of every name, in the order of keys."""
        for keys, ids in self.name_table.blocks():
            yield from zip(keys, self._given(ids).tolist(), strict=True)

    def names_after(self, beginning: bytes = b"", name: bytes = b"") -> Iterator[tuple[bytes, int]]:
        """Yield the names that follow a name and begin so, in the order of their bytes, with their documents' ids.

        Of `beginning`, the first LONGEST_PLAIN_NAME bytes count.
        """
        beginning = beginning[:LONGEST_PLAIN_NAME]
        start = max(beginning, name[:LONGEST_PLAIN_NAME])
        for ids, names, _ in name_order.walk(self.name_table.blocks(start), self._name):
            first = bisect_right(names, name)
            following = zip(names[first:], self._given(ids[first:]).tolist(), strict=True)
            if names[-1].startswith(beginning):
                yield from following
                continue
            yield from takewhile(lambda entry: entry[0].startswith(beginning), following)
            return

    def ids_by_name(self) -> Iterator[U32]:
        """Yield the ids of all documents, see `CatalogueReader.ids_by_name`; those read before are kept in memory."""
        roots = self._state_seals.records
        cached = self._cache.order
        order = cached[1] if roots and cached is not None and cached[0] == roots else NamesInOrder()
        for start in range(0, len(order.ids), name_order.BATCH):
            yield order.ids[start : start + name_order.BATCH]
        parts, last = [order.ids], order.last
        try:
            for ids, _, key in name_order.walk(self.name_table.blocks(order.last, after=True), self._name):
                parts.append(self._given(ids))
                last = key
                yield ids
        finally:
            self._cache.order = roots, NamesInOrder(np.concatenate(parts), last)

    def _name(self, document_id: int) -> bytes:
        return self.record(document_id).name

    def _given(self, ids: U32) -> U32:
        """Return ids, all of which were given to documents. Raises Corrupt."""
        boilerplate = ids >= FIRST_BOILERPLATE
        for sort in (ids[boilerplate], ids[~boilerplate]):
            if len(sort):
                self.ids.verified(int(sort.max()))
        return ids

    def first_by_name(self, candidates: Bools, count: int) -> list[int]:
        """Return the ids of the candidates whose names come first, see `CatalogueReader.first_by_name`."""
        ids = np.flatnonzero(candidates).astype(np.uint32)
        if len(ids) <= count:
            return list(ids.tolist())
        if len(ids) > FEW_NAMES:
            first: list[int] = []
            read = 0
            for part in self.ids_by_name():
                ordinary = part[part < len(candidates)]
                first += ordinary[candidates[ordinary]].tolist()
                if len(first) >= count:
                    return first[:count]
                read += len(part)
                if read > NAMES_A_CANDIDATE * len(ids):
                    break
        names, _ = self.names_and_kgrams(ids)
        return list(ids[sorted(range(len(ids)), key=names.__getitem__)[:count]].tolist())

    def set_names(self, keys: Sequence[bytes], document_ids: U32) -> None:
        """Name documents; keys: of their names."""
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self.name_table.change([keys[row] for row in order], document_ids[order].astype(np.int64))

    def delete_names(self, names: Sequence[bytes]) -> None:
        """Delete names, whose documents are deleted or get others."""
        self.name_table.change(sorted(file_format.name_keys(names)), np.full(len(names), -1, np.int64))

    # ------------------------------------------------------------ records

    def record(self, document_id: int) -> Record:
        """Return the record of a document, which must exist."""
        index, place = divmod(document_id, RECORDS_PER_GROUP)
        return record_in(self._changed_groups.get(index) or self._groups.rows(index), document_id, place)

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield the id and the record of every document, boilerplate excluded, by ascending id."""
        return takewhile(lambda entry: entry[0] < file_format.FIRST_BOILERPLATE, self.all_records())

    def all_records(self) -> Iterator[tuple[int, Record]]:
        """Yield the id and the record of every document, boilerplate included, by ascending id."""
        cursor = self._txn.cursor(self._documents)
        keys = cursor.iternext(values=False)
        for index in self._seals.verify_indices(file_format.parse_id_key(bytes(key)) for key in keys):
            value = cursor.value()
            self._seals.verify(index, value)
            records = unpack_records(file_format.id_key(index), value)
            for document_id, record in enumerate(records, index * RECORDS_PER_GROUP):
                if record is not None:
                    yield self.ids.verified(document_id), record

    def table(self, label_keys: Sequence[str] = ()) -> "DocumentTable":
        """Return all documents as columns, boilerplate excluded, with the values of these labels."""
        from fpdb.storage.document_table import DocumentTable  # a query needs it not

        def groups() -> Iterator[tuple[int, bytes | memoryview]]:
            cursor = self._txn.cursor(self._documents)
            keys = cursor.iternext(values=False)
            for index in self._seals.verify_indices(file_format.parse_id_key(bytes(key)) for key in keys):
                if index * RECORDS_PER_GROUP >= file_format.FIRST_BOILERPLATE:
                    return
                value = cursor.value()
                self._seals.verify(index, value)
                yield index, value

        table = DocumentTable.read(groups(), label_keys)
        self._given(table.ids)
        return table

    def names_and_kgrams(self, document_ids: U32) -> tuple[list[bytes], list[int]]:
        """Return the names and the numbers of k-grams of existing documents; ids ascending.

        Reads each group once, and makes no objects of the rest of it.
        """
        names: list[bytes] = []
        kgrams: list[int] = []
        groups, places = np.divmod(document_ids, RECORDS_PER_GROUP)
        place_list: list[int] = places.tolist()
        for start, end in pairwise([*group_starts(groups).tolist(), len(groups)]):
            index = int(groups[start])
            value = self._read_group(index)
            try:
                if value is None:
                    raise LookupError
                describe(file_format.id_key(index), value, place_list[start:end], names, kgrams)
            except LookupError:
                raise missing(int(document_ids[len(names)])) from None
        return names, kgrams

    def _group(self, index: int) -> Rows:
        """Return a group that is to be changed."""
        if index not in self._changed_groups:
            self._changed_groups[index] = self._groups.rows(index)
        return self._changed_groups[index]

    def set_record(self, document_id: int, record: Record) -> None:
        """Set the record of a document; its name's entry stays as it is."""
        index, place = divmod(document_id, RECORDS_PER_GROUP)
        self._group(index)[place] = record

    def add_records(self, first_id: int, records: Sequence[Record]) -> None:
        """Set the records of the documents first_id and following."""
        for index, place, part in divide_ids(first_id, len(records), RECORDS_PER_GROUP):
            self._group(index)[place : place + part.stop - part.start] = records[part]

    def add_groups(self, groups: Iterable[tuple[int, bytes]]) -> None:
        """Write groups of new records as they are stored, by their numbers; not to be read before `write`."""
        items = []
        for index, value in groups:
            self._seals.set(index, value)
            items.append((file_format.id_key(index), value))
        put_all(self._txn, self._documents, items)

    def rename(self, document_id: int, name: bytes) -> None:
        """Give a document, which must exist, another name, which no document has."""
        record = self.record(document_id)
        self.delete_names([record.name])
        self.set_names(file_format.name_keys([name]), np.array([document_id], np.uint32))
        self.set_record(document_id, record._replace(name=name))

    def delete(self, document_id: int) -> Record:
        """Delete the record and the sizes of a document, which must exist; return the record."""
        record = self.record(document_id)
        index, place = divmod(document_id, RECORDS_PER_GROUP)
        self._group(index)[place] = None
        self.size_table.delete(document_id)
        return record

    def live_ids(self, first_id: int = 0, last_id: int = BEYOND_ALL) -> U32:
        """Return the ids from first_id to last_id, both included, of documents that exist; ascending."""
        ids = self.size_table.live_ids(first_id, last_id)
        ordinary = ids[: np.searchsorted(ids, FIRST_BOILERPLATE)]
        for last in (ordinary[-1:], ids[-1:]):
            if len(last):
                self.ids.verified(int(last[0]))
        return ids.astype(np.uint32)

    def sizes(self, document_ids: U32) -> NDArray[np.void]:
        """Return the sizes of documents, see `CatalogueReader.sizes`; cheapest if neighbours stand together."""
        return self.size_table.get(document_ids)

    def held_sizes(self) -> HeldSizes:
        """Return how many hashes documents hold, see `CatalogueReader.held_sizes`."""
        cached, key = self._cache.held, (self._state_seals.sizes, self.ids.next_document)
        if cached is None or cached[0] != key or not key[0]:
            cached = self._cache.held = key, HeldSizes.of(self.size_table.held(self.ids.next_document))
        return cached[1]

    def count_seal_nodes(self) -> int:
        """Return how many nodes the trees of seals have."""
        return self._seals.count_nodes() + self.size_table.seals.count_nodes()

    # ------------------------------------------------------------ writing

    def write(self, level: int = 1) -> Seals:
        """Write all changes; a group or a chunk without documents takes no space.

        Args:
            level: The level of compression, 1 to 9, of records.

        Returns:
            The seals, which the state must note.
        """
        items = []
        for index, rows in sorted(self._changed_groups.items()):
            key = file_format.id_key(index)
            # A group that will soon be written again, with one more document, need not be compressed.
            packed = pack_records(key, rows, level if rows[-1] is not None else 0) if any(rows) else None
            items.append((key, packed))
            self._seals.set(index, packed)
        put_all(self._txn, self._documents, items)
        self._changed_groups.clear()
        self._groups.clear()
        return Seals(self._seals.write(), self.size_table.write())


def live_documents(catalogue: CatalogueReader, document_ids: U32) -> Bools:
    """Return which of the documents exist; document_ids in any order, shape (n,)."""
    distinct, inverse = np.unique(document_ids, return_inverse=True)
    live: Bools = catalogue.sizes(distinct)["hashes"] != file_format.DEAD
    return live[inverse]


def _read_group(txn: lmdb.Transaction, database: Any, seals: SealTree, index: int) -> Any:
    """Return the value of a group, None if there is none."""
    value = get_verified(txn, database, file_format.id_key(index))
    seals.verify(index, value)
    return value
