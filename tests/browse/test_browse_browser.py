"""The pages in Chromium: a query is pasted, a pair is followed and reviewed, and nothing is obeyed."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

import fpdb
from fpdb.pairs.reviews import Reviews
from tests.browse.conftest import IMAGE, PASSAGE
from tests.cli.test_browse import browsing


@pytest.fixture
def address(hostile: fpdb.Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve the pages, and give the address that the user is given."""
    monkeypatch.chdir(Path(hostile.path).parent)
    with browsing("--no-open", end=signal.SIGHUP) as (_, address):
        yield address


def test_from_the_address_to_a_review(browser: webdriver.Chrome, address: str, hostile: fpdb.Database) -> None:
    wait = WebDriverWait(browser, 10)
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(address)
    wait.until(lambda _: browser.find_elements(By.ID, "text"))
    assert "token" not in browser.current_url
    browser.find_element(By.ID, "text").send_keys(PASSAGE[:300])
    browser.find_element(By.CSS_SELECTOR, "#search button").click()
    wait.until(lambda _: browser.find_elements(By.CSS_SELECTOR, ".passage mark"))
    browser.find_element(By.LINK_TEXT, IMAGE).click()
    wait.until(lambda _: browser.find_elements(By.LINK_TEXT, "Find similar documents"))
    browser.find_element(By.LINK_TEXT, "Pairs").click()
    wait.until(lambda _: browser.find_elements(By.LINK_TEXT, "Compare"))
    browser.find_elements(By.LINK_TEXT, "Compare")[0].click()
    wait.until(lambda _: browser.find_elements(By.CSS_SELECTOR, "#pane-b mark.now"))
    browser.find_element(By.CSS_SELECTOR, "[value='dismissed']").click()
    browser.find_element(By.NAME, "note").send_keys("a quotation")
    browser.find_element(By.CSS_SELECTOR, ".review button").click()
    wait.until(lambda _: browser.find_elements(By.CSS_SELECTOR, ".history li"))
    assert [each.note for each in Reviews(hostile.path).latest().values()] == ["a quotation"]
    assert browser.title != "obeyed"
    assert browser.find_elements(By.CSS_SELECTOR, "img, b") == []
    assert browser.get_log("browser") == []
