"""Only the browser that was given the token is answered, and only what its own pages send."""

import pytest

from fpdb.browse.guard import POLICY
from tests.browse.conftest import ORIGIN, PORT, Browser

OTHERS = ("http://127.0.0.1:9000", "https://example.org", f"http://localhost:{PORT}", "null")
PATHS = (
    "/",
    "/documents",
    "/search/x",
    "/static/browse.js",
    "/nowhere",
    "/?token=",
    "/?token=wrong",
    "/documents?token=",
)


@pytest.mark.parametrize("address", PATHS)
def test_nothing_without_the_token(pages: Browser, address: str) -> None:
    stranger = type(pages.client)(pages.client.application)
    responses = [
        stranger.get(address, base_url=ORIGIN),
        stranger.get(address, base_url=ORIGIN, headers={"Cookie": f"fpdb-{PORT}=wrong"}),
        stranger.get(address, base_url=ORIGIN, headers={"Cookie": f"fpdb-{PORT}=é"}),
        stranger.post(address, base_url=ORIGIN, headers={"Origin": ORIGIN}),
    ]
    assert [(response.status_code, response.headers.get("Set-Cookie")) for response in responses] == [(403, None)] * 4


@pytest.mark.parametrize("address", ["/", "/documents"])
@pytest.mark.parametrize("host", ["example.org", f"example.org:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", ""])
def test_no_answer_under_another_name(pages: Browser, address: str, host: str) -> None:
    """A page whose name was made to lead to this machine knows neither token nor cookie, and gets nothing by them."""
    for path in (address, f"{address}?{pages.address.partition('?')[2]}"):
        assert pages.get(path, 403, Host=host).text.count("<") == 0


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_lack(pages: Browser) -> None:
    entry = pages.get(pages.address.removeprefix(ORIGIN), **{"Sec-Fetch-Site": "cross-site"})
    assert entry.headers["Set-Cookie"].partition("=")[0] == f"fpdb-{PORT}"
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(entry.headers["Set-Cookie"].split("; "))
    token = pages.address.partition("token=")[2]
    assert len(token) >= 43
    assert token not in entry.text + pages.get("/").text


@pytest.mark.parametrize("origin", OTHERS)
def test_no_page_of_another_origin_changes_anything(pages: Browser, origin: str) -> None:
    pages.post("/search", {"text": "words"}, 403, Origin=origin)
    for site in ("cross-site", "same-site", "none"):
        pages.post("/search", {"text": "words"}, 403, **{"Sec-Fetch-Site": site})
        pages.post("/search", {"text": "words"}, 403, Origin="", **{"Sec-Fetch-Site": site})
    pages.post("/search", {"text": "words"}, 403, Origin="")
    for own in ({}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "same-origin", "Origin": "null"}):
        pages.post("/search", {"text": "words"}, **own)


def test_no_page_of_another_origin_reads_anything(pages: Browser) -> None:
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)):
        pages.get("/documents", status, **{"Sec-Fetch-Site": site})
    pages.get("/documents", 403, Origin="https://example.org")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(pages: Browser, method: str) -> None:
    assert pages.client.open("/", method=method, base_url=ORIGIN).status_code == 403


@pytest.mark.parametrize("address", ["/", "/documents", "/nowhere", "/static/browse.css", "/static/../guard.py"])
def test_every_answer_has_the_headers(pages: Browser, address: str) -> None:
    stranger = type(pages.client)(pages.client.application)
    for response in (pages.client.get(address, base_url=ORIGIN), stranger.get(address, base_url=ORIGIN)):
        assert response.headers["Content-Security-Policy"] == POLICY
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert response.headers["Cache-Control"] == "no-store"


def test_the_policy_allows_no_inline_script() -> None:
    allowed = dict(part.strip().split(" ", 1) for part in POLICY.split(";"))
    assert allowed["default-src"] == allowed["base-uri"] == allowed["frame-ancestors"] == "'none'"
    assert {allowed[name] for name in ("script-src", "style-src", "img-src", "form-action")} == {"'self'"}
