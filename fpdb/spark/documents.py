"""Documents from files: JSON Lines, and Parquet, of which the records are read as `fpdb add` reads them."""

from collections.abc import Iterable
from functools import partial

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from fpdb.errors import BadQuery
from fpdb.ingest.parquet import column_of
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.record_formats import RecordFormat
from fpdb.spark import workers
from fpdb.spark.frames import RECORD, in_arrow


def documents(
    spark: SparkSession, paths: Iterable[str], form: RecordFormat, *, fields: Fields | None = None
) -> DataFrame:
    """Read the documents of files, or of folders and globs of them, wherever Spark can read.

    Args:
        spark: The session.
        paths: The files.
        form: "jsonl" or "parquet".
        fields: Which fields of a record hold what, as for `fpdb add`; but there must be a field for the name.

    Returns:
        A row a document, with the columns that `fingerprints` takes, and with an `error` where a record is none.

    Raises:
        BadQuery: A column of Parquet is not there.
    """
    fields, paths = fields or Fields(), list(paths)
    if fields.name == "-":
        raise BadQuery("on Spark the number of a line is not known: documents need a field with their name")
    if form == "jsonl":
        lines = spark.read.option("lineSep", "\n").text(paths)
        rows = lines.select(lines["value"].cast("binary"), *_place())
        return in_arrow(rows, partial(workers.parse_lines, fields=fields), RECORD)
    rows = spark.read.parquet(*paths)
    names = rows.columns
    for field in (fields.name, fields.text_field, *fields.labels):
        if field is not None and column_of(field, names) is None:
            raise BadQuery(f"there is no column {field!r}; there are: {', '.join(names)}")
    wanted = {column_of(field, names) for field in fields.wanted()}
    record = F.struct(*(F.col(f"`{name}`") for name in names if name in wanted)).alias("record")
    return in_arrow(rows.select(record, *_place()), partial(workers.parse_rows, fields=fields), RECORD)


def _place() -> list[Column]:
    """Return columns for where a row stands: file, first byte of the part that one task reads, order within that."""
    return [
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("row"),
    ]
