"""Documents from files: JSON Lines, read as `fpdb add --jsonl` reads them, and Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (what all call it)

from fpdb.errors import BadQuery
from fpdb.spark import workers
from fpdb.spark.frames import RECORD, in_arrow

Format = Literal["jsonl", "parquet"]


def documents(
    spark: SparkSession,
    paths: Iterable[str],
    form: Format,
    *,
    name: str = "name",
    text: str = "text",
    labels: Sequence[str] = (),
) -> DataFrame:
    """The documents of files, or of folders and globs of them, wherever Spark can read: a row each, with the columns
    that `fingerprints` takes, and with an `error` where a line of JSON is none.

    name, text: the columns of Parquet that hold them. labels: columns of Parquet that become labels of their names,
    beside those in the column `labels`, a map. JSON Lines have the fields that `fpdb add --jsonl` knows. Raises
    BadQuery for a column that is not there.
    """
    paths = list(paths)
    if form == "jsonl":
        found = spark.read.option("lineSep", "\n").text(paths)
        return in_arrow(found.select(found["value"].cast("binary"), *_place()), workers.parse, RECORD)
    found = spark.read.parquet(*paths)
    for column in (name, text, *labels):
        if column not in found.columns:
            raise BadQuery(f"there is no column {column!r}; there are: {', '.join(found.columns)}")
    others = [found[column] for column in ("kind", "source", "contact") if column in found.columns]
    return found.select(
        found[name].cast("string").alias("name"), found[text].alias("text"), *others, *_labels(found, labels), *_place()
    )


def _labels(found: DataFrame, names: Sequence[str]) -> list[Column]:
    there = [found["labels"].cast("map<string,string>")] if "labels" in found.columns and "labels" not in names else []
    if names:
        cells = [cell for each in names for cell in (F.lit(each), found[each].cast("string"))]
        there.append(F.map_filter(F.create_map(*cells), lambda _, value: value.isNotNull()))
    if not there:
        return []
    empty = F.create_map().cast("map<string,string>")
    return [F.map_concat(*(F.coalesce(each, empty) for each in there)).alias("labels")]


def _place() -> list[Column]:
    """Where a row stands: file, the beginning of the part that one task reads, and an order within that."""
    return [
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("row"),
    ]
