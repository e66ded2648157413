"""A text is shown without tags, with what does not count as spans."""

import numpy as np

from fpdb.fingerprint.marked_symbols import MarkedSymbols
from tests.report.rendered_page import display_of


def test_pages_of_the_web_are_shown_as_text() -> None:
    html = "<html><title>A &amp; B</title>\n<script>x()</script><p>one <b>two</b>\n\n  three&eacute;</p><p>four</html>"
    display = display_of(html, "html")
    assert display.text == "A & B\none two\nthreeé\nfour"
    for word in ("A", "one", "two", "three", "four"):
        start = html.index(f">{word}") + 1 if word == "A" else html.index(word)
        first, behind = display.locate((start, start + len(word)))
        assert display.text[first:behind] == word
    assert display.lines[1].tolist() == [1, 2, 4, 4]


def test_what_does_not_count_is_a_span() -> None:
    marked = display_of("one two three", marks=MarkedSymbols(np.array([3]), np.array([6])))
    assert [marked.text[slice(*span)] for span in marked.discarded] == ["two"]
