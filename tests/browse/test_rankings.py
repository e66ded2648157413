"""Rankings of pairs are made once, and followed while they are made."""

import threading
from unittest.mock import Mock

import pytest

import fpdb
from fpdb.browse import pair_views, rankings
from fpdb.browse.site import Site, link
from tests.browse.conftest import ORIGIN, Browser, cells, links, ranked, words
from tests.cli.prose import prose


@pytest.fixture
def browser(site: Site) -> Browser:
    return Browser(site)


@pytest.mark.parametrize("by", ["mean_containment", "resemblance", "shared", "similarity", "coverage"])
def test_pairs_are_ranked_as_the_library_ranks_them(db: fpdb.Database, browser: Browser, by: str) -> None:
    expected = [[pair.a, pair.b, f"{pair.shared:,}"] for pair in db.pairs(by=by)]
    rows = cells(ranked(browser, link("/pairs", by=by)))
    assert [row[1:3] + row[4:5] for row in rows] == expected
    assert [row[0] for row in rows] == [str(rank) for rank in range(1, len(rows) + 1)]


def test_owners_are_compared_with_their_documents_below(browser: Browser) -> None:
    page = ranked(browser, link("/pairs", owners="path:1", by_owner="1"))
    assert [row[:3] for row in cells(page)] == [
        ["1", "bob", "cid"], ["1.1", "bob/2", "cid/1"], ["2", "ann", "bob"], ["2.1", "ann/1", "bob/1"]
    ]  # fmt: skip
    assert "Compare" not in cells(page)[0][-1]
    (address, _) = links(page, "/pair?")
    assert "1 of 2" in words(browser.get(address).text)
    assert "/pair?" in next(each for each in links(browser.get(address).text, "/pair") if "ann" in each)


def test_long_rankings_have_pages(db: fpdb.Database, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_views, "ROWS", 1)
    monkeypatch.setattr(rankings, "LISTED", 1)
    db.add("dan", prose(1)[:1200])
    assert "only the first 1 are ranked" in words(ranked(browser, "/pairs"))
    monkeypatch.setattr(rankings, "LISTED", 3)
    ranked(browser, "/pairs")
    seen = [cells(browser.get(link("/pairs", page=page)).text)[0][1:3] for page in (1, 2, 3)]
    assert seen == [[pair.a, pair.b] for pair in db.pairs(top=3)]
    assert [each for each in links(browser.get("/pairs?page=2").text, "/pairs?") if "page" in each] == [
        link("/pairs", page=page, **rankings.RankingOptions("mean_containment").fields()) for page in (1, 3)
    ]


def test_many_documents_are_compared_only_if_asked(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_views, "AT_ONCE", 4)
    page = browser.get("/pairs").text
    assert "compares all 5 documents" in words(page)
    assert cells(page) == []
    assert len(cells(ranked(browser, "/pairs"))) == 2
    assert len(cells(browser.get("/pairs").text)) == 2


def test_a_change_of_the_database_is_said(db: fpdb.Database, browser: Browser) -> None:
    before = ranked(browser, "/pairs")
    assert "The database has changed since" not in before
    db.remove("cid/1")
    page = browser.get("/pairs").text
    assert "The database has changed since" in page
    assert cells(page) == cells(before)
    assert len(cells(ranked(browser, "/pairs"))) == 1


def test_what_is_being_compared_is_said(db: fpdb.Database, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    going_on, go_on = threading.Event(), threading.Event()
    pairs = db.pairs

    def slow(**options: object) -> object:
        options["watch"]("comparing", "document", 2, 5)
        going_on.set()
        go_on.wait()
        return pairs(**options)

    monkeypatch.setattr(db, "pairs", slow, raising=False)
    browser.get("/pairs")
    going_on.wait()
    page = browser.get("/pairs").text
    assert "comparing: 2 of 5 document" in words(page)
    assert "data-reload" in page
    go_on.set()
    assert "data-reload" not in ranked(browser, "/pairs")


def test_a_failure_is_said(db: fpdb.Database, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    for error, said in ((fpdb.Corrupt("damaged"), "damaged"), (MemoryError(), "memory"), (KeyError(), "went wrong")):
        monkeypatch.setattr(db, "pairs", Mock(side_effect=error), raising=False)
        assert said in words(ranked(browser, "/pairs"))


@pytest.mark.parametrize(
    "fields", ["by=guess", "min=2", "min=nan", "min=x", "owners=name", "page=x", "page=inf", "by=coverage&by_owner=1"]
)
def test_wrong_options_are_said(browser: Browser, fields: str) -> None:
    assert "This did not work" in browser.client.get(f"/pairs?{fields}", base_url=ORIGIN).text
