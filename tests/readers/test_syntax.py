"""Whole comments, keywords and literals of a program are coloured, in order and apart from each other."""

import pytest

from fpdb.readers.languages import language_by_name
from fpdb.readers.syntax import find_syntax
from tests.readers.listings import LISTINGS


def test_comments_keywords_and_literals_are_spans():
    source = "# why\nif x == 'y':\r\n    return 12\n"
    assert [(source[start:end], kind) for start, end, kind in find_syntax(source, "python")] == [
        ("# why", 0), ("if", 1), ("'y'", 2), ("return", 1), ("12", 3),
    ]  # fmt: skip


@pytest.mark.parametrize("name", LISTINGS)
def test_spans_are_ascending_and_apart(name):
    text = LISTINGS[name][0]
    bounds = [bound for span in find_syntax(text, language_by_name(name, text)) for bound in span[:2]]
    assert bounds == sorted(bounds)
    assert 0 < len(set(bounds)) <= len(bounds)
    assert 0 <= bounds[0] < bounds[-1] <= len(text)
