"""Stages that run on Spark's workers: batches of Arrow in, batches of Arrow out. Knows nothing of DataFrames.

Spark has no unsigned numbers: a hash is the signed number `hash ^ 2**63`, whose order is that of the hashes.
"""

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from fpdb import __version__
from fpdb.arrays import I64, U32, U64, contains, sorted_distinct
from fpdb.errors import BadLabel, BadName, Error, MissingPackage, Unreadable
from fpdb.fingerprint import KINDS, NO_POSITION, Purpose, Recipe, content_digest
from fpdb.fingerprint.marked_symbols import seam_hashes
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.jsonl import LineChunk
from fpdb.ingest.prepare import PrepareOptions, ReadDocument, prepare
from fpdb.ingest.record_fields import Fields
from fpdb.limits import DocumentLimits, adopt
from fpdb.pairs.union_find import connect
from fpdb.storage.file_format import name_bytes

Row = dict[str, Any]
Stage = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

MAX_ROWS: Final = 1 << 10  # documents of a batch
MAX_POSTINGS: Final = 1 << 20  # of a batch, unless of one document
MAX_EDGES: Final = 1 << 20  # joined at once
SIGN: Final = np.uint64(1 << 63)
LABELS: Final = pa.map_(pa.string(), pa.string())
PLACE: Final = [("file", pa.string()), ("block", pa.int64()), ("row", pa.int64()), ("error", pa.string())]
DESCRIPTION: Final = [("source", pa.string()), ("contact", pa.string()), ("labels", LABELS)]

RECORD: Final = pa.schema([("name", pa.string()), ("text", pa.string()), ("kind", pa.string()), *DESCRIPTION, *PLACE])
FINGERPRINTED: Final = pa.schema(
    [
        ("id", pa.int64()),
        ("name", pa.string()),
        ("kind", pa.string()),
        ("digest", pa.binary()),
        ("symbols", pa.int64()),
        ("kgrams", pa.int64()),
        ("note", pa.string()),
        ("share", pa.int64()),
        *DESCRIPTION,
        ("hashes", pa.list_(pa.int64())),
        ("positions", pa.list_(pa.int64())),
        *PLACE,
    ]
)
POSTINGS: Final = pa.schema([("id", pa.int64()), ("hash", pa.int64())])
FOREST: Final = pa.schema([("a", pa.int64()), ("b", pa.int64())])
NO_LOCATION: Final = ""  # which a record without a name would be called by


class FingerprintTask(NamedTuple):
    """The task of a worker that fingerprints.

    recipe: The recipe's record, with the key, which goes nowhere else. kind: Of documents that do not say theirs.
    strict: The first document that cannot be read ends the work. version: The driver's fpdb. limits: On a document.
    """

    recipe: Mapping[str, Any]
    kind: str = "text"
    purpose: Purpose = "store"
    strict: bool = False
    version: str = __version__
    limits: DocumentLimits = DocumentLimits()


def signed(hashes: U64) -> I64:
    """Return hashes as Spark has them, shape (n,)."""
    return (hashes ^ SIGN).view(np.int64)


def fingerprint(batches: Iterable[pa.RecordBatch], task: FingerprintTask) -> Iterator[pa.RecordBatch]:
    """Fingerprint documents (RECORD and an id); yield batches of the form FINGERPRINTED.

    Raises MissingPackage where driver and worker have different versions of fpdb; Unreadable, if the task is strict.
    """
    if task.version != __version__:
        raise MissingPackage(f"the driver has fpdb {task.version}, and a worker {__version__}: install the same on all")
    adopt((task.limits, None))
    recipe = Recipe.from_record(task.recipe)
    rows: list[Row] = []
    postings = 0
    for row in (row for batch in batches for row in _rows(batch)):
        if row["error"] is None:
            try:
                row.update(_fingerprint_row(row, recipe, task))
            except (Error, UnicodeError) as error:
                row["error"] = str(error)
        if task.strict and row["error"] is not None:
            raise Unreadable(f"{row['name'] or row['file'] or 'a document without a name'}: {row['error']}")
        row["text"] = None
        rows.append(row)
        postings += len(row["hashes"]) if "hashes" in row else 0
        if len(rows) >= MAX_ROWS or postings >= MAX_POSTINGS:
            yield _fingerprint_batch(rows)
            rows, postings = [], 0
    if rows:
        yield _fingerprint_batch(rows)


def leave_out_boilerplate(batches: Iterable[pa.RecordBatch], boilerplate: U64) -> Iterator[pa.RecordBatch]:
    """Yield the postings (POSTINGS) of documents (FINGERPRINTED) that count, each once. boilerplate: sorted, distinct.

    Those in seams of boilerplate do not count either, see `fingerprint.marked_symbols`.
    """
    for batch in batches:
        kept = [_counted_hashes(row, boilerplate) for row in _rows(batch)]
        ids = np.repeat(batch.column("id").to_numpy(), [len(hashes) for hashes in kept])
        hashes = signed(np.concatenate(kept)) if kept else np.empty(0, np.int64)
        yield pa.RecordBatch.from_arrays([pa.array(ids), pa.array(hashes)], schema=POSTINGS)


def _counted_hashes(row: Row, boilerplate: U64) -> U64:
    hashes: U64 = np.array(row["hashes"], np.int64).view(np.uint64) ^ SIGN
    counted: U64 = sorted_distinct(hashes[~contains(boilerplate, hashes)])
    if row["kind"] not in KINDS or not row["kgrams"]:
        return counted
    positions = np.array([NO_POSITION if at is None else at for at in row["positions"]], np.uint32)
    seams = seam_hashes(hashes, positions, boilerplate, row["symbols"] - row["kgrams"] + 1)
    kept: U64 = counted[~contains(seams, counted)]
    return kept


def _rows(batch: pa.RecordBatch) -> Iterator[Row]:
    """Yield the rows of a batch, each made when it is its turn."""
    columns = list(zip(batch.schema.names, batch.columns, strict=True))
    for index in range(batch.num_rows):
        row: Row = {}
        fault = None
        for name, column in columns:
            try:
                row[name] = column[index].as_py()
            except UnicodeDecodeError:
                row[name] = None
                fault = f"its {name} is not UTF-8"
        row["error"] = row.get("error") or fault
        yield row


def _fingerprint_row(row: Row, recipe: Recipe, task: FingerprintTask) -> Row:
    name, text, labels = row["name"], row["text"], row["labels"] or ()
    if name is None:
        raise BadName("it has no name")
    name_bytes(name)
    if text is None:
        raise Unreadable("it has no text")
    if any(value is None for _, value in labels):
        raise BadLabel("a label has no value")
    kind = recipe.resolve_kind(row["kind"] or task.kind, text, name)
    description = InputDocument(name, source=row["source"], contact=row["contact"], labels=dict(labels))
    document = ReadDocument(description, text, content_digest(text))
    prepared = prepare(recipe, document, kind, PrepareOptions(task.purpose))
    record = prepared.record
    return {
        **{field: getattr(record, field) for field in ("kind", "digest", "symbols", "kgrams", "note", "source")},
        "share": prepared.share,
        "hashes": signed(prepared.hashes),
        "positions": prepared.encoded_positions,
    }


def _fingerprint_batch(rows: list[Row]) -> pa.RecordBatch:
    columns = _columns(rows, FINGERPRINTED)
    for name in ("hashes", "positions"):
        columns[FINGERPRINTED.get_field_index(name)] = _list_array([row.get(name) for row in rows])
    return pa.RecordBatch.from_arrays(columns, schema=FINGERPRINTED)


def _columns(rows: list[Row], schema: pa.Schema) -> list[pa.Array]:
    """Return the columns of rows; those of lists of numbers are null."""
    return [
        pa.nulls(len(rows), field.type)
        if pa.types.is_list(field.type)
        else pa.array([row.get(field.name) for row in rows], field.type)
        for field in schema
    ]


def _list_array(arrays: list[I64 | U32 | None]) -> pa.ListArray:
    """Make lists of hashes, or of encoded positions (U32), without a Python object a number; null for None."""
    offsets = np.zeros(len(arrays) + 1, np.int32)
    np.cumsum([0 if array is None else len(array) for array in arrays], out=offsets[1:])
    values = np.concatenate([array for array in arrays if array is not None] or [np.empty(0, np.int64)])
    missing = None
    if values.dtype == np.uint32:
        missing, values = values == 0, values.astype(np.int64) - 1
    is_null = pa.array([array is None for array in arrays], pa.bool_())
    return pa.ListArray.from_arrays(offsets, pa.array(values, mask=missing), mask=is_null)


def parse_lines(batches: Iterable[pa.RecordBatch], fields: Fields) -> Iterator[pa.RecordBatch]:
    """Parse JSON Lines (value, file, block, row) to the form RECORD; a line that is no document has an error."""
    for batch in batches:
        rows = [row for line in batch.to_pylist() if (row := _parse_line(line, fields)) is not None]
        yield pa.RecordBatch.from_arrays(_columns(rows, RECORD), schema=RECORD)


def parse_rows(batches: Iterable[pa.RecordBatch], fields: Fields) -> Iterator[pa.RecordBatch]:
    """Parse rows of Parquet (record, file, block, row) likewise."""
    for batch in batches:
        rows = [_parse_row(row, fields) for row in _rows(batch)]
        yield pa.RecordBatch.from_arrays(_columns(rows, RECORD), schema=RECORD)


def _parse_line(row: Row, fields: Fields) -> Row | None:
    """Parse one line; None for an empty one."""
    line: bytes = row.pop("value")
    chunk = LineChunk(line.removeprefix(codecs.BOM_UTF8), row["file"], 0, fields, "", 0)
    document = next(chunk.documents(), None)
    if document is None:
        return None
    described = {"error": document.reason} if isinstance(document, Skipped) else _describe(document)
    if "error" in described:
        # Which line it is in its file is not known here.
        described["error"] += f"; the line begins {line[:60].decode('utf-8', 'replace')!r}"
    return {**row, **described}


def _parse_row(row: Row, fields: Fields) -> Row:
    if row["error"] is not None:
        return {**row, "error": "it is not UTF-8"}
    record = row.pop("record")
    if isinstance(record.get("labels"), list):
        record["labels"] = dict(record["labels"])
    try:
        return {**row, **_describe(fields.document(record, NO_LOCATION, 0, ""))}
    except ValueError as error:
        return {**row, "error": str(error)}


def _describe(document: InputDocument) -> Row:
    """Return the columns of a document, or its error."""
    if document.name == document.location:
        return {"error": 'no "name" and no "id"'}
    for value in (document.name, document.content):
        try:
            str(value).encode()
        except UnicodeEncodeError:
            return {"error": "it has a lone surrogate, which Spark cannot hold"}
    return {
        "name": document.name,
        "text": document.content,
        "kind": document.kind or None,
        "source": document.source,
        "contact": document.contact,
        "labels": None if document.labels is None else list(document.labels.items()),
    }


def span_components(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Reduce edges (a, b) to the form FOREST: the fewest that connect the same numbers."""
    waiting: list[I64] = [np.empty((2, 0), np.int64)]
    count = 0
    for batch in batches:
        waiting.append(np.stack([batch.column(0).to_numpy(), batch.column(1).to_numpy()]))
        count += batch.num_rows
        if count >= MAX_EDGES + 2 * waiting[0].shape[1]:
            waiting = [spanning_forest(np.concatenate(waiting, axis=1))]
            count = waiting[0].shape[1]
    roots, others = spanning_forest(np.concatenate(waiting, axis=1))
    if len(roots):
        yield pa.RecordBatch.from_arrays([pa.array(roots), pa.array(others)], schema=FOREST)


def spanning_forest(edges: I64) -> I64:
    """Return edges from the least number of each component to each of its others; both shapes (2, n)."""
    numbers, places = np.unique(edges, return_inverse=True)
    places = places.reshape(edges.shape).astype(np.uint32)
    roots = np.arange(len(numbers), dtype=np.uint32)
    connect(roots, places[0], places[1])
    others = np.flatnonzero(roots != np.arange(len(numbers)))
    return np.stack([numbers[roots[others]], numbers[others]])
