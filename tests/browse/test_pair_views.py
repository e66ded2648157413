"""Pairs: ranked as `Database.pairs` ranks them, one side by side, and reviews that are kept and not written over."""

import json
import re
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import pytest

import fpdb
from fpdb.browse import pair_views, rankings
from fpdb.browse.html import link
from fpdb.browse.reviews import Reviews
from fpdb.browse.site import Site
from tests.browse.conftest import HOSTILE, MARKS, ORIGIN, Browser, words
from tests.browse.test_application import links
from tests.cli.prose import prose


@pytest.fixture
def db(path: str) -> Iterator[fpdb.Database]:
    """Open a database of three owners, of whom bob copied from ann and cid from bob."""
    texts = {"ann/1": prose(1), "ann/2": prose(2), "bob/1": prose(1)[:1500], "bob/2": prose(3), "cid/1": prose(3)[:900]}
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for name, text in texts.items():
                batch.add(name, text, keep_text=True)
        yield db
        assert db.check() == []


@pytest.fixture
def site(db: fpdb.Database) -> Site:
    return Site(db, Reviews(db.path))


@pytest.fixture
def browser(site: Site) -> Browser:
    return Browser(site)


def ranked(browser: Browser, address: str, status: int = 200) -> str:
    """Return the page of a ranking once it is there."""
    browser.post(address, {})
    for thread in threading.enumerate():
        if thread.daemon and thread.name.endswith("(_compute)"):
            thread.join()
    return browser.get(address, status).text


def cells(page: str) -> list[list[str]]:
    """Return the texts of the cells of each row."""
    rows = re.findall("<tr[ >].*?</tr>", page.partition("<tbody>")[2], re.S)
    return [[words(cell) for cell in re.findall("<td.*?</td>", row, re.S)] for row in rows]


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


def test_a_pair_is_the_view_of_the_library_with_its_neighbours(db: fpdb.Database, browser: Browser) -> None:
    address = link("/pair", a="bob/1", b="ann/1")
    for with_ranking in (False, True):
        if with_ranking:
            ranked(browser, "/pairs")
        page = browser.get(address).text
        data = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', page)[1])
        expected = db.pair_view("ann/1", "bob/1", by="mean_containment").to_dict()
        assert data == json.loads(json.dumps(expected))
        assert ("of 2" in words(page)) == with_ranking
    assert len(links(page, "/pair?")) == 1
    for wrong in ("/pair?a=ann/1", "/pair?a=ann/1&b=ann/1", "/pair?a=ann/1&b=gone"):
        assert "This did not work" in browser.client.get(wrong, base_url=ORIGIN).text


def test_measures_of_a_pair_among_many_are_those_of_its_hashes(
    db: fpdb.Database, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.add("template", prose(1)[:400], boilerplate=True)
    address, pages = link("/pair", a="bob/1", b="ann/1", by="containment"), []
    for limit in (4, 20_000):
        monkeypatch.setattr(pair_views, "AT_ONCE", limit)
        page = browser.get(address).text
        pages.append(json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', page)[1]))
    assert pages[0] == pages[1]


def review(browser: Browser, address: str, verdict: str, note: str, seen: int, status: int = 303) -> str:
    return browser.post(address, {"verdict": verdict, "note": note, "seen": str(seen)}, status).text


def test_reviews_are_kept_listed_and_filtered(site: Site, browser: Browser) -> None:
    address = link("/pair", a="ann/1", b="bob/1")
    review(browser, address, "confirmed", "as they\r\nsay", 0)
    page = browser.get(address).text
    assert re.search('value="confirmed" required checked', page)
    assert ">as they\nsay</textarea>" in page
    other = Browser(Site(site.db, Reviews(site.db.path)))
    assert [row[-1] for row in cells(ranked(other, "/pairs"))] == ["Compare confirmed ✎", "Compare"]
    for value, count in (("confirmed", 1), ("none", 1), ("seen", 0), ("", 2)):
        assert len(cells(other.get(link("/pairs", reviewed=value)).text)) == count
    assert len(cells(ranked(other, link("/pairs", by_owner="1", owners="path:1")))) == 4
    assert len(cells(other.get(link("/pairs", by_owner="1", owners="path:1", reviewed="confirmed")).text)) == 2


def test_all_reviews_are_listed_and_exported_as_reports_do(site: Site, browser: Browser) -> None:
    assert "No pair is reviewed yet" in browser.get("/reviews").text
    for (a, b), verdict in ((("ann/1", "bob/1"), "seen"), (("bob/2", "cid/1"), "dismissed")):
        review(browser, link("/pair", a=a, b=b), verdict, f"of {a}", 0)
    rows = cells(browser.get("/reviews").text)
    assert sorted(row[:4] for row in rows) == [
        ["ann/1", "bob/1", "seen", "of ann/1"], ["bob/2", "cid/1", "dismissed", "of bob/2"]
    ]  # fmt: skip
    exported = browser.get("/review.json")
    assert exported.headers["Content-Disposition"].startswith("attachment")
    assert json.loads(exported.text) == {
        "format": "fpdb-review",
        "pairs": [
            {"names": ["ann/1", "bob/1"], "state": "seen", "note": "of ann/1"},
            {"names": ["bob/2", "cid/1"], "state": "dismissed", "note": "of bob/2"},
        ],
    }
    assert "No pair is reviewed yet" in Browser(Site(site.db)).get("/reviews").text


def test_a_review_that_somebody_made_meanwhile_is_not_written_over(site: Site, browser: Browser) -> None:
    address = link("/pair", a="ann/1", b="bob/1")
    other = Browser(Site(site.db, Reviews(site.db.path)))
    review(browser, address, "confirmed", "mine", 0)
    page = review(other, address, "dismissed", "yours", 0, 409)
    assert ">yours</textarea>" in page
    assert f"confirmed ✎ by {site.reviews.history(('ann/1', 'bob/1'))[0].by}" in words(page)
    review(other, address, "dismissed", "yours", 1)
    notes = [each.note for each in site.reviews.history(("ann/1", "bob/1"))]
    assert notes == ["mine", "yours"]
    site.db.add("ann/1", prose(7))
    assert "A document has changed since this pair was reviewed" in browser.get(address).text


def test_hostile_reviews_do_nothing(hostile: fpdb.Database) -> None:
    site = Site(hostile, Reviews(hostile.path))
    browser = Browser(site)
    for a, b in pairwise(HOSTILE):
        address = link("/pair", a=a, b=b)
        review(browser, address, "confirmed", MARKS, 0)
        page = browser.get(address).text
        scripts = re.findall("<(?:img|script|b|i)[ >][^>]*", page)
        assert len(scripts) == 3
        assert not re.search(r"\son\w+=|javascript:", re.sub("&[^;]*;", "", re.sub(">[^<]*<", "><", page)))
    assert len(site.reviews.latest()) == len(HOSTILE) - 1
    assert len(re.findall("<(?:img|script|b|i)[ >][^>]*", browser.get("/reviews").text)) == 1


@pytest.mark.parametrize(
    ("verdict", "note", "seen"),
    [("guilty", "", 0), ("confirmed", "x" * 10_001, 0), ("confirmed", "", "x"), ("", "", 0)],
)
def test_wrong_reviews_are_refused(site: Site, browser: Browser, verdict: str, note: str, seen: int) -> None:
    status = 400 if seen == "x" else 422
    review(browser, link("/pair", a="ann/1", b="bob/1"), verdict, note, seen, status)
    assert site.reviews.latest() == {}
    review(browser, link("/pair", a="ann/1", b="gone"), "confirmed", "", 0, 404)


def test_nothing_is_written_beside_a_database_that_is_only_read(db: fpdb.Database) -> None:
    browser = Browser(Site(db))
    address = link("/pair", a="ann/1", b="bob/1")
    assert "No reviews are kept" in browser.get(address).text
    review(browser, address, "confirmed", "", 0, 400)
    assert not Path(f"{db.path}-reviews").exists()
