"""The measures of joined pairs are those of the definition, also without a Spark."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

WHOLE = 2**32 - 1


@given(st.lists(st.tuples(*[st.integers(1, 30)] * 3, st.booleans()), min_size=1), st.sampled_from([0, 16]))
def test_measures_are_those_of_the_definition(drawn, few):
    """A document of few hashes, which are not all of its k-grams, counts as if it had so many."""
    from fpdb.spark.measuring import MEASURES, measure

    rows = [(min(drawn_shared, a, b), a, b, complete) for drawn_shared, a, b, complete in drawn]
    columns = {"shared": [row[0] for row in rows]}
    for side, at in (("a", 1), ("b", 2)):
        columns |= {f"{side}_name": [side] * len(rows), f"{side}_size": [row[at] for row in rows]}
        columns |= {f"{side}_whole_size": columns[f"{side}_size"], f"{side}_share": [WHOLE] * len(rows)}
        columns |= {f"{side}_set": pa.nulls(len(rows), pa.int64()), f"{side}_digest": [side.encode()] * len(rows)}
        columns |= {f"{side}_complete": [row[3] for row in rows]}
    names = ["shared", *MEASURES, "evidence", "score"]
    (found,) = measure(iter([pa.RecordBatch.from_pydict(columns)]), by="containment", few=few, names=names)
    for (shared, a, b, complete), row in zip(rows, found.to_pylist(), strict=True):
        enough = 0 if complete else few
        of_a, of_b = shared / max(a, enough), shared / max(b, enough)
        union = a + b - shared
        is_certain = complete or min(a, b) >= few
        assert row["evidence"] == ("fingerprints" if is_certain else "few")
        assert [row[name] for name in names[:-2]] == [shared, of_a, of_b, row["resemblance"]]
        assert row["resemblance"] == shared / (union if is_certain else max(union, few))
        assert row["score"] == max(of_a, of_b)
