"""Results are given once, in order, whatever is shown of them before."""

import pickle

import pytest

from fpdb.pairs.ranking import Pair
from fpdb.pairs.results import PAIRS_SHOWN, Comparison, HeldBack, IgnoredHashes, Results


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


def test_results_say_what_they_are_and_are_not_pickled() -> None:
    results = Results(lambda: Comparison(iter(["a", "b"]), IgnoredHashes(0, 0, 0)))
    assert "make a list" in repr(results)
    with pytest.raises(TypeError, match="make a list of them"):
        pickle.dumps(results)
    assert pickle.loads(pickle.dumps(list(results))) == ["a", "b"]


def test_held_back_pairs_are_told_with_the_reason() -> None:
    begin = "of documents with fewer than 16 fingerprints"
    assert HeldBack(16, 1, 0).text() == f"1 pair {begin} was held back: their texts have less in common"
    unread = HeldBack(16, 0, 2).text("--few")
    assert unread.startswith(f"2 pairs {begin} were held back: their texts could not be read (")
    assert unread.endswith("see --few)")
    both = HeldBack(16, 1, 2).text()
    assert both.startswith(
        f"3 pairs {begin} were held back: 1 have less in common by their texts; the texts of 2 could"
    )
