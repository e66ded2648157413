"""Fingerprint documents on the workers, by fpdb's own recipe and kernel; what cannot be read is told, not lost."""

import os
from functools import partial
from typing import Any, Final, Literal

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StringType

from fpdb import limits
from fpdb.errors import BadName, BadQuery
from fpdb.fingerprint import Purpose, Recipe
from fpdb.spark import workers
from fpdb.spark.frames import FINGERPRINTED, RECORD, frozen, in_arrow

Duplicates = Literal["error", "first"]
LISTED: Final = 5  # names of an error


def fingerprints(  # noqa: PLR0913 (independent options, of which a call names a few)
    documents: DataFrame,
    recipe: Recipe,
    *,
    kind: str = "text",
    purpose: Purpose = "store",
    duplicates: Duplicates = "error",
    strict: bool = False,
    folder: str | os.PathLike[str] | None = None,
) -> DataFrame:
    """Fingerprint documents at once, and keep the result, since all that follows reads it several times.

    Args:
        documents: With the columns `name` and `text` (string, or bytes) and, if wanted, `kind`, `source`, `contact` and
            `labels`, a map; what `documents.documents` returns.
        recipe: How to fingerprint.
        kind: Of documents that do not say theirs: one of `fingerprint.KINDS`, or "auto".
        purpose: "discard" for documents that are to be given as boilerplate.
        duplicates: Several documents of one name are an error, or the "first" is taken, by file and place in it where
            `documents.documents` has read them, else in the order of the DataFrame; the others become problems.
        strict: The first document that cannot be read ends the work.
        folder: Where the result is kept as Parquet; a new one. By default see `frames.frozen`.

    Returns:
        A row a document, with its fingerprints in `hashes` (each `hash ^ 2**63`, signed) and `positions`: what `pairs`
        and the others take. A row that cannot be read has an `error`, and takes part in nothing; see `problems`.

    Raises:
        BadName, BadQuery, MissingKey: The documents or the recipe are not what they should be. If strict, other errors
            of fpdb come as Spark's PythonException.
    """
    recipe.check_key()
    task = workers.FingerprintTask(recipe.to_record(), kind, purpose, strict, limits=limits.current())
    if kind != "auto":
        recipe.rule_for(kind)
    rows = in_arrow(_complete(documents), partial(workers.fingerprint, task=task), FINGERPRINTED)
    if folder is None:
        kept = frozen(rows)
    else:
        rows.write.parquet(os.fspath(folder))
        kept = documents.sparkSession.read.schema(FINGERPRINTED).parquet(os.fspath(folder))
    return _unique(kept, duplicates)


def problems(fingerprinted: DataFrame) -> DataFrame:
    """Return what could not be read, a row each: file, name (either may be null), error."""
    return fingerprinted.where("error is not null").select("file", "name", "error")


def readable(fingerprinted: DataFrame) -> DataFrame:
    """Return the rows that have fingerprints, or are too short to."""
    return fingerprinted.where("error is null")


def _complete(documents: DataFrame) -> DataFrame:
    """Add an id that no other row has, and the columns of `workers.RECORD` that are missing. Raises BadQuery."""
    for name in ("name", "text"):
        if name not in documents.columns:
            raise BadQuery(f"documents need a column {name!r}; there are: {', '.join(documents.columns)}")

    if not isinstance(documents.schema["text"].dataType, StringType | BinaryType):
        raise BadQuery(f"the column 'text' holds {documents.schema['text'].dataType.simpleString()}, and no text")

    def column(name: str) -> Column:
        kind = RECORD[name].dataType
        if name not in documents.columns:
            return F.lit(None).cast(kind).alias(name)
        return documents[name] if name == "text" else documents[name].cast(kind).alias(name)

    return documents.select(F.monotonically_increasing_id().alias("id"), *map(column, RECORD.names))


def _unique(kept: DataFrame, duplicates: Duplicates) -> DataFrame:
    """Make problems of documents whose name came before, or raise BadName."""
    if duplicates not in ("error", "first"):
        raise BadQuery(f"duplicates must be error or first, not {duplicates!r}")
    repeated = readable(kept).groupBy("name").count().where("count > 1").select("name")
    found: list[Any] = repeated.orderBy("name").limit(LISTED + 1).collect()
    if not found:
        return kept
    if duplicates == "error":
        names = ", ".join(repr(row["name"]) for row in found[:LISTED]) + (" and others" if len(found) > LISTED else "")
        raise BadName(f"several documents have the same name: {names}; make them different, or take the first of each")
    order = Window.partitionBy("name").orderBy(F.asc_nulls_last("file"), "block", "row", "id")
    later = (
        readable(kept)
        .select("id", "name", "file", "block", "row")
        .join(repeated, "name", "left_semi")
        .withColumn("place", F.row_number().over(order))
        .where("place > 1")
        .select("id", F.lit("another document has this name, and came first").alias("again"))
    )
    return kept.join(later, "id", "left").withColumn("error", F.coalesce("error", "again")).select(*kept.columns)
