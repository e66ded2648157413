"""Lines of JSON made from arrays are what Python's own `json` writes."""

import json

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from fpdb.search import _json_lines

NAMES = st.binary(max_size=12) | st.text(max_size=8).map(lambda name: name.encode("utf-8", "surrogatepass"))
RATIOS = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 0.1, 1 / 3, 5e-324, 1.1125369292536007e-308])
MATCHES = st.tuples(NAMES, st.integers(0, 2**63 - 1) | st.integers(0, 200), RATIOS, RATIOS, RATIOS)
FIELDS = ("name", "shared", "containment", "reverse_containment", "resemblance")


@given(st.lists(st.tuples(st.text(), st.lists(MATCHES, max_size=6)), max_size=5))
@example([('"' * 9000, [(b"\\\x7f\n\xff" * 3000, 10, 0.5, 1.0, 0.0), (b"plain", 0, 1e-05, 1e-05, 1e-05)] * 3)])
def test_lines_are_those_of_json(queries):
    matches = [match for _, some in queries for match in some]
    names = sorted({match[0] for match in matches})
    containment, reverse, resemblance = (np.array([match[at] for match in matches], np.float64) for at in (2, 3, 4))
    found = _json_lines.answer_lines(
        [json.dumps(query).encode() for query, _ in queries],
        names,
        (
            np.array([names.index(match[0]) for match in matches], np.intp),
            np.array([match[1] for match in matches], np.int64),
            containment,
            reverse,
            resemblance,
        ),
        np.cumsum([0, *(len(some) for _, some in queries)], dtype=np.int64),
    )
    expected = [
        {
            "query": query,
            "matches": [
                dict(zip(FIELDS, (name.decode("utf-8", "surrogateescape"), *rest), strict=True)) for name, *rest in some
            ],
        }
        for query, some in queries
    ]
    assert found == [json.dumps(each).encode() + b"\n" for each in expected]


def test_more_ratios_than_are_remembered():
    ratios = np.random.default_rng(1).random(30_000)
    (line,) = _json_lines.answer_lines(
        [b"0"],
        [b"a"],
        (
            np.zeros(len(ratios), np.intp),
            np.ones(len(ratios), np.int64),
            ratios,
            ratios[::-1].copy(),
            ratios,
        ),
        np.array([0, len(ratios)], np.int64),
    )
    matches = json.loads(line)["matches"]
    assert [match["containment"] for match in matches] == ratios.tolist()
    assert [match["reverse_containment"] for match in matches] == ratios[::-1].tolist()
