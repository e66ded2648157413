"""Pairs: ranked as `Database.pairs` ranks them, one side by side, and reviews that are kept and not written over."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

import fpdb
from fpdb.browse import pair_views
from fpdb.browse.site import Site, link
from fpdb.pairs.reviews import Reviews
from tests.browse.conftest import HOSTILE, MARKS, ORIGIN, Browser, cells, links, ranked, words
from tests.cli.prose import prose


@pytest.fixture
def browser(site: Site) -> Browser:
    return Browser(site)


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
