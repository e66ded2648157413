"""Pages: what they show, whatever names and texts are, while the database changes."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from io import BytesIO
from pathlib import Path

import pytest

import fpdb
from fpdb.browse import catalogue
from fpdb.browse.application import BrowseRequest
from fpdb.browse.html import link
from fpdb.browse.site import Site
from tests.browse.conftest import HOSTILE, MARKS, ORIGIN, PASSAGE, PORT, Browser, words
from tests.cli.prose import prose


def links(page: str, path: str) -> list[str]:
    """Return the addresses on a page that begin so."""
    return [unescape(address) for address in re.findall(r'href="([^"]*)"', page) if address.startswith(path)]


def test_home_counts_and_says_what_is_found(pages: Browser) -> None:
    text = words(pages.get("/").text)
    assert f"Documents {len(HOSTILE)}" in text
    assert "Every shared passage of 50 letters and digits is found. Passages of fewer than 30 never match." in text


@pytest.mark.parametrize("preset", ["text", "answers", "code", "web", "koala", "sample"])
def test_every_recipe_has_words(tmp_path: Path, preset: str) -> None:
    with fpdb.open(tmp_path / "t.fpdb", recipe=fpdb.Recipe.preset(preset)) as db:
        text = words(Browser(Site(db)).get("/").text)
    for rule in fpdb.Recipe.preset(preset).rules.values():
        assert f"fewer than {rule.k} never match" in text


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


def test_the_list_is_read_page_by_page(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "PAGE", 3)
    long = [f"{'n' * 448}{end}" for end in ("", "b", "a", "c", "ä")]
    names = sorted(
        [*(f"d{number}" for number in range(8)), *long, "caf\udce9"], key=lambda n: n.encode("utf-8", "surrogateescape")
    )
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number, name in enumerate(names):
                batch.add(name, prose(number, 5))
        for glob in ("", "d*", "*[024]", "n*", "n*b", "caf?"):
            seen, after = [], ""
            while after is not None:
                with db.snapshot() as snapshot:
                    page = catalogue.read_page(snapshot, glob, after)
                assert len(page.documents) <= 3
                seen += [document.name for document in page.documents]
                after = page.after
            assert seen == [document.name for document in db.documents(glob or None)]
        browser, address, shown = Browser(Site(db)), "/documents", 0
        while address:
            listed = browser.get(address).text
            shown += len(links(listed, "/document?"))
            address = next((each for each in links(listed, "/documents?") if "after" in each), "")
        assert shown == len(names)
        assert db.check() == []


def test_a_search_of_names_ends_in_time_and_goes_on(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SECONDS", -1.0)
    monkeypatch.setattr(catalogue, "_STEP", 4)
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number in range(10):
                batch.add(f"d{number}", prose(number, 5))
        browser, address, steps = Browser(Site(db)), link("/documents", glob="*9"), 0
        while "d9" not in words(listed := browser.get(address).text).split():
            assert "were looked through" in listed
            (address,) = [each for each in links(listed, "/documents?") if "after" in each]
            steps += 1
        assert steps == 2


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


def test_several_requests_at_once(hostile: fpdb.Database) -> None:
    browser = Browser(Site(hostile))
    address = browser.post("/search", {"text": PASSAGE}).location
    expected = links(browser.get(address).text, "/document?")

    def work(number: int) -> bool:
        if number == 6:
            hostile.compact()
        return links(browser.client.get(address, base_url=ORIGIN).text, "/document?") == expected

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(work, range(12)))


def test_unexpected_errors_are_said_and_logged(
    pages: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(fpdb.Database, "info", lambda _: 1 // 0)
    assert "Something went wrong" in pages.get("/", 500).text
    assert "ZeroDivisionError" in caplog.text


def test_the_address_holds_the_port(pages: Browser) -> None:
    assert pages.address.startswith(f"http://127.0.0.1:{PORT}/?token=")


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


def test_documents_of_a_given_encoding_are_asked_for_in_it(tmp_path: Path) -> None:
    text = "съешь ещё этих мягких французских булок да выпей чаю сегодня вечером"
    with fpdb.open(tmp_path / "e.fpdb") as db:
        db.add("a", text.encode("koi8-r"), encoding="koi8-r", keep_text=True)
        db.add("b", text, keep_text=True)
        assert text[:40] in words(Browser(Site(db)).get(link("/similar", name="a")).text)
        assert db.check() == []
