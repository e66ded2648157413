"""Documents from files: JSON Lines, and Parquet, of which the records are read as `fpdb add` reads them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Literal

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from fpdb.errors import BadQuery
from fpdb.ingest.parquet import column_of
from fpdb.ingest.record_fields import Fields
from fpdb.spark import workers
from fpdb.spark.frames import RECORD, in_arrow

Format = Literal["jsonl", "parquet"]


def documents(spark: SparkSession, paths: Iterable[str], form: Format, *, fields: Fields | None = None) -> DataFrame:
    """The documents of files, or of folders and globs of them, wherever Spark can read: a row each, with the columns
    that `fingerprints` takes, and with an `error` where a record is no document.

    fields: which fields of a record hold what, as `fpdb add` takes them; but a name there must be. Raises BadQuery for
    a column of Parquet that is not there.
    """
    fields, paths = fields or Fields(), list(paths)
    if fields.name == "-":
        raise BadQuery("on Spark the number of a line is not known: documents need a field with their name")
    if form == "jsonl":
        lines = spark.read.option("lineSep", "\n").text(paths)
        found = lines.select(lines["value"].cast("binary"), *_place())
        return in_arrow(found, partial(workers.parse_lines, fields=fields), RECORD)
    rows = spark.read.parquet(*paths)
    there = rows.columns
    for field in (fields.name, fields.text_field, *fields.labels):
        if field is not None and column_of(field, there) is None:
            raise BadQuery(f"there is no column {field!r}; there are: {', '.join(there)}")
    wanted = {column for field in fields.wanted() if (column := column_of(field, there)) is not None}
    record = F.struct(*(F.col(f"`{column}`") for column in there if column in wanted)).alias("record")
    return in_arrow(rows.select(record, *_place()), partial(workers.parse_rows, fields=fields), RECORD)


def _place() -> list[Column]:
    """Where a row stands: file, the beginning of the part that one task reads, and an order within that."""
    return [
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("row"),
    ]
