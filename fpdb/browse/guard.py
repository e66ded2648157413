"""Guard: the requests that are answered, and the headers that every answer has.

Any program and any web page on this machine can send requests to a port. Only the browser that was given the token is
answered, and only its requests that come from the pages themselves.
"""

import secrets
from typing import Final

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request, Response

HOST: Final = "127.0.0.1"
POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS: Final = Headers(
    {
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
)
METHODS: Final = frozenset({"GET", "HEAD", "POST"})


class Guard:
    """Tells the requests of the user's browser from all others.

    Attributes:
        token: What the address holds that the user is given.
        address: That address.
    """

    def __init__(self, port: int) -> None:
        """Draw a token for the server at a port."""
        self.token = secrets.token_urlsafe(32)
        self.address = f"http://{HOST}:{port}/?token={self.token}"
        self._hosts = frozenset(f"{name}:{port}" for name in (HOST, "localhost"))
        self._cookie = f"fpdb-{port}"  # browsers send the cookies of one port to all others

    def refusal(self, request: Request) -> str | None:
        """Return the reason not to answer a request, or None."""
        host = request.environ.get("HTTP_HOST", "")
        if host not in self._hosts:
            return "This server answers only requests to the address that `fpdb browse` printed."
        if request.method not in METHODS:
            return "This server answers only GET, HEAD and POST."
        if self.is_entry(request):
            return None
        if not _equal(request.cookies.get(self._cookie, ""), self.token):
            return "Open the address that `fpdb browse` printed: it holds a token, which this request lacks."
        if not _is_of_own_page(request, f"http://{host}"):
            return "This request comes from a page of another origin."
        return None

    def is_entry(self, request: Request) -> bool:
        """Return True for a request by the address that the user was given, from wherever the user follows it."""
        return request.method == "GET" and request.path == "/" and _equal(request.args.get("token", ""), self.token)

    def let_in(self, response: Response) -> None:
        """Give the browser the cookie by which its next requests are known."""
        response.set_cookie(self._cookie, self.token, httponly=True, samesite="Strict", path="/")


def _equal(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _is_of_own_page(request: Request, own: str) -> bool:
    """Return True unless a page of another origin sent the request. One that changes something must show its origin.

    The cookie alone does not keep other pages out: those of other ports of this machine are of the same site.
    """
    origin, fetch_site = request.headers.get("Origin", ""), request.headers.get("Sec-Fetch-Site", "")
    if origin not in ("", "null", own):  # "null" is what browsers say of pages that send no referrer
        return False
    if request.method == "POST":
        return fetch_site == "same-origin" if fetch_site else origin == own
    return fetch_site in ("", "none", "same-origin")
