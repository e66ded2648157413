"""A database of hostile names and texts, and a browser's requests to its pages without a server."""

import re
import shutil
import threading
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

import fpdb
from fpdb.browse.application import make_application
from fpdb.browse.site import Site
from fpdb.pairs.reviews import Reviews
from tests.cli.prose import prose

collect_ignore = (
    []
    if shutil.which("chromium") and shutil.which("chromedriver")
    else ["test_browse_browser.py", "test_accessibility.py"]
)

PORT = 8080
ORIGIN = f"http://127.0.0.1:{PORT}"
IMAGE = "<img src=x onerror=\"document.title='obeyed'\">.txt"
HOSTILE = (
    IMAGE,
    "\u202egnp.txt",
    "line\nbreak",
    "caf\udce9",
    "{{ 7 * 7 }}",
    "a&b=c#d?e%00+f/../g",
    "x" * 200,
    "é" * 300,
)
MARKS = "</textarea><script>document.title='obeyed'</script>\u202e\x07\u2028<b>bold</b> "
PASSAGE = prose(1, 80)


class Browser:
    """Sends requests as a browser does that was led to the pages."""

    def __init__(self, site: Site) -> None:
        """Open the address that the user is given."""
        application, self.address = make_application(site, PORT)
        self.client = Client(application)
        self.get(self.address.removeprefix(ORIGIN))

    def get(self, path: str, status: int = 200, **headers: str) -> TestResponse:
        """Return the page of a path."""
        response = self.client.get(path, base_url=ORIGIN, headers=headers)
        assert response.status_code == status, response.text
        return response

    def post(self, path: str, data: dict[str, Any], status: int = 303, **headers: str) -> TestResponse:
        """Send a form."""
        headers = {"Origin": ORIGIN, **headers}
        response = self.client.post(path, base_url=ORIGIN, data=data, headers=headers)
        assert response.status_code == status, response.text
        return response

    def search(self, **data: Any) -> str:
        """Return the page of the matches of a query."""
        return self.get(self.post("/search", data).location).text


def words(page: str) -> str:
    """Return the text of a page, without its tags."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", re.sub("</?(?:bdi|span|mark)[^>]*>", "", page))).split())


@pytest.fixture
def hostile(path: str) -> Iterator[fpdb.Database]:
    """Open a database of documents that share a passage, under names that would like to be obeyed."""
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number, name in enumerate(HOSTILE):
                text = f"{MARKS}{prose(10 + number, 60)}\n{PASSAGE}\n{prose(30 + number, 60)}"
                batch.add(name, text, keep_text=True, labels={"<i>": MARKS.strip()})
        yield db
        assert db.check() == []


@pytest.fixture
def pages(hostile: fpdb.Database) -> Browser:
    return Browser(Site(hostile))


def links(page: str, path: str) -> list[str]:
    """Return the addresses on a page that begin so."""
    return [unescape(address) for address in re.findall(r'href="([^"]*)"', page) if address.startswith(path)]


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
