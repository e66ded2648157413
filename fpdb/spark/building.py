"""Build a folder that `Database.adopt` takes as it is: docs/design/adopt-format.md says what is in it.

Files are written by Spark's own committer, which counts a task once however often it is tried; the mark that all is
there comes last.
"""

import json
import os
import time
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from fpdb.errors import BadQuery
from fpdb.fingerprint import KEY_DIGEST, Recipe
from fpdb.spark.fingerprints import readable
from fpdb.spark.frames import frozen

MAX_FILES: Final = 100_000  # Spark numbers files with five digits


def build(
    fingerprinted: DataFrame,
    folder: str | os.PathLike[str],
    recipe: Recipe,
    *,
    files: int | None = None,
    added: int | None = None,
    key_digest: str | None = None,
) -> None:
    """Write the folder, with the documents in order of their names.

    Args:
        fingerprinted: Of `fingerprints`.
        folder: A new one, or one that was not finished.
        recipe: With which the documents were fingerprinted.
        files: How many hash ranges there are, each a file; by default as many as Spark's shuffles have partitions.
        added: When the documents were added, in seconds since 1970; by default now.
        key_digest: Of the key file (`keys.read`), which then stands in the folder instead of the key.

    Raises:
        BadQuery: The folder is finished, or files is out of range.
    """
    spark = fingerprinted.sparkSession
    files = int(spark.conf.get("spark.sql.shuffle.partitions") or 200) if files is None else files
    if not 1 <= files <= MAX_FILES:
        raise BadQuery(f"files must lie between 1 and {MAX_FILES}, not {files}")
    folder = os.fspath(folder)
    target = _Folder(spark, folder)
    target.begin()
    record = recipe.to_record()
    if key_digest is not None:
        del record["key"]
        record[KEY_DIGEST] = key_digest
    documents = readable(fingerprinted)
    numbered = ordinals(documents, files)
    ranges = _postings(documents, numbered).repartitionByRange(files, "hash", "document")
    ranges.sortWithinPartitions("hash", "document", "position").write.parquet(f"{folder}/postings", mode="overwrite")
    moment = int(time.time()) if added is None else added
    described = numbered.withColumnRenamed("document", "ordinal").join(_described(documents, moment), "id")
    in_order = described.drop("id").repartitionByRange(files, "ordinal").sortWithinPartitions("ordinal")
    in_order.write.parquet(f"{folder}/documents", mode="overwrite")
    target.write("recipe.json", json.dumps(record))
    target.write("_SUCCESS", "")


def ordinals(documents: DataFrame, partitions: int) -> DataFrame:
    """Give documents numbers in the order of names: id, document; from 0 without gaps."""
    in_order = documents.select("name", "id").repartitionByRange(partitions, "name").sortWithinPartitions("name")
    # A number by row is the partition's in the upper bits, and the row's in it in the lower 33. Which rows a partition
    # has depends on a sample, so that the rows must not be computed twice.
    placed = frozen(in_order.select("id", F.monotonically_increasing_id().alias("place")))
    partition = F.shiftright("place", 33)
    counts: list[Any] = placed.groupBy(partition.alias("partition")).count().orderBy("partition").collect()
    starts: dict[int, int] = {}
    total = 0
    for row in counts:
        starts[row["partition"]] = total
        total += row["count"]
    offsets = placed.sparkSession.createDataFrame(list(starts.items()), "partition long, start long")
    row_in_it = F.col("place").bitwiseAND((1 << 33) - 1)
    joined = placed.withColumn("partition", partition).join(F.broadcast(offsets), "partition")
    return joined.select("id", (F.col("start") + row_in_it).alias("document"))


def _postings(documents: DataFrame, numbered: DataFrame) -> DataFrame:
    """Return hash, document, position; a posting that a document has twice only once."""
    each = F.array_distinct(F.arrays_zip("hashes", "positions"))
    rows = documents.select("id", each.alias("each")).join(numbered, "id")
    return rows.select(F.explode("each").alias("each"), "document").select(
        F.col("each.hashes").alias("hash"), "document", F.col("each.positions").alias("position")
    )


def _described(documents: DataFrame, added: int) -> DataFrame:
    """Return a row a document without its hashes, which are counted before anything is moved."""
    return documents.select(
        "id",
        "name",
        "kind",
        "digest",
        "symbols",
        "kgrams",
        F.size(F.array_distinct(F.arrays_zip("hashes", "positions"))).cast("long").alias("fingerprints"),
        "share",
        F.coalesce("note", F.lit("")).alias("note"),
        F.lit(added).cast("long").alias("added"),
        "source",
        "contact",
        "labels",
    )


class _Folder:
    """A folder wherever Spark writes, through the file systems that it knows."""

    def __init__(self, spark: Any, path: str) -> None:
        jvm = spark.sparkContext._jvm
        self.path = path
        self._path = jvm.org.apache.hadoop.fs.Path
        self._files = self._path(path).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        self._files.setWriteChecksum(False)

    def begin(self) -> None:
        """Raise BadQuery where the folder is finished."""
        if self._files.exists(self._path(self.path, "_SUCCESS")):
            raise BadQuery(f"{self.path!r} is finished already; give another folder")

    def write(self, name: str, content: str) -> None:
        """Write a small file."""
        with_content = self._files.create(self._path(self.path, name), True)
        try:
            with_content.write(content.encode())
        finally:
            with_content.close()
