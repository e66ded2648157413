"""A page holds the texts that rows need as long as there is room, and says what it does not hold."""

import re

from fpdb.report.contents import Limits
from fpdb.report.escaping import escaped_json
from tests.report.rendered_page import Page, fill, pairs_page, words


def named_rows(page):
    """Rows, whose sources are numbered in the order in which they are needed, with the names of these."""
    names = [source["name"] for source in page.data()["sources"]]
    return [row | {"a": names[row["a"]], "b": names[row["b"]]} for row in page.data()["rows"]]


def test_limits_are_kept_and_said(db) -> None:
    texts = {f"{at}.txt": words(at, 60) for at in range(6)}
    fill(db, texts)
    whole = Page(pairs_page(db, texts))
    assert len(whole.data()["rows"]) == 15
    assert "There are more" not in whole.text
    few = Page(pairs_page(db, texts, limits=Limits(rows=4)))
    assert named_rows(few) == named_rows(whole)[:4]
    assert "There are more: only the first 4 are listed here." in few.text
    exact = Page(pairs_page(db, texts, limits=Limits(rows=15)))
    assert "There are more" not in exact.text
    small = Page(pairs_page(db, texts, limits=Limits(text=4000)))
    states = [source["state"] for source in small.data()["sources"]]
    held = [attributes["id"] for _, attributes, _ in small.blocks if re.fullmatch(r"t\d+", attributes.get("id") or "")]
    assert 0 < len(held) < 6
    assert states.count("omitted") == 6 - len(held)
    assert sum(len(escaped_json(small.data(name)["text"])) for name in held) <= 4000
    assert f"{6 - len(held)} texts left out" in small.text
    assert [row["regions"] for row in small.data()["rows"]] == [row["regions"] for row in whole.data()["rows"]]


def test_a_source_that_is_gone_or_changed_has_positions_only(db) -> None:
    texts = {"a": words(1, 60), "b": words(20, 60), "c": words(30, 60)}
    fill(db, texts)
    page = Page(pairs_page(db, {"b": texts["b"], "c": "other"}))
    data = page.data()
    states = {source["name"]: source["state"] for source in data["sources"]}
    assert states == {"a": "unavailable", "b": "same", "c": "changed"}
    names = [source["name"] for source in data["sources"]]
    for row in data["rows"]:
        sides = names[row["a"]], names[row["b"]]
        assert row["symbols"] == [name != "b" for name in sides]
        assert row["regions"]
    assert "unknown" not in page.cells
    held = [attributes["id"] for _, attributes, _ in page.blocks if attributes.get("id") not in (None, "data")]
    assert held == [f"t{names.index('b')}"]
