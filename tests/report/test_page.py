"""Pages fetch and obey nothing, and show names and texts as text."""

import base64
import hashlib
import re

import pytest

from fpdb.report.escaping import pieces
from tests.report.rendered_page import HOSTILE, NAMES, Page, fill, pairs_page, words


@pytest.fixture
def hostile(db):
    texts = {name: words(1, 40) + HOSTILE + "\n" + words(100 * at, 20) for at, name in enumerate(NAMES, start=1)}
    fill(db, texts)
    return db, texts


def test_nothing_is_fetched_and_only_our_own_blocks_are_obeyed(hostile) -> None:
    page = Page(pairs_page(*hostile))
    policy = next(
        attributes["content"]
        for tag, attributes in page.elements
        if attributes.get("http-equiv", "").startswith("Content")
    )
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    for tag in ("script", "style"):
        (block,) = page.code(tag)
        digest = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
        assert directives[f"{tag}-src"] == f"'sha256-{digest}'"
    for tag, attributes in page.elements:
        assert tag not in ("img", "link", "iframe", "object", "embed", "base", "b")
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style")]
        assert attributes.get("href", "#").startswith("#")


def test_names_and_texts_are_shown_as_text(hostile) -> None:
    html = pairs_page(*hostile)
    page = Page(html)
    count = len(NAMES)
    assert len(page.data()["rows"]) == count * (count - 1) // 2
    assert sorted(source["name"] for source in page.data()["sources"]) == sorted(NAMES)
    shown = {"".join(part for _, part in pieces(name)) for name in NAMES}
    assert shown <= set(page.cells)
    assert {"U+202Egnp.txt", "bellU+0007 and byte \\xe9.txt", NAMES[0], NAMES[3]} <= shown
    for at, source in enumerate(page.data()["sources"]):
        assert page.data(f"t{at}")["text"] == hostile[1][source["name"]]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", html)
