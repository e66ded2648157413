"""The application serves many requests at once, and turns errors that nobody expects into pages."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import fpdb
from fpdb.browse.site import Site
from tests.browse.conftest import ORIGIN, PASSAGE, PORT, Browser, links


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
