"""What Spark's workers run: batches of Arrow in, batches of Arrow out. Knows nothing of DataFrames.

Spark has no unsigned numbers: a hash is the signed number `hash ^ 2**63`, whose order is that of the hashes.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fpdb import __version__
from fpdb.arrays import I64, U64
from fpdb.errors import BadLabel, BadName, Error, MissingPackage, Unreadable
from fpdb.fingerprint import NO_POSITION, Fingerprints, Purpose, Recipe, content_digest
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.jsonl import LineChunk
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.redact_url import redact_url
from fpdb.pairs.union_find import connect
from fpdb.storage.file_format import name_bytes

ROWS: Final = 1 << 10  # documents of a batch at most
POSTINGS: Final = 1 << 20  # of a batch, or one document's
EDGES: Final = 1 << 20  # joined at once
SIGN: Final = np.uint64(1 << 63)
LABELS: Final = pa.map_(pa.string(), pa.string())

RECORD: Final = pa.schema(
    [
        ("name", pa.string()),
        ("text", pa.string()),
        ("kind", pa.string()),
        ("source", pa.string()),
        ("contact", pa.string()),
        ("labels", LABELS),
        ("file", pa.string()),
        ("block", pa.int64()),
        ("row", pa.int64()),
        ("error", pa.string()),
    ]
)
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
        ("source", pa.string()),
        ("contact", pa.string()),
        ("labels", LABELS),
        ("hashes", pa.list_(pa.int64())),
        ("positions", pa.list_(pa.int64())),
        ("file", pa.string()),
        ("block", pa.int64()),
        ("row", pa.int64()),
        ("error", pa.string()),
    ]
)
NAMELESS: Final = ""  # where a record is, told by its name if it has no other
FOREST: Final = pa.schema([("a", pa.int64()), ("b", pa.int64())])


def signed(hashes: U64) -> I64:
    """Hashes as Spark has them, shape (n,)."""
    return (hashes ^ SIGN).view(np.int64)


class Work(NamedTuple):
    """How a worker is to fingerprint. recipe: its record, with the key, which goes nowhere but here. kind: of documents
    that do not say theirs. strict: whether the first document that cannot be read ends the work. version: the
    driver's fpdb."""

    recipe: Mapping[str, Any]
    kind: str = "text"
    purpose: Purpose = "store"
    strict: bool = False
    version: str = __version__


def fingerprint(batches: Iterable[pa.RecordBatch], work: Work) -> Iterator[pa.RecordBatch]:
    """Documents, as `fingerprints.fingerprints` hands them over, in the form FINGERPRINTED. Raises MissingPackage where
    driver and worker have different versions of fpdb; Unreadable, if strict."""
    if work.version != __version__:
        raise MissingPackage(f"the driver has fpdb {work.version}, and a worker {__version__}: install the same on all")
    recipe = Recipe.from_record(work.recipe)
    rows: list[dict[str, Any]] = []
    held = 0
    for batch in batches:
        for row in _rows(batch):
            if row["error"] is None:
                try:
                    row.update(_fingerprinted(row, recipe, work))
                except (Error, UnicodeError) as error:
                    row["error"] = str(error)
            if work.strict and row["error"] is not None:
                raise Unreadable(f"{row['name'] or row['file'] or 'a document without a name'}: {row['error']}")
            row["text"] = None
            rows.append(row)
            held += len(row["hashes"]) if row.get("hashes") is not None else 0
            if len(rows) >= ROWS or held >= POSTINGS:
                yield _packed(rows)
                rows, held = [], 0
    if rows:
        yield _packed(rows)


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """The rows of a batch, each made when it is its turn."""
    columns = list(zip(batch.schema.names, batch.columns, strict=True))
    for index in range(batch.num_rows):
        row: dict[str, Any] = {}
        wrong = None
        for name, column in columns:
            try:
                row[name] = column[index].as_py()
            except UnicodeDecodeError:
                row[name] = None
                wrong = f"its {name} is not UTF-8"
        row["error"] = row.get("error") or wrong
        yield row


def _fingerprinted(row: Mapping[str, Any], recipe: Recipe, work: Work) -> dict[str, Any]:
    name, text, kind = row["name"], row["text"], row["kind"] or work.kind
    if name is None:
        raise BadName("it has no name")
    name_bytes(name)
    if text is None:
        raise Unreadable("it has no text")
    if any(value is None for _, value in row["labels"] or ()):
        raise BadLabel("a label has no value")
    kind = recipe.resolve_kind(kind, text, name)
    found: Fingerprints = recipe.fingerprint(text, kind, purpose=work.purpose, name=name)
    return {
        "kind": kind,
        "digest": content_digest(text),
        "symbols": found.symbols,
        "kgrams": found.kgrams,
        "note": found.note,
        "share": found.share,
        "source": None if row["source"] is None else redact_url(row["source"]),
        "hashes": signed(found.hashes),
        "positions": found.positions,
    }


def _packed(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    lists = {
        "hashes": [row.get("hashes") for row in rows],
        "positions": [row.get("positions") for row in rows],
    }
    columns = []
    for field in FINGERPRINTED:
        if field.name in lists:
            columns.append(_list_array(lists[field.name], absent=NO_POSITION if field.name == "positions" else None))
        else:
            columns.append(pa.array([row.get(field.name) for row in rows], field.type))
    return pa.RecordBatch.from_arrays(columns, schema=FINGERPRINTED)


def _list_array(arrays: list[NDArray[Any] | None], absent: int | None) -> pa.ListArray:
    """Lists of numbers, without a Python object a number; None where there is no list, or no number."""
    offsets = np.zeros(len(arrays) + 1, np.int32)
    np.cumsum([0 if array is None else len(array) for array in arrays], out=offsets[1:])
    values = np.concatenate([array for array in arrays if array is not None] or [np.empty(0, np.int64)])
    missing = None if absent is None else values == np.uint32(absent)
    nulls = pa.array([array is None for array in arrays], pa.bool_())
    return pa.ListArray.from_arrays(offsets, pa.array(values.astype(np.int64), mask=missing), mask=nulls)


def parse_lines(batches: Iterable[pa.RecordBatch], fields: Fields) -> Iterator[pa.RecordBatch]:
    """JSON Lines (value, file, block, row) as documents in the form RECORD; a line that is none has an error."""
    for batch in batches:
        yield _records(row for each in batch.to_pylist() if (row := _of_line(each, fields)) is not None)


def parse_rows(batches: Iterable[pa.RecordBatch], fields: Fields) -> Iterator[pa.RecordBatch]:
    """Rows of Parquet (record, file, block, row) likewise."""
    for batch in batches:
        yield _records(_of_row(row, fields) for row in _rows(batch))


def _records(rows: Iterable[dict[str, Any]]) -> pa.RecordBatch:
    rows = list(rows)
    columns = [pa.array([row.get(field.name) for row in rows], field.type) for field in RECORD]
    return pa.RecordBatch.from_arrays(columns, schema=RECORD)


def _of_line(row: dict[str, Any], fields: Fields) -> dict[str, Any] | None:
    """None for an empty line."""
    line: bytes = row.pop("value")
    found = next(LineChunk(line.removeprefix(codecs.BOM_UTF8), row["file"], 0, fields, "", 0).documents(), None)
    if found is None:
        return None
    described = {"error": found.reason} if isinstance(found, Skipped) else _described(found)
    if "error" in described:
        # Which line it is in its file is not known here.
        described["error"] += f"; the line begins {line[:60].decode('utf-8', 'replace')!r}"
    return {**row, **described}


def _of_row(row: dict[str, Any], fields: Fields) -> dict[str, Any]:
    if row["error"] is not None:
        return {**row, "error": "it is not UTF-8"}
    record = row.pop("record")
    if isinstance(record.get("labels"), list):
        record["labels"] = dict(record["labels"])
    try:
        return {**row, **_described(fields.document(record, NAMELESS, 0, ""))}
    except ValueError as error:
        return {**row, "error": str(error)}


def _described(found: InputDocument) -> dict[str, Any]:
    if found.name == found.location:
        return {"error": 'no "name" and no "id"'}
    text = found.content
    for value in (found.name, text):
        try:
            str(value).encode()
        except UnicodeEncodeError:
            return {"error": "it has a lone surrogate, which Spark cannot hold"}
    return {
        "name": found.name,
        "text": text,
        "kind": found.kind or None,
        "source": found.source,
        "contact": found.contact,
        "labels": None if found.labels is None else list(found.labels.items()),
    }


def forest(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Edges (a, b) as the fewest that connect the same: from the least number of a component to each of its others."""
    held: list[I64] = [np.empty((2, 0), np.int64)]
    count = 0
    for batch in batches:
        held.append(np.stack([batch.column(0).to_numpy(), batch.column(1).to_numpy()]))
        count += batch.num_rows
        if count >= EDGES + 2 * held[0].shape[1]:
            held = [spanning(np.concatenate(held, axis=1))]
            count = held[0].shape[1]
    roots, others = spanning(np.concatenate(held, axis=1))
    if len(roots):
        yield pa.RecordBatch.from_arrays([pa.array(roots), pa.array(others)], schema=FOREST)


def spanning(edges: I64) -> I64:
    """The least number of each component, beside each of its others; both shapes (2, n)."""
    known, places = np.unique(edges, return_inverse=True)
    places = places.reshape(edges.shape).astype(np.uint32)
    roots = np.arange(len(known), dtype=np.uint32)
    connect(roots, places[0], places[1])
    others = np.flatnonzero(roots != np.arange(len(known)))
    return np.stack([known[roots[others]], known[others]])


Stage = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
