"""Pages have no serious finding of axe-core, which `tools/axe` fetches: it is in FPDB_AXE."""

import os
from pathlib import Path

import pytest
from selenium import webdriver

from tests.report.test_report_browser import TEXTS, written

AXE = os.environ.get("FPDB_AXE")
OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true"
RUN = "axe.run(document, {resultTypes: ['violations']}).then((found) => arguments[0](found.violations))"


@pytest.mark.skipif(not AXE, reason="axe-core is fetched by tools/axe")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("place", ["", "#r0"])
def test_nothing_serious_is_found(
    browser: webdriver.Chrome, tmp_path: Path, scheme: str, width: int, place: str
) -> None:
    address = written(tmp_path, TEXTS | {"long " * 40: TEXTS["plain.txt"]})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        browser.get("about:blank")
        browser.get(address + place)
        browser.execute_script(OPEN_ALL)
        browser.execute_script(Path(AXE or "").read_text("utf-8"))
        found = browser.execute_async_script(RUN)
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
