"""A report in Chromium: sorting, filtering and jumping work, and what people wrote stays text."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from pypdfium2 import PdfDocument
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

import fpdb
from tests.readers import essays

IMAGE = "<img src=x onerror=\"document.title='obeyed'\">.txt"
NAMES = [IMAGE, "\u202egnp.txt", "quote\"'.txt", "plain.txt"]
MARKS = "</script><script>document.title='obeyed'</script>\u202e\x07\u2028😀<b>bold</b>"


def line(number: int) -> str:
    return f"line {number} says {number * 7919 % 1009} of {number * number}, and then some more of it"


def lines(first: int, count: int) -> str:
    return "\n".join(line(number) for number in range(first, first + count)) + "\n"


TEXTS = {
    IMAGE: MARKS + "\n" + lines(1, 300) + lines(2000, 300),
    NAMES[1]: lines(2000, 300) + lines(5000, 200) + lines(1, 300),
    NAMES[2]: lines(1, 40) + MARKS,
    NAMES[3]: lines(20, 100),
}


def written(folder: Path, texts: Mapping[str, str | bytes]) -> str:
    """Return the address of a page of all pairs."""
    with fpdb.open(folder / "t.fpdb") as db:
        with db.batch() as batch:
            for name, text in texts.items():
                batch.add(name, text)
        page = db.report(texts=lambda document: texts[document.name])
        page.add_pairs(db.pairs(top=1000))
        (folder / "report.html").write_text(page.html(), "utf-8")
        assert db.check() == []
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("report"), TEXTS)


@pytest.fixture
def page(browser: webdriver.Chrome, address: str) -> Iterator[webdriver.Chrome]:
    """Open the page; in the end, the browser must have logged no complaint."""
    browser.get("about:blank")
    browser.get(address)
    yield browser
    assert browser.title == "Pairs - fpdb"
    assert browser.get_log("browser") == []


def column(page: webdriver.Chrome, at: int) -> list[str]:
    """Return the visible cells of a column."""
    rows = page.find_elements(By.CSS_SELECTOR, "#list tbody tr")
    return [row.find_elements(By.TAG_NAME, "td")[at].text for row in rows if row.is_displayed()]


def opened(page: webdriver.Chrome, *names: str) -> None:
    """Open the pair of these two documents."""
    for row in page.find_elements(By.CSS_SELECTOR, "#list tbody tr"):
        if {cell.text for cell in row.find_elements(By.CLASS_NAME, "name")} == set(names):
            row.find_element(By.TAG_NAME, "a").click()
            break
    WebDriverWait(page, 5).until(lambda _: page.find_element(By.ID, "view").is_displayed())


def test_names_and_texts_stay_text(page: webdriver.Chrome) -> None:
    assert {IMAGE, "U+202Egnp.txt", NAMES[2]} <= set(column(page, 1) + column(page, 2))
    opened(page, IMAGE, "U+202Egnp.txt")
    titles = {page.find_element(By.ID, f"name-{side}").text for side in "ab"}
    assert titles == {IMAGE, "U+202Egnp.txt"}
    first = page.find_element(By.CSS_SELECTOR, '#view [data-line="1"] .code')
    assert first.text == MARKS.replace("\u202e\x07\u2028", "U+202EU+0007U+2028")
    assert page.find_elements(By.CSS_SELECTOR, "img, b") == []


def test_slides_have_headings_and_lines_of_their_own(browser: webdriver.Chrome, tmp_path: Path) -> None:
    paragraphs = essays.essay(5)
    texts: dict[str, str | bytes] = {"deck.pptx": essays.pptx(paragraphs), "copy.txt": " ".join(paragraphs[2:])}
    browser.get(written(tmp_path, texts))
    opened(browser, "deck.pptx", "copy.txt")
    assert [part.text for part in browser.find_elements(By.CLASS_NAME, "part")] == [f"slide {at}" for at in range(1, 6)]
    (region,) = browser.find_elements(By.CSS_SELECTOR, "#regions option")
    assert "slide 3, line 1 to slide 5, line 2" in region.text
    shown = browser.find_elements(By.CSS_SELECTOR, ".part, .part ~ .line")
    assert [each.get_attribute("data-line") for each in shown] == [None, "1", "2"] * 5


def test_a_click_on_a_heading_sorts(page: webdriver.Chrome) -> None:
    heads = page.find_elements(By.CSS_SELECTOR, "#list th button")
    heads[4].click()
    shared = [int(cell.replace(",", "")) for cell in column(page, 4)]
    assert shared == sorted(shared, reverse=True)
    heads[4].click()
    assert [int(cell.replace(",", "")) for cell in column(page, 4)] == sorted(shared)
    heads[1].click()
    assert column(page, 1) == sorted(column(page, 1), key=str.lower)
    heads[0].click()
    assert column(page, 0) == [str(rank) for rank in range(1, len(shared) + 1)]


def test_name_and_score_filter(page: webdriver.Chrome) -> None:
    every = column(page, 0)
    name, least = page.find_element(By.ID, "name"), page.find_element(By.ID, "least")
    name.send_keys("PLAIN")
    found = list(zip(column(page, 1), column(page, 2), strict=True))
    assert 0 < len(found) < len(every)
    assert all("plain.txt" in pair for pair in found)
    assert page.find_element(By.ID, "count").text == f"{len(found)} of {len(every)}"
    name.clear()
    name.send_keys(Keys.BACKSPACE)
    least.clear()
    least.send_keys("0.9")
    assert 0 < len(column(page, 3)) < len(every)
    assert all(float(score) >= 0.9 for score in column(page, 3))
    page.find_element(By.CSS_SELECTOR, "#filter [type=reset]").click()
    WebDriverWait(page, 5).until(lambda _: column(page, 0) == every)


def test_a_click_on_a_region_jumps_to_its_partner(page: webdriver.Chrome) -> None:
    opened(page, IMAGE, "U+202Egnp.txt")
    panes = {page.find_element(By.ID, f"name-{side}").text: page.find_element(By.ID, f"pane-{side}") for side in "ab"}
    one, other = panes[IMAGE], panes["U+202Egnp.txt"]
    there = other.find_element(By.CSS_SELECTOR, '[data-line="510"] mark')
    here = one.find_element(By.CSS_SELECTOR, '[data-line="11"] mark')
    last = other.find_element(By.CSS_SELECTOR, '[data-line="800"] mark')
    assert here.text == there.text == line(10)
    assert here.get_attribute("class").split()[0] == there.get_attribute("class").split()[0]
    page.execute_script("arguments[0].scrollTop = 0", other)
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", here)
    before = page.execute_script("return arguments[0].scrollTop", one)
    here.click()
    boxes = "return [...arguments].map(e => e.getBoundingClientRect()).map(box => [box.top, box.bottom])"

    def is_shown(mark: WebElement) -> bool:
        (top, bottom), (first, last) = page.execute_script(boxes, mark, other)
        return bool(first <= top and bottom <= last)

    WebDriverWait(page, 5).until(lambda _: is_shown(there) and not is_shown(last))
    assert page.execute_script("return arguments[0].scrollTop", one) == before
    assert "now" in there.get_attribute("class")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", last)
    last.click()
    partner = one.find_element(By.CSS_SELECTOR, '[data-line="301"] mark')
    assert partner.text == last.text == line(300)
    other = one
    WebDriverWait(page, 5).until(lambda _: is_shown(partner))
    page.back()
    assert page.find_element(By.ID, "overview").is_displayed()


def test_both_texts_scroll_together_by_their_regions(page: webdriver.Chrome) -> None:
    opened(page, IMAGE, "U+202Egnp.txt")
    one, other = (page.find_element(By.ID, f"pane-{side}") for side in "ab")
    swapped = page.find_element(By.ID, "name-a").text != IMAGE
    line_in_a, line_in_b = (510, 11) if swapped else (11, 510)
    top = "return arguments[0].querySelector(`[data-line='${arguments[1]}']`).getBoundingClientRect().top"
    # Once what opening it scrolled has come to rest, by the page's own clock.
    page.execute_async_script("setTimeout(arguments[0], 300)")
    page.execute_script(
        "arguments[0].querySelector(`[data-line='${arguments[1]}']`).scrollIntoView({block: 'center'})",
        one,
        line_in_a + 30,
    )
    WebDriverWait(page, 5).until(
        lambda _: (
            abs(page.execute_script(top, one, line_in_a + 30) - page.execute_script(top, other, line_in_b + 30)) < 60
        )
    )
    page.find_element(By.ID, "linked").click()
    before = page.execute_script("return arguments[0].scrollTop", other)
    page.execute_script("arguments[0].scrollTop = 0", one)
    page.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert page.execute_script("return arguments[0].scrollTop", other) == before
    page.find_element(By.ID, "linked").click()


def written_by_owner(folder: Path) -> str:
    """Return the address of a page of pairs of owners."""
    texts = {"x/1": lines(1, 60), "x/2": lines(100, 60), "y/1": lines(1, 60), "y/2": lines(120, 60), "z": lines(20, 20)}
    with fpdb.open(folder / "t.fpdb") as db:
        for name, text in texts.items():
            db.add(name, text)
        report = db.report(texts=lambda document: texts[document.name])
        report.add_pairs(db.pairs(owners="path:1", by_owner=True), by_owner=True, owners="path:1")
        (folder / "report.html").write_text(report.html(), "utf-8")
    return (folder / "report.html").as_uri()


def test_parts_stay_under_their_pair_of_owners(browser: webdriver.Chrome, tmp_path: Path) -> None:
    browser.get(written_by_owner(tmp_path))
    assert column(browser, 0) == ["1", "2", "3"]
    for button in browser.find_elements(By.CLASS_NAME, "files"):
        button.click()
    numbers = column(browser, 0)
    assert {"1", "1.1", "2", "2.1", "3", "3.1"} <= set(numbers)
    browser.find_elements(By.CSS_SELECTOR, "#list th button")[1].click()
    browser.find_elements(By.CSS_SELECTOR, "#list th button")[1].click()
    turned = column(browser, 0)
    assert sorted(turned) == sorted(numbers)
    assert turned != numbers
    for number, before in zip(turned[1:], turned, strict=False):
        assert "." not in number or before.split(".")[0] == number.split(".")[0]
    browser.find_element(By.ID, "name").send_keys("y/2")
    owner, *shown = column(browser, 0)
    assert shown
    assert all(number.split(".")[0] == owner for number in shown)
    assert browser.find_element(By.ID, "count").text == "1 of 3"
    browser.find_element(By.LINK_TEXT, shown[0]).click()
    WebDriverWait(browser, 5).until(lambda _: browser.find_element(By.ID, "view").is_displayed())
    assert browser.find_element(By.ID, "which").text == f"{shown[0]} of 3"
    assert browser.find_elements(By.CSS_SELECTOR, "#pane-a mark")


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r"], ids=repr)
def test_lines_are_numbered_as_editors_do(browser: webdriver.Chrome, tmp_path: Path, separator: str) -> None:
    text = separator.join(f"\t\U0001d4d0 {line(number)}\f\u2028." for number in range(12))
    browser.get(written(tmp_path, {"a": text, "b": f"é{separator}{text}"}) + "#r0")
    assert "lines 1-12 = lines 2-13" in browser.find_element(By.ID, "regions").text
    for pane, count in (("pane-a", 12), ("pane-b", 13)):
        numbers = [each.get_attribute("data-line") for each in browser.find_elements(By.CSS_SELECTOR, f"#{pane} .line")]
        assert numbers == [str(number) for number in range(1, count + 1)]


def test_light_and_dark(page: webdriver.Chrome) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        grounds.append(page.find_element(By.TAG_NAME, "body").value_of_css_property("background-color"))
    assert grounds == ["rgba(255, 255, 255, 1)", "rgba(20, 23, 27, 1)"]


def press(page: webdriver.Chrome, keys: str) -> None:
    page.switch_to.active_element.send_keys(keys)


def shown(page: webdriver.Chrome) -> str:
    return page.find_element(By.ID, "which").text


def test_keys_go_through_pairs_and_regions(page: webdriver.Chrome) -> None:
    press(page, "j")
    press(page, "j")
    assert page.switch_to.active_element.text == "2"
    page.switch_to.active_element.send_keys(Keys.ENTER)
    WebDriverWait(page, 5).until(lambda _: shown(page).startswith("2 of"))
    press(page, "j")
    WebDriverWait(page, 5).until(lambda _: shown(page).startswith("3 of"))
    press(page, "k")
    WebDriverWait(page, 5).until(lambda _: shown(page).startswith("2 of"))
    regions = page.find_element(By.ID, "regions")
    count = len(regions.find_elements(By.TAG_NAME, "option"))
    press(page, "p")
    assert regions.get_attribute("value") == str(count - 1)
    press(page, "n")
    assert regions.get_attribute("value") == "0"
    press(page, "d")
    assert len(page.find_elements(By.CLASS_NAME, "different")) == 2
    press(page, Keys.ESCAPE)
    WebDriverWait(page, 5).until(lambda _: page.find_element(By.ID, "overview").is_displayed())
    press(page, "/")
    assert page.switch_to.active_element.get_attribute("id") == "name"
    press(page, "j?")
    assert page.find_element(By.ID, "name").get_attribute("value") == "j?"
    page.execute_script("document.activeElement.blur()")
    press(page, "?")
    assert page.find_element(By.ID, "help").is_displayed()


def test_a_review_is_kept_and_taken_to_another_browser(browser: webdriver.Chrome, tmp_path: Path) -> None:
    address = written(tmp_path, {"a": lines(1, 60), "b": lines(1, 60), "c": lines(30, 60)})
    browser.get(address + "#r0")
    press(browser, "c")
    note = browser.find_element(By.CSS_SELECTOR, "[aria-label='note on this pair']")
    note.send_keys("seen <b>by</b> me\n")
    browser.get("about:blank")
    browser.get(address)
    WebDriverWait(browser, 5).until(lambda _: column(browser, 11) == ["confirmed *", "", ""])
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    browser.find_element(By.ID, "export").click()
    WebDriverWait(browser, 5).until(lambda _: (tmp_path / "review.json").exists())
    browser.execute_script("localStorage.clear()")
    browser.get("about:blank")
    browser.get(address)
    WebDriverWait(browser, 5).until(lambda _: column(browser, 11) == ["", "", ""])
    browser.execute_script(
        """const input = document.createElement("input"), make = document.createElement.bind(document);
        window.chooser = null;
        HTMLInputElement.prototype.click = function () { window.chooser = this; };"""
    )
    browser.find_element(By.ID, "import").click()
    browser.execute_script("document.body.append(window.chooser)")
    browser.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(tmp_path / "review.json"))
    WebDriverWait(browser, 5).until(lambda _: column(browser, 11) == ["confirmed *", "", ""])
    assert browser.find_element(By.ID, "said").text.startswith("1 of 1 reviews")
    for value, rows in (("confirmed", 1), ("none", 2), ("dismissed", 0)):
        browser.execute_script(
            "const s = document.getElementById('state'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('input', {bubbles: true}))",
            value,
        )
        assert len(column(browser, 0)) == rows
    browser.execute_script("localStorage.clear()")  # another test may have a report of the same documents


def test_windows_of_one_report_share_its_review(browser: webdriver.Chrome, tmp_path: Path) -> None:
    address = written(tmp_path, {"a": lines(1, 60), "b": lines(1, 60), "c": lines(31, 60)})
    browser.get(address + "#r0")
    first = browser.current_window_handle
    browser.switch_to.new_window("window")
    try:
        browser.get(address + "#r1")
        press(browser, "c")
        second = browser.current_window_handle
        browser.switch_to.window(first)
        state = "return document.querySelector('#list tbody tr:nth-child(2)').dataset.state"
        WebDriverWait(browser, 5).until(lambda _: browser.execute_script(state) == "confirmed")
        press(browser, "x")
        browser.switch_to.window(second)
        states = "return [...document.querySelectorAll('#list tbody tr')].map(row => row.dataset.state)"
        both = ["dismissed", "confirmed", ""]
        WebDriverWait(browser, 5).until(lambda _: browser.execute_script(states) == both)
        pressed = "return document.querySelector('[aria-pressed=true]').textContent"
        assert browser.execute_script(pressed) == "confirmed"
        browser.execute_script("localStorage.clear()")
    finally:
        browser.close()
        browser.switch_to.window(first)


def test_what_is_far_from_regions_is_folded_or_left_out(browser: webdriver.Chrome, tmp_path: Path) -> None:
    passage = lines(1, 20)
    texts = {"book": lines(5000, 2000) + passage + lines(9000, 2000), "essay": passage}
    browser.get(written(tmp_path, texts) + "#r0")
    (gap, after) = browser.find_elements(By.CLASS_NAME, "gap")
    assert (tmp_path / "report.html").stat().st_size < 150_000
    texts_of = [browser.execute_script(f"return document.getElementById('t{at}').textContent") for at in (0, 1)]
    held = max(len(json.loads(text)["text"]) for text in texts_of)
    left_out = sum(int(each.text.split()[0].replace(",", "")) for each in (gap, after))
    assert held + left_out == len(texts["book"])
    before = len(browser.find_elements(By.CSS_SELECTOR, "#pane-a .line"))
    button = browser.find_element(By.CLASS_NAME, "fold")
    count = int(button.text.split()[1].replace(",", ""))
    browser.execute_script("arguments[0].click()", button)
    assert len(browser.find_elements(By.CSS_SELECTOR, "#pane-a .line")) == before + count
    mark = browser.find_element(By.CSS_SELECTOR, "#pane-a mark")
    assert mark.find_element(By.XPATH, "ancestor::*[@data-line]").get_attribute("data-line") == "2001"


def test_right_to_left_and_syntax(browser: webdriver.Chrome, tmp_path: Path) -> None:
    arabic = "من أهم الأسباب التي تجعل القراءة عادة نافعة أنها توسع مدارك الإنسان وتزيد معرفته بالعالم من حوله"
    browser.get(written(tmp_path, {"a": arabic, "b": f"{arabic} ."}) + "#r0")
    assert {browser.find_element(By.ID, f"pane-{side}").get_attribute("dir") for side in "ab"} == {"rtl"}
    with fpdb.open(tmp_path / "c.fpdb", recipe=fpdb.Recipe.preset("code")) as db:
        source = "# why\n" + "".join(f"def f{at}(x):\n    return x + {at} * 'y'\n" for at in range(9))
        for name in ("a.py", "b.py"):
            db.add(name, source, keep_text=True)
        view = db.pair_view("a.py", "b.py")
        (tmp_path / "pair.html").write_text(view.html(), "utf-8")
    browser.get((tmp_path / "pair.html").as_uri() + "#r0")
    coloured = {name: browser.find_elements(By.CSS_SELECTOR, f"#pane-a .{name}") for name in ("comment", "keyword")}
    assert [each.text for each in coloured["comment"]] == ["# why"]
    assert [each.text for each in coloured["keyword"]] == ["def", "return"] * 9


def test_clusters_and_the_map_show_all_names(browser: webdriver.Chrome, tmp_path: Path) -> None:
    long = "a very long name " * 9
    texts = {f"{long}{name}": lines(1000 * (name > "c") + 5 * at, 60) for at, name in enumerate("abcdef")}
    browser.get(written(tmp_path, texts))
    for panel in ("clusters", "map"):
        browser.find_element(By.CSS_SELECTOR, f"#{panel} summary").click()
        WebDriverWait(browser, 5).until(lambda _, panel=panel: browser.find_elements(By.CSS_SELECTOR, f"#{panel} svg"))
        inside = """return [...document.querySelectorAll(`#${arguments[0]} svg`)].every((svg) => {
            const outer = svg.getBoundingClientRect();
            return [...svg.querySelectorAll("text")].every((text) => {
                const box = text.getBoundingClientRect();
                return box.left >= outer.left && box.right <= outer.right
                    && box.top >= outer.top && box.bottom <= outer.bottom;
            });
        })"""
        assert browser.execute_script(inside, panel)
    names = {each.text for each in browser.find_elements(By.CSS_SELECTOR, "#clusters text")}
    assert names == set(texts)
    browser.execute_script(
        "const t = document.getElementById('threshold'); t.value = '0.99'; t.dispatchEvent(new Event('input'))"
    )
    assert browser.find_element(By.ID, "threshold-value").text == "0.99: 0 clusters"


def test_nothing_is_wider_than_the_window(page: webdriver.Chrome) -> None:
    try:
        for place in ("", "#r0"):
            page.execute_script("location.hash = arguments[0]", place)
            for width in (360, 700, 1180, 2560):
                size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
                page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
                assert page.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_words_of_the_histogram_can_be_read(page: webdriver.Chrome) -> None:
    size = (
        "const svg = document.getElementById('histogram'), scale = svg.getBoundingClientRect().width / 640;"
        "return scale * parseFloat(getComputedStyle(svg.querySelector('text')).fontSize)"
    )
    try:
        for width in (360, 500, 600, 601, 1180, 2560):
            metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
            page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            assert 8 < page.execute_script(size) < 18
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def printed(page: webdriver.Chrome) -> list[str]:
    """Return the text of each sheet of paper."""
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    sheets = page.execute_script("return [...document.querySelectorAll('.sheet')].map(sheet => sheet.textContent)")
    page.execute_script("dispatchEvent(new Event('afterprint'))")
    assert page.find_elements(By.CLASS_NAME, "sheet") == []
    return list(sheets)


def test_paper_has_a_page_for_each_document_and_pair(page: webdriver.Chrome) -> None:
    pairs = list(zip(column(page, 0), column(page, 1), column(page, 2), strict=True))
    sheets = printed(page)
    assert len(sheets) == len(TEXTS) + len(pairs)
    for (number, a, b), sheet in zip(pairs, sheets[len(TEXTS) :], strict=True):
        assert sheet.startswith(f"{number}  {a} and {b}")
        assert ("line 20 says" in sheet) == ("No region can be shown." not in sheet)
    paper = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {})["data"])
    with closing(PdfDocument(paper)) as document:
        tops = [leaf.get_textpage().get_text_range().partition("\r\n")[0] for leaf in document]
    assert all(any(top.startswith(f"{number} {a}") for top in tops) for number, a, _ in pairs if a == NAMES[3])
    opened(page, IMAGE, "U+202Egnp.txt")
    (sheet,) = printed(page)
    assert IMAGE in sheet


def test_on_paper_the_files_of_owners_are_on_the_page_of_their_pair(browser: webdriver.Chrome, tmp_path: Path) -> None:
    browser.get(written_by_owner(tmp_path))
    browser.find_elements(By.CLASS_NAME, "files")[0].click()
    files = browser.find_elements(By.CSS_SELECTOR, "#list tr.part")
    for part, of in (("", "xyz"), ("z", "xyz"), ("x/2", "xy")):
        browser.execute_script(
            "const n = document.getElementById('name'); n.value = arguments[0];"
            "n.dispatchEvent(new Event('input', {bubbles: true}))",
            part,
        )
        sheets = printed(browser)
        owners, pairs = sheets[: len(of)], sheets[len(of) :]
        assert sorted(sheet[0] for sheet in owners) == list(of)
        ranks = [number for number in column(browser, 0) if "." not in number]
        assert [sheet.split()[0] for sheet in pairs] == ranks
        assert all(f"{rank}.1" in sheet and " says " in sheet for rank, sheet in zip(ranks, pairs, strict=True))
    assert len(files) > len(ranks)


def test_all_pairs_are_printed_and_share_the_room_for_texts(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """16 documents of the same 30 passages in different orders; of a pair alone, all are printed."""
    passages = [lines(1000 * number, 60) for number in range(30)]
    texts = {}
    for number in range(16):
        order = Random(number).sample(passages, len(passages))
        texts[f"{number:02}"] = "".join(
            each + lines(10**6 * (number + 1) + 99 * at, 9) for at, each in enumerate(order)
        )
    browser.get(written(tmp_path, texts))
    pairs = len(column(browser, 0))
    assert pairs == 120
    sheets = printed(browser)
    assert len(sheets) == 16 + pairs
    assert 6_000_000 < sum(map(len, sheets)) < 9_000_000
    for sheet in sheets[16:]:
        (more,) = re.findall(r"(\d+) more regions?: open the pair, or list fewer, to print all", sheet)
        (regions,) = re.findall(r"regions (\d+)", sheet.partition(" cover")[0])
        assert sheet.count("lines ") == 2 * (int(regions) - int(more))
    browser.get(browser.current_url + "#r0")
    (sheet,) = printed(browser)
    assert "regions 34 " in sheet
    assert sheet.count("lines ") == 2 * 34
