"""DataFrames that go through `workers`, and those that stay what they are however often they are read."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from fpdb.spark import workers
from fpdb.spark.workers import Stage

RECORD: Final = from_arrow_schema(workers.RECORD)
FINGERPRINTED: Final = from_arrow_schema(workers.FINGERPRINTED)
FOREST: Final = from_arrow_schema(workers.FOREST)


def in_arrow(frame: DataFrame, stage: Stage, schema: StructType) -> DataFrame:
    """The rows after a stage on the workers."""
    return frame.mapInArrow(stage, schema)


def frozen(frame: DataFrame) -> DataFrame:
    """The rows, computed once and kept: in the checkpoint folder if Spark has been given one, else on the executors,
    where what is lost makes the work fail. They cannot become others, as they could by being computed again."""
    if frame.sparkSession.sparkContext.getCheckpointDir() is None:
        return frame.localCheckpoint()
    return frame.checkpoint()


def sorted_by_key(frame: DataFrame) -> DataFrame:
    """One side of a join that is to be sorted, whatever Spark takes its size to be: it counts rows, not what is in
    them, and might send all hashes to all workers."""
    return frame.hint("merge")


def at(frame: DataFrame, alias: str) -> DataFrame:
    """The same rows with the alias before all names of columns: a_id for id."""
    return frame.select([frame[column].alias(f"{alias}_{column}") for column in frame.columns])
