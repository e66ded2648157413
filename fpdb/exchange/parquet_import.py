"""The adoptable folder: documents that were fingerprinted elsewhere, and their postings sorted, in Parquet files.

docs/design/adopt-format.md says what such a folder is, and is its only authority. Nothing in a folder is believed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb.errors import BadFolder, BadRecipe, Error, MissingPackage
from fpdb.exchange.merge_database import Named, OnCollision, Plan, Taken, described, prefixed, refuse_readonly
from fpdb.fingerprint import Recipe
from fpdb.keys import KEY_DIGEST
from fpdb.storage import file_format
from fpdb.storage.ingest import IncomingDocument, IncomingRun, ingest_sorted
from fpdb.storage.records import NO_LABELS, Record, record_fault
from fpdb.storage.runs.postings import NO_POSTINGS, Postings, concat_postings, is_ascending
from fpdb.storage.store import Store
from fpdb.storage.texts import KeptText

if TYPE_CHECKING:
    from pyarrow import DataType, RecordBatch

SUCCESS: Final = "_SUCCESS"
LARGEST_RECIPE: Final = 1 << 20  # bytes
DOCUMENTS_AT_ONCE: Final = 4096
POSTINGS_AT_ONCE: Final = 1 << 16
SIGN: Final = np.uint64(1 << 63)

INTEGER, STRING, BINARY, MAP = "int64", "string", "binary", "map<string, string>"


class Column(NamedTuple):
    """A column: its type, and whether it may be null; one that may be may also be left out of documents/."""

    type: str
    nullable: bool = False


DOCUMENTS: Final[Mapping[str, Column]] = {
    "ordinal": Column(INTEGER),
    "name": Column(STRING),
    "kind": Column(STRING),
    "digest": Column(BINARY),
    "symbols": Column(INTEGER),
    "kgrams": Column(INTEGER),
    "fingerprints": Column(INTEGER),
    "share": Column(INTEGER),
    "note": Column(STRING),
    "added": Column(INTEGER),
    "source": Column(STRING, nullable=True),
    "contact": Column(STRING, nullable=True),
    "labels": Column(MAP, nullable=True),
}
POSTINGS: Final[Mapping[str, Column]] = {
    "hash": Column(INTEGER),
    "document": Column(INTEGER),
    "position": Column(INTEGER, nullable=True),
}


def adopt(store: Store, folder: Folder, prefix: bytes, on_collision: OnCollision) -> Taken:
    """Takes over the documents of the folder. Raises BadFolder, NameTaken, BadName: then nothing has changed; ReadOnly,
    Locked, StorageFailure."""
    refuse_readonly(store)
    with store.exclude_writers():
        source = _Incoming(folder, prefix)
        with store.snapshot() as own:
            plan = Plan(own, on_collision)
            coming = np.fromiter(plan.meet(source.named()), np.uint32)
            plan.check()
        ingest_sorted(store, source, coming, plan.make_way)
    store.tidy()
    return plan.counts


class Folder:
    """An adoptable folder, whose files are named and typed as they must be. size: how many documents it has; rows: how
    many postings; recipe: theirs, key_digest: of its key file, where that stands for the key."""

    def __init__(self, path: str) -> None:
        """Raises BadFolder, MissingPackage."""
        self.path = path
        if not os.path.isdir(path):
            raise BadFolder(f"{path!r} is no folder; see docs/design/adopt-format.md for what can be adopted")
        _need_success(path)
        self.recipe, self.key_digest = self._read_recipe()
        self._documents = _Table(os.path.join(path, "documents"), DOCUMENTS, ("ordinal",))
        self._postings = _Table(os.path.join(path, "postings"), POSTINGS, tuple(POSTINGS))
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
        """All of them. Raises BadFolder."""
        ordinal = 0
        for where, batch in self._documents.batches(DOCUMENTS_AT_ONCE):
            columns = {name: where.listed(batch.column(name)) for name in batch.schema.names}
            for row in range(batch.num_rows):
                values = {name: column[row] for name, column in columns.items()}
                if values["ordinal"] != ordinal:
                    raise where.bad(row, f"the ordinal is {values['ordinal']}, where {ordinal} must come")
                yield _document(where, row, values)
                ordinal += 1

    # ------------------------------------------------------------ postings

    def postings(self) -> Iterator[Postings]:
        """All of them, with ordinals for documents. Raises BadFolder."""
        last = NO_POSTINGS
        for where, batch in self._postings.batches(POSTINGS_AT_ONCE):
            piece = self._piece(where, batch)
            joined = concat_postings(last, piece)
            if not is_ascending(joined):
                row = _first_out_of_order(joined) - len(last)
                raise where.bad(row, "it does not come after the row before it by (hash, document, position)")
            last = piece[-1:]
            yield piece

    def _piece(self, where: _Where, batch: RecordBatch) -> Postings:
        hashes = _integers(batch, "hash").view(np.uint64) ^ SIGN
        documents = _integers(batch, "document")
        where.refuse(documents >= self.size, f"there is no such document, of {self.size}")
        where.refuse(documents < 0, "a document's number is 0 or more")
        bits = self.recipe.hash_bits
        if bits < 64:
            where.refuse(hashes >> np.uint64(bits) != 0, f"the hash has more than the recipe's {bits} bits")
        position = batch.column("position")
        there = np.asarray(position.is_valid())
        if not self.recipe.positions:
            where.refuse(there, "it has a position, and the recipe stores none")
        positions = np.asarray(position.fill_null(0))
        where.refuse((positions < 0) | (positions > file_format.LARGEST_POSITION), "the position is out of range")
        numbers = np.where(there, positions + 1, 0).astype(np.uint32)
        return Postings(hashes, documents.astype(np.uint32), numbers)


class _Incoming:
    """A folder as a `SortedPostingsSource`, something put before its documents' names."""

    def __init__(self, folder: Folder, prefix: bytes) -> None:
        self.size = folder.size
        self._folder = folder
        self._prefix = prefix
        self._told = np.zeros(folder.size, np.int64)  # postings

    def named(self) -> Iterator[Named]:
        """All documents, checked. Raises BadFolder, at the end too: where two have one name."""
        digests = np.empty(self.size, "V16")
        for number, record, _ in self._folder.documents():
            self._told[number] = record.fingerprints
            digests[number] = np.void(xxhash.xxh3_128_digest(record.name))
            yield number, prefixed(self._prefix, record.name), partial(_given, record)
        if self._told.sum() != self._folder.rows:
            raise BadFolder(
                f"{self._folder.path!r}: {self._told.sum()} postings are told of in documents/, and postings/ has "
                f"{self._folder.rows} rows"
            )
        order = np.argsort(digests)
        same = np.flatnonzero(digests[order[1:]] == digests[order[:-1]])
        if len(same):
            first, second = sorted(order[same[0] : same[0] + 2].tolist())
            raise BadFolder(f"{self._folder.path!r}: documents {first} and {second} have one name; a name comes once")

    def documents(self, numbers: NDArray[np.uint32]) -> Iterator[IncomingDocument]:
        wanted = np.zeros(self.size, np.bool_)
        wanted[numbers] = True
        for document in self._folder.documents():
            if wanted[document.number]:
                yield document._replace(record=described(document.record, self._prefix))

    def runs(self) -> Iterator[IncomingRun]:
        yield IncomingRun(0, self.size - 1, self._folder.postings())

    def check(self, numbers: NDArray[np.uint32], postings: NDArray[np.uint32]) -> None:
        wrong = np.flatnonzero(self._told[numbers] != postings)
        if len(wrong):
            number = int(numbers[wrong[0]])
            raise self.miscounted(number, int(self._told[number]), int(postings[wrong[0]]))

    def text(self, _: IncomingDocument) -> KeptText | None:
        return None

    def miscounted(self, number: int, told: int, found: int) -> Error:
        return BadFolder(
            f"{self._folder.path!r}: document {number} has {found} rows in postings/; its row in documents/ says {told}"
        )


def _given(record: Record) -> Record:
    return record


# ---------------------------------------------------------------- files


class _Where(NamedTuple):
    """A batch of rows: the file, and how many rows of it come before."""

    path: str
    before: int

    def bad(self, row: int, what: str) -> BadFolder:
        return BadFolder(f"{self.path!r}, row {self.before + row + 1}: {what}")

    def listed(self, column: Any) -> list[Any]:
        """A column's values."""
        try:
            listed: list[Any] = column.to_pylist()
        except UnicodeDecodeError as error:
            raise BadFolder(f"{self.path!r}, after row {self.before}: it is not UTF-8: {error}") from error
        return listed

    def refuse(self, wrong: NDArray[np.bool_], what: str) -> None:
        """Raises BadFolder, naming the first row that is wrong."""
        if wrong.any():
            raise self.bad(int(np.argmax(wrong)), what)


class _Table:
    """The Parquet files of a folder, in the order of their first rows' `key`, a tuple of columns. rows: of all."""

    def __init__(self, path: str, columns: Mapping[str, Column], key: tuple[str, ...]) -> None:
        """Raises BadFolder, MissingPackage."""
        self._columns = columns
        self.rows = 0
        _need_success(path)
        firsts = []
        for name in sorted(os.listdir(path)):
            file = os.path.join(path, name)
            if name.startswith(("_", ".")):
                continue
            if not name.endswith(".parquet") or not os.path.isfile(file):
                raise BadFolder(f"{file!r} is no Parquet file; only such belong there")
            with _reading(file) as opened:
                self._check(file, opened.schema_arrow)
                self.rows += opened.metadata.num_rows
                for batch in opened.iter_batches(1, columns=list(key)):
                    if batch.num_rows:
                        # Null is before every number, and what else is wrong with the row is said when it is read.
                        values = [batch.column(each)[0].as_py() for each in key]
                        firsts.append(([(value is not None, value or 0) for value in values], file))
                        break
        self._files = [file for _, file in sorted(firsts)]

    def _check(self, file: str, schema: Any) -> None:
        for name in schema.names:
            if name not in self._columns or schema.names.count(name) > 1:
                raise BadFolder(f"{file!r} has a column {name!r}, which is not known, or is there twice")
        for name, column in self._columns.items():
            if name not in schema.names:
                if column.nullable and name != "position":
                    continue
                raise BadFolder(f"{file!r} has no column {name!r}")
            found = schema.field(name).type
            if not _is_type(found, column.type):
                raise BadFolder(f"{file!r}: the column {name!r} is of type {column.type}, not {found}")

    def batches(self, rows: int) -> Iterator[tuple[_Where, RecordBatch]]:
        """The rows of all files, so many at once; null is where it may be only. Raises BadFolder."""
        for file in self._files:
            with _reading(file) as opened:
                before = 0
                for batch in opened.iter_batches(rows):
                    where = _Where(file, before)
                    for name in batch.schema.names:
                        if batch.column(name).null_count and not self._columns[name].nullable:
                            where.refuse(~np.asarray(batch.column(name).is_valid()), f"{name!r} is null")
                    if batch.num_rows:
                        yield where, batch
                    before += batch.num_rows


@contextmanager
def _reading(path: str) -> Iterator[Any]:
    """A Parquet file that is read in the block. Raises BadFolder, MissingPackage."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingPackage("pyarrow is needed to read Parquet files: pip install 'fpdb[parquet]'") from error
    try:
        with ParquetFile(path) as file:
            yield file
    except (pyarrow.ArrowException, OSError) as error:
        raise BadFolder(f"{path!r} cannot be read: {error}") from error


def _is_type(found: DataType, wanted: str) -> bool:
    from pyarrow import types

    checks: Mapping[str, Callable[[DataType], bool]] = {
        INTEGER: types.is_int64,
        STRING: lambda each: types.is_string(each) or types.is_large_string(each),
        BINARY: lambda each: types.is_binary(each) or types.is_large_binary(each),
        MAP: lambda each: types.is_map(each) and all(_is_type(one, STRING) for one in (each.key_type, each.item_type)),
    }
    return checks[wanted](found)


def _need_success(path: str) -> None:
    if not os.path.isfile(os.path.join(path, SUCCESS)):
        raise BadFolder(
            f"{path!r} has no {SUCCESS}: whoever writes it has not come to the end, or failed; wait, or redo it"
        )


def _integers(batch: RecordBatch, name: str) -> NDArray[np.int64]:
    return np.asarray(batch.column(name), np.int64)


def _document(where: _Where, row: int, values: Mapping[str, Any]) -> IncomingDocument:
    """Raises BadFolder."""
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
    wrong = record_fault(record)
    if wrong is None and len(record.labels) != len(labels):
        wrong = "its labels, one of which comes twice,"
    if wrong is None and not 0 <= values["share"] <= file_format.WHOLE:
        wrong = "its share"
    if wrong is not None:
        raise where.bad(row, f"{wrong} cannot be")
    return IncomingDocument(values["ordinal"], record, values["share"])


def _first_out_of_order(postings: Postings) -> int:
    """The first row that does not come after the one before it."""
    low, high = 1, len(postings)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if is_ascending(postings[: middle + 1]) else (low, middle)
    return low
