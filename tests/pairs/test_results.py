"""Results are given once, in order, whatever is shown of them before."""

from fpdb.pairs.ranking import Pair
from fpdb.pairs.results import PAIRS_SHOWN, Comparison, IgnoredHashes, Results


def test_a_table_for_notebooks_takes_no_result_away() -> None:
    pairs = [Pair(f"<{number}>", "b", 3, 0.5, 0.25, 0.5) for number in range(PAIRS_SHOWN + 5)]
    results = Results(lambda: Comparison(iter(pairs), IgnoredHashes(0, 0, 0)))
    assert next(results) is pairs[0]
    for _ in range(2):
        table = results._repr_html_()
        assert table.count("<tr>") == PAIRS_SHOWN + 1
        assert "&lt;1&gt;" in table
    assert list(results) == pairs[1:]
    assert "b" in Results(lambda: Comparison(iter(["a", "b"]), IgnoredHashes(0, 0, 0)))._repr_html_()
