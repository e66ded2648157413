"""Pages have no finding of axe-core, which `tools/axe` fetches: it is in FPDB_AXE."""

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

import fpdb
from fpdb.browse.site import link
from tests.browse.conftest import HOSTILE, PASSAGE
from tests.cli.test_browse import browsing
from tests.report.test_accessibility import AXE, RUN

A, B = HOSTILE[:2]
PATHS = (
    "/",
    "/documents",
    "/documents?glob=none",
    link("/document", name=A),
    link("/similar", name=A),
    "/pairs",
    "/pairs?by_owner=1&owners=path:1",
    link("/pair", a=A, b=B),
    "/reviews",
    "/nowhere",
)


@pytest.mark.skipif(not AXE, reason="axe-core is fetched by tools/axe")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_is_found(
    browser: webdriver.Chrome, hostile: fpdb.Database, monkeypatch: pytest.MonkeyPatch, scheme: str, width: int
) -> None:
    monkeypatch.chdir(Path(hostile.path).parent)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    found = []
    try:
        with browsing("--no-open") as (_, address):
            browser.get(address)
            WebDriverWait(browser, 10).until(lambda _: browser.find_elements(By.ID, "text"))
            browser.find_element(By.ID, "text").send_keys(PASSAGE[:300])
            browser.find_element(By.CSS_SELECTOR, "#search button").click()
            WebDriverWait(browser, 10).until(lambda _: browser.find_elements(By.CSS_SELECTOR, ".passage"))
            browser.find_element(By.LINK_TEXT, "Compare").click()
            WebDriverWait(browser, 10).until(lambda _: browser.find_elements(By.CSS_SELECTOR, "#pane-b mark"))
            matches = browser.current_url.removeprefix(address.partition("/?")[0])
            for path in (*PATHS, matches.rpartition("/")[0], matches):
                browser.get(address.partition("/?")[0] + path)
                WebDriverWait(browser, 10).until(lambda _: not browser.find_elements(By.CSS_SELECTOR, "[data-reload]"))
                browser.execute_script(Path(AXE or "").read_text("utf-8"))
                found += [
                    (path, each["id"], each["nodes"][0]["html"], each["nodes"][0]["failureSummary"])
                    for each in browser.execute_async_script(RUN)
                ]
        assert found == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
