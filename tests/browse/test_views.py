"""Pages: what they show, whatever names and texts are, while the database changes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fpdb
from fpdb.browse.site import Site, link
from tests.browse.conftest import HOSTILE, ORIGIN, PASSAGE, Browser, links, words
from tests.cli.prose import prose


def test_home_counts_and_says_what_is_found(pages: Browser) -> None:
    text = words(pages.get("/").text)
    assert f"Documents {len(HOSTILE)}" in text
    assert "Every shared passage of 50 letters and digits is found. Passages of fewer than 30 never match." in text


def test_hostile_names_and_texts_are_shown_and_do_nothing(pages: Browser) -> None:
    """Each page of each document says its name and is well-formed: nothing opens an element or leaves an attribute."""
    listed = pages.get("/documents").text
    found = pages.search(text=PASSAGE)
    assert len(links(found, "/document?")) == len(HOSTILE)
    for name in HOSTILE:
        address = link("/document", name=name)
        assert address in links(listed, "/document?")
        assert address in links(found, "/document?")
        shown = name.replace("\u202e", "U+202E").replace("\n", "U+000A").replace("\udce9", "\\xe9")
        for page in (pages.get(address).text, pages.get(link("/similar", name=name)).text, listed):
            assert " ".join(shown.split()) in words(page)
            assert not set("\u202e\x07\u2028") & set(page)
            assert re.findall("<(?:img|script|b|i)[ >][^>]*", page) == ['<script src="/static/browse.js" defer']
            assert not re.search(r"\son\w+=|\sstyle=|javascript:", re.sub("&[^;]*;", "", re.sub(">[^<]*<", "><", page)))


def test_a_document_that_cannot_be_read_is_compared_by_its_hashes(path: str) -> None:
    with fpdb.open(path) as db:
        db.add("a", PASSAGE)
        db.add("b", PASSAGE + prose(3), source="/etc/passwd")
        browser = Browser(Site(db))
        for name, other, reason in (("a", "b", "not kept"), ("b", "a", "not below a folder")):
            text = words(browser.get(link("/similar", name=name)).text)
            assert f"1 {other}" in text
            assert reason in text


@pytest.mark.parametrize(
    "address", ["/document", "/document?name=gone", "/similar?name=gone", "/search/x", "/x", "/search"]
)
def test_what_is_not_there_is_said(pages: Browser, address: str) -> None:
    response = pages.client.get(address, base_url=ORIGIN)
    assert response.status_code in (400, 404, 405, 410)
    assert "This did not work" in response.text


def test_the_database_is_followed_as_it_changes(path: str) -> None:
    """Another process removes a document and compacts the file while it is open."""
    with fpdb.open(path) as db:
        for name in "abc":
            db.add(name, PASSAGE)
    change = f"import fpdb; db = fpdb.open({path!r}); db.remove('b'); db.compact(); db.close()"
    with fpdb.open(path, "r") as db:
        browser = Browser(Site(db))
        address = browser.post("/search", {"text": PASSAGE}).location
        assert links(browser.get(address).text, "/document?") == [link("/document", name=name) for name in "abc"]
        subprocess.run([sys.executable, "-c", change], check=True)
        assert links(browser.get(address).text, "/document?") == [link("/document", name=name) for name in "ac"]
        browser.get(link("/document", name="b"), 404)
        assert db.check() == []


def test_documents_of_a_given_encoding_are_asked_for_in_it(tmp_path: Path) -> None:
    text = "съешь ещё этих мягких французских булок да выпей чаю сегодня вечером"
    with fpdb.open(tmp_path / "e.fpdb") as db:
        db.add("a", text.encode("koi8-r"), encoding="koi8-r", keep_text=True)
        db.add("b", text, keep_text=True)
        assert text[:40] in words(Browser(Site(db)).get(link("/similar", name="a")).text)
        assert db.check() == []
