"""Queries by a text or a file, from a page."""

import json
import re
from io import BytesIO
from pathlib import Path

import pytest

import fpdb
from fpdb.browse.application import BrowseRequest
from fpdb.browse.site import Site, link
from tests.browse.conftest import HOSTILE, MARKS, PASSAGE, Browser, links, words
from tests.cli.prose import prose


def test_a_query_by_text_and_by_file(pages: Browser) -> None:
    as_text = words(pages.search(text=PASSAGE))
    as_file = words(pages.search(file=(BytesIO(PASSAGE.encode()), MARKS)))
    assert PASSAGE[:200] in as_text
    assert PASSAGE[:200] in as_file
    assert "Matches of the pasted text" in as_text
    assert "document.title='obeyed'" in as_file
    assert "No document shares a fingerprint" in words(pages.search(text=prose(99)))
    for nothing in ({"text": " \n"}, {"file": (BytesIO(), "empty.txt")}, {}):
        assert "nothing to search for" in pages.post("/search", nothing, 400).text


def test_a_query_stands_beside_its_matches(pages: Browser) -> None:
    address = pages.post("/search", {"text": f"{MARKS}{PASSAGE}"}).location
    compared = [each for each in links(pages.get(address).text, "/search/") if "match" in each]
    assert set(compared) == {link(f"{address}/match", name=name) for name in HOSTILE}
    for each in compared:
        page = pages.get(each).text
        data = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', page)[1])
        assert data["texts"]["0"]["text"] == f"{MARKS}{PASSAGE}"
        start, end = data["rows"][0]["regions"][0][2:4]
        assert data["texts"]["1"]["text"][start:end].strip() in f"{MARKS}{PASSAGE}"
        assert len(re.findall("<(?:img|script|b|i)[ >][^>]*", page)) == 3
    pages.get(f"{address}/match?name=gone", 404)
    pages.get("/search/x/match?name=gone", 410)


def test_a_query_that_cannot_be_read_says_why(pages: Browser) -> None:
    address = pages.post("/search", {"file": (BytesIO(b"%PDF-1.4 nothing"), "a.pdf")}).location
    assert "PDF" in words(pages.get(address, 422).text)


def test_too_large_a_query_is_refused(pages: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BrowseRequest, "max_content_length", 10_000)
    assert "too large" in words(pages.post("/search", {"text": "a" * 20_000}, 413).text)
    assert "too large" in words(pages.post("/search", {"file": (BytesIO(b"a" * 20_000), "a.txt")}, 413).text)


def test_old_queries_are_forgotten(pages: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fpdb.browse.queries.MAX_UPLOAD_BYTES", 1000)
    first, second = (pages.post("/search", {"text": text * 300}).location for text in ("ab", "cd"))
    assert "ask again" in pages.get(first, 410).text
    pages.get(second)


def test_a_pasted_program_is_read_in_its_language(tmp_path: Path) -> None:
    program = (
        "def total(values):\n    result = 0\n    for value in values:\n        result += value\n    return result\n"
    )
    with fpdb.open(tmp_path / "p.fpdb", recipe=fpdb.Recipe.preset("code")) as db:
        db.add("a.py", program, keep_text=True)
        db.add("b.java", "class B { int total(int[] values) { return values[0]; } }")
        db.add("c.py", f"import sys\n{program}")
        pages = Browser(Site(db))
        assert "<option>python</option>" in pages.get("/").text
        for language in ("python", ""):
            found = pages.search(text=program.replace("value", "number"), language=language)
            assert link("/document", name="a.py") in links(found, "/document?")
            assert "Matches of the pasted text" in words(found)
        assert "read as text" in words(pages.search(text=program, language="text"))
        as_text = words(pages.search(text="sum the values up " * 9))
        assert "It was read as text: if it is a program, choose its language" in as_text
        assert "It was read as text" not in words(pages.search(text="x = 1\n" * 30, language="python"))
        named = pages.search(file=(BytesIO(program.encode()), "x.py"), language="java")
        assert link("/document", name="a.py") in links(named, "/document?")
        assert db.check() == []
