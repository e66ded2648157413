"""A report in Chromium: sorting, filtering and jumping work, and what people wrote stays text."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
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


def test_parts_stay_under_their_pair_of_owners(browser: webdriver.Chrome, tmp_path: Path) -> None:
    texts = {"x/1": lines(1, 60), "x/2": lines(100, 60), "y/1": lines(1, 60), "y/2": lines(120, 60), "z": lines(20, 20)}
    with fpdb.open(tmp_path / "t.fpdb") as db:
        for name, text in texts.items():
            db.add(name, text)
        report = db.report(texts=lambda document: texts[document.name])
        report.add_pairs(db.pairs(owners="path:1", by_owner=True), by_owner=True, owners="path:1")
        (tmp_path / "report.html").write_text(report.html(), "utf-8")
    browser.get((tmp_path / "report.html").as_uri())
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


def test_a_thousand_pairs_are_all_listed(browser: webdriver.Chrome, tmp_path: Path) -> None:
    texts = {f"{at}.txt": lines(200 * (at // 8) + 2 * at, 100) for at in range(400)}
    browser.get(written(tmp_path, texts))
    WebDriverWait(browser, 30).until(lambda _: browser.execute_script("return document.readyState") == "complete")
    assert len(browser.find_elements(By.CSS_SELECTOR, "#list tbody tr")) == 1000
