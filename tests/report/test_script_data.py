"""Regions are numbers in the texts that a page holds."""

from tests.report.rendered_page import Page, fill, pairs_page, words


def test_regions_are_where_the_texts_are_alike(db) -> None:
    """In UTF-16 units, as a browser counts: characters beyond them come before the passage."""
    passage = words(500, 30)
    texts = {"a": "😀😀 astral\n" + words(1, 5) + passage, "b": words(50, 9) + passage + words(70, 3)}
    fill(db, texts)
    page = Page(pairs_page(db, texts))
    (row,) = page.data()["rows"]
    (region,) = row["regions"]
    for side, name in ((0, "a"), (1, "b")):
        units = texts[name].encode("utf-16-le")
        held = units[2 * region[2 * side] : 2 * region[2 * side + 1]].decode("utf-16-le")
        assert passage.strip() in held
        assert len(held) < len(passage) + 20
