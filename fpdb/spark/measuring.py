"""Measure joined pairs on the workers, by the formulas of `pairs.measures` and `pairs.evidence`.

So that both answer alike to the last bit, and since Spark does not end planning as many columns that need each other.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql.types import BooleanType, DataType, StringType

from fpdb.arrays import F64, U32, Bools
from fpdb.pairs.evidence import CONTENT, EVIDENCE, FEW, FINGERPRINTS, cautious_factors
from fpdb.pairs.measures import Measures, common_sizes

MEASURES: Final = ("containment_a", "containment_b", "resemblance")
ADDED: Final = ("a", "b", "equal", *MEASURES, "evidence", "score")
WEIGHTED: Final = ("weighted_containment_a", "weighted_containment_b", "weighted_resemblance", "similarity")
TYPES: Final[dict[str, DataType]] = {
    "a": StringType(),
    "b": StringType(),
    "equal": BooleanType(),
    "evidence": StringType(),
}
"""Of those that are no numbers."""


def measure(batches: Iterator[pa.RecordBatch], *, by: str, few: int, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield batches of pairs with their measures; pairs of duplicates share all of their hashes.

    Args:
        batches: Pairs as `spark.pairs.PairJoin.measure` joins them.
        by: The measure to rank by.
        few: See `pairs.options.PairOptions`.
        names: The columns that are to come of it.
    """
    for batch in batches:
        columns = {name: batch.column(name) for name in batch.schema.names} | _measured(batch, by, few)
        yield pa.RecordBatch.from_arrays([pa.array(columns[name]) for name in names], names=list(names))


def _measured(batch: pa.RecordBatch, by: str, few: int) -> dict[str, Any]:
    """Return the columns that are added, and what is shared."""

    def column(name: str, missing: int = 0) -> NDArray[Any]:
        values: NDArray[Any] = pc.fill_null(batch.column(name), missing).to_numpy(zero_copy_only=False)
        return values

    def of_both(name: str, missing: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
        return column(f"a_{name}", missing), column(f"b_{name}", missing)

    equal: Bools = column("a_set", -1) == column("b_set", -2)
    shares = of_both("share")

    def estimate(shared: F64, sizes: tuple[NDArray[Any], NDArray[Any]]) -> tuple[Measures, tuple[F64, F64]]:
        value = np.where(equal & (shared == 0), 1.0, shared)
        size_a, size_b = (np.where(equal, value, size.astype(np.float64)) for size in sizes)
        common = common_sizes(value, (size_a, size_b), (_as_u32(shares[0]), _as_u32(shares[1])))
        return Measures.compute(value, common), common

    shared = np.where(equal, column("a_whole_size"), column("shared"))
    plain, sizes = estimate(shared.astype(np.float64), of_both("size"))
    copies = pc.equal(batch.column("a_digest"), batch.column("b_digest")).to_numpy(zero_copy_only=False)
    complete_a, complete_b = of_both("complete", missing=False)
    factors, certain = cautious_factors((complete_a | copies, complete_b | copies), sizes, shared, few)
    evidence = np.where(copies, CONTENT, np.where(certain, FINGERPRINTS, FEW))
    limited = plain.times(factors)
    columns = {
        "a": batch.column("a_name"),
        "b": batch.column("b_name"),
        "shared": shared,
        "equal": equal,
        **dict(zip(MEASURES, limited, strict=True)),
        "evidence": [EVIDENCE[number] for number in evidence.tolist()],
    }
    if "weight" in batch.schema.names:
        weight = np.where(equal, column("a_whole_total"), column("weight")).astype(np.float64)
        limited = estimate(weight, of_both("total"))[0].times(factors)
        columns |= dict(zip(WEIGHTED, (*limited, limited.mean), strict=True))
    columns["score"] = shared.astype(np.float64) if by == "shared" else limited.score(by)
    return columns


def _as_u32(shares: NDArray[Any]) -> U32:
    return shares.astype(np.uint32)
