"""Import of a folder of documents that were fingerprinted elsewhere, and their sorted postings, in Parquet files.

docs/design/adopt-format.md says what such a folder is, and is its only authority. Nothing in a folder is believed.
"""

import json
import os
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from fpdb.arrays import U32
from fpdb.errors import BadFolder, BadRecipe, Error
from fpdb.exchange.merge_database import (
    MergeCandidate,
    MergeCounts,
    MergePlan,
    adapt_record,
    add_prefix,
    check_writable,
)
from fpdb.exchange.parquet_table import (
    BINARY,
    INTEGER,
    MAP,
    STRING,
    ParquetColumn,
    ParquetTable,
    RowLocation,
    check_success,
    integers,
)
from fpdb.fingerprint import KEY_DIGEST, Recipe
from fpdb.options import OnCollision
from fpdb.storage import file_format
from fpdb.storage.ingest import IncomingDocument, IncomingRun, ingest_sorted
from fpdb.storage.records import NO_LABELS, Record, record_fault
from fpdb.storage.runs.postings import NO_POSTINGS, Postings, concat_postings, is_ascending
from fpdb.storage.store import Store
from fpdb.storage.texts import KeptText

if TYPE_CHECKING:
    from pyarrow import RecordBatch

LARGEST_RECIPE: Final = 1 << 20  # bytes
DOCUMENTS_PER_READ: Final = 4096
POSTINGS_PER_READ: Final = 1 << 16
SIGN: Final = np.uint64(1 << 63)

DOCUMENTS: Final[Mapping[str, ParquetColumn]] = {
    "ordinal": ParquetColumn(INTEGER),
    "name": ParquetColumn(STRING),
    "kind": ParquetColumn(STRING),
    "digest": ParquetColumn(BINARY),
    "symbols": ParquetColumn(INTEGER),
    "kgrams": ParquetColumn(INTEGER),
    "fingerprints": ParquetColumn(INTEGER),
    "share": ParquetColumn(INTEGER),
    "note": ParquetColumn(STRING),
    "added": ParquetColumn(INTEGER),
    "source": ParquetColumn(STRING, nullable=True, optional=True),
    "contact": ParquetColumn(STRING, nullable=True, optional=True),
    "labels": ParquetColumn(MAP, nullable=True, optional=True),
}
POSTINGS: Final[Mapping[str, ParquetColumn]] = {
    "hash": ParquetColumn(INTEGER),
    "document": ParquetColumn(INTEGER),
    "position": ParquetColumn(INTEGER, nullable=True),
}


class ImportFolder:
    """A folder of which the files are named and typed as they must be.

    Attributes:
        path: Its path.
        recipe: The recipe of the fingerprints.
        key_digest: The digest of the recipe's key file, or None if the recipe holds its key.
        size: The number of documents.
        rows: The number of postings.
    """

    def __init__(self, path: str) -> None:
        """Read the recipe and the schemas. Raises BadFolder, MissingPackage."""
        self.path = path
        if not os.path.isdir(path):
            raise BadFolder(f"{path!r} is no folder; see docs/design/adopt-format.md for what can be adopted")
        check_success(path)
        self.recipe, self.key_digest = self._read_recipe()
        self._documents = ParquetTable(os.path.join(path, "documents"), DOCUMENTS, ("ordinal",))
        self._postings = ParquetTable(os.path.join(path, "postings"), POSTINGS, tuple(POSTINGS))
        self.size, self.rows = self._documents.rows, self._postings.rows
        if self.size > file_format.FIRST_BOILERPLATE:
            raise BadFolder(
                f"{self.size} documents are too many for a database; {file_format.FIRST_BOILERPLATE} is the most"
            )

    def _read_recipe(self) -> tuple[Recipe, str | None]:
        path = os.path.join(self.path, "recipe.json")
        try:
            with open(path, "rb") as file:
                record = json.loads(file.read(LARGEST_RECIPE))
            digest = record.pop(KEY_DIGEST, None)
            if digest is not None and ("key" in record or not isinstance(digest, str)):
                raise ValueError(f"it has either a key or a {KEY_DIGEST}, 32 hexadecimal digits")
            return Recipe.from_record(record if digest is None else {**record, "key": None}), digest
        except (BadRecipe, OSError, AttributeError, TypeError, ValueError, RecursionError) as error:
            raise BadFolder(f"{path!r} holds no recipe: {error}") from error

    # ------------------------------------------------------------ documents

    def documents(self) -> Iterator[IncomingDocument]:
        """Yield all documents. Raises BadFolder."""
        ordinal = 0
        for location, batch in self._documents.batches(DOCUMENTS_PER_READ):
            columns = {name: location.to_list(batch.column(name)) for name in batch.schema.names}
            for row in range(batch.num_rows):
                values = {name: column[row] for name, column in columns.items()}
                if values["ordinal"] != ordinal:
                    raise location.error(row, f"the ordinal is {values['ordinal']}, where {ordinal} must come")
                yield _document_of(location, row, values)
                ordinal += 1

    # ------------------------------------------------------------ postings

    def postings(self) -> Iterator[Postings]:
        """Yield all postings, with ordinals for document ids. Raises BadFolder."""
        last = NO_POSTINGS
        for location, batch in self._postings.batches(POSTINGS_PER_READ):
            piece = self._piece(location, batch)
            joined = concat_postings(last, piece)
            if not is_ascending(joined):
                row = _first_out_of_order(joined) - len(last)
                raise location.error(row, "it does not come after the row before it by (hash, document, position)")
            last = piece[-1:]
            yield piece

    def _piece(self, location: RowLocation, batch: "RecordBatch") -> Postings:
        hashes = integers(batch, "hash").view(np.uint64) ^ SIGN
        documents = integers(batch, "document")
        location.refuse(documents >= self.size, f"there is no such document, of {self.size}")
        location.refuse(documents < 0, "a document's number is 0 or more")
        bits = self.recipe.hash_bits
        if bits < 64:
            location.refuse(hashes >> np.uint64(bits) != 0, f"the hash has more than the recipe's {bits} bits")
        position = batch.column("position")
        placed = np.asarray(position.is_valid())
        if not self.recipe.positions:
            location.refuse(placed, "it has a position, and the recipe stores none")
        positions = np.asarray(position.fill_null(0))
        location.refuse((positions < 0) | (positions > file_format.LARGEST_POSITION), "the position is out of range")
        numbers = np.where(placed, positions + 1, 0).astype(np.uint32)
        return Postings(hashes, documents.astype(np.uint32), numbers)


class _FolderSource:
    """A folder as a `SortedPostingsSource`, with a prefix before its documents' names."""

    def __init__(self, folder: ImportFolder, prefix: bytes) -> None:
        self.size = folder.size
        self._folder = folder
        self._prefix = prefix
        self._posting_counts = np.zeros(folder.size, np.int64)  # postings

    def candidates(self) -> Iterator[MergeCandidate]:
        """Yield all documents, checked. Raises BadFolder; at the end, if two have one name."""
        digests = np.empty(self.size, "V16")
        for number, record, _ in self._folder.documents():
            self._posting_counts[number] = record.fingerprints
            digests[number] = np.void(xxhash.xxh3_128_digest(record.name))
            yield MergeCandidate(number, add_prefix(self._prefix, record.name), partial(_return, record))
        if self._posting_counts.sum() != self._folder.rows:
            raise BadFolder(
                f"{self._folder.path!r}: {self._posting_counts.sum()} postings are told of in documents/, and "
                f"postings/ has {self._folder.rows} rows"
            )
        order = np.argsort(digests)
        same = np.flatnonzero(digests[order[1:]] == digests[order[:-1]])
        if len(same):
            first, second = sorted(order[same[0] : same[0] + 2].tolist())
            raise BadFolder(f"{self._folder.path!r}: documents {first} and {second} have one name; a name comes once")

    def documents(self, numbers: U32) -> Iterator[IncomingDocument]:
        wanted = np.zeros(self.size, np.bool_)
        wanted[numbers] = True
        for document in self._folder.documents():
            if wanted[document.number]:
                yield document._replace(record=adapt_record(document.record, self._prefix))

    def runs(self) -> Iterator[IncomingRun]:
        yield IncomingRun(0, self.size - 1, self._folder.postings())

    def check(self, numbers: U32, postings: U32) -> None:
        wrong = np.flatnonzero(self._posting_counts[numbers] != postings)
        if len(wrong):
            number = int(numbers[wrong[0]])
            raise self.miscounted(number, int(self._posting_counts[number]), int(postings[wrong[0]]))

    def text(self, _: IncomingDocument) -> KeptText | None:
        return None

    def miscounted(self, number: int, told: int, found: int) -> Error:
        return BadFolder(
            f"{self._folder.path!r}: document {number} has {found} rows in postings/; its row in documents/ says {told}"
        )


def _document_of(location: RowLocation, row: int, values: Mapping[str, Any]) -> IncomingDocument:
    """Make a document of a row. Raises BadFolder."""
    labels = values.get("labels") or ()
    record = Record(
        values["name"].encode(),
        values["kind"],
        values["digest"],
        values["symbols"],
        values["kgrams"],
        values["fingerprints"],
        min(values["fingerprints"], 1),  # how many of them are distinct is counted
        values["added"],
        values["note"],
        values.get("source"),
        values.get("contact"),
        dict(labels) if labels else NO_LABELS,
    )
    fault = record_fault(record)
    if fault is None and len(record.labels) != len(labels):
        fault = "its labels, one of which comes twice,"
    if fault is None and not 0 <= values["share"] <= file_format.WHOLE:
        fault = "its share"
    if fault is not None:
        raise location.error(row, f"{fault} cannot be")
    return IncomingDocument(values["ordinal"], record, values["share"])


def _return(record: Record) -> Record:
    return record


def _first_out_of_order(postings: Postings) -> int:
    """Return the first row that does not come after the row before it."""
    low, high = 1, len(postings)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if is_ascending(postings[: middle + 1]) else (low, middle)
    return low


def adopt(store: Store, folder: ImportFolder, prefix: bytes, on_collision: OnCollision) -> MergeCounts:
    """Add the documents of a folder.

    Args:
        store: The store that is added to; other writers wait.
        folder: The documents.
        prefix: Put before their names.
        on_collision: What becomes of a document if another one has its name.

    Raises:
        BadFolder: Something in the folder is wrong, and nothing has changed; NameTaken, BadName, the same.
        ReadOnly: The store is read-only; Locked, StorageFailure: It cannot be written.
    """
    check_writable(store)
    with store.exclude_writers():
        source = _FolderSource(folder, prefix)
        with store.snapshot() as snapshot:
            plan = MergePlan(snapshot, on_collision)
            numbers = plan.select(source.candidates())
        ingest_sorted(store, source, numbers, plan.replaced_boilerplate)
    store.tidy()
    return plan.counts
