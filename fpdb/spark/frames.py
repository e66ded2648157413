"""DataFrames that go through `workers`, and those that stay what they are however often they are read."""

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from fpdb.spark import workers

RECORD: Final = from_arrow_schema(workers.RECORD)
FINGERPRINTED: Final = from_arrow_schema(workers.FINGERPRINTED)
POSTINGS: Final = from_arrow_schema(workers.POSTINGS)
FOREST: Final = from_arrow_schema(workers.FOREST)


def in_arrow(frame: DataFrame, stage: workers.Stage, schema: StructType) -> DataFrame:
    """Return the rows after a stage on the workers."""
    return frame.mapInArrow(stage, schema)


def frozen(frame: DataFrame) -> DataFrame:
    """Compute the rows once and keep them, so that they cannot become others by being computed again.

    They are kept in the checkpoint folder if Spark has been given one, else on the executors, where what is lost makes
    the work fail.
    """
    if frame.sparkSession.sparkContext.getCheckpointDir() is None:
        return frame.localCheckpoint()
    return frame.checkpoint()


def sort_merged(frame: DataFrame) -> DataFrame:
    """Mark one side of a join as to be sorted, whatever Spark takes its size to be.

    Spark counts rows, not what is in them, and might send all hashes to all workers.
    """
    return frame.hint("merge")


def prefixed(frame: DataFrame, prefix: str) -> DataFrame:
    """Return the same rows with the prefix before all names of columns: a_id for id."""
    return frame.select([frame[column].alias(f"{prefix}_{column}") for column in frame.columns])
