"""Frozen rows are computed once."""

import os

import pyarrow as pa
from pyspark.sql.types import StructType

from fpdb.spark.frames import frozen, in_arrow, prefixed
from tests.spark.rows import rows


def test_frozen_rows_stay_the_same(spark):
    def random_numbers(batches):
        for batch in batches:
            numbers = [int.from_bytes(os.urandom(7), "big") for _ in range(batch.num_rows)]
            yield pa.RecordBatch.from_arrays([pa.array(numbers)], ["id"])

    frame = in_arrow(spark.range(5), random_numbers, StructType().add("id", "long"))
    assert rows(frame) != rows(frame)
    kept = frozen(frame)
    assert rows(kept) == rows(kept)
    assert kept.count() == 5
    assert prefixed(kept, "a").columns == ["a_id"]
