"""The application that answers requests: guards them, finds the page of an address, and turns errors into pages."""

import logging
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import Forbidden, HTTPException, NotFound, RequestEntityTooLarge
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from fpdb.browse import pair_views, views
from fpdb.browse.guard import HEADERS, Guard
from fpdb.browse.site import Site
from fpdb.errors import Error, NoSuchDocument
from fpdb.limits import MAX_UPLOAD_BYTES
from fpdb.report.page import read_asset

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

OWN: Final = ("browse.css", "browse.js", "icon.svg")
SHARED: Final = ("view.css", "view.js")
"""Of reports, which show a pair in the same way."""
TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
URLS: Final = Map(
    [
        Rule("/", methods=["GET"], endpoint=views.home),
        Rule("/search", methods=["POST"], endpoint=views.search),
        Rule("/search/<key>", methods=["GET"], endpoint=views.matches),
        Rule("/search/<key>/match", methods=["GET"], endpoint=views.match),
        Rule("/documents", methods=["GET"], endpoint=views.documents),
        Rule("/document", methods=["GET"], endpoint=views.document),
        Rule("/pairs", methods=["GET"], endpoint=pair_views.pairs),
        Rule("/pairs", methods=["POST"], endpoint=pair_views.rank),
        Rule("/pair", methods=["GET"], endpoint=pair_views.pair),
        Rule("/pair", methods=["POST"], endpoint=pair_views.review),
        Rule("/reviews", methods=["GET"], endpoint=pair_views.reviews),
        Rule("/review.json", methods=["GET"], endpoint=pair_views.exported_reviews),
        Rule("/similar", methods=["GET"], endpoint=views.similar),
    ],
)
_LOG = logging.getLogger("fpdb.browse")


class BrowseRequest(Request):
    """A request of limited size."""

    max_content_length = MAX_UPLOAD_BYTES
    max_form_memory_size = MAX_UPLOAD_BYTES
    max_form_parts = 20


class Application:
    """A WSGI application for one user; several threads may call it."""

    def __init__(self, site: Site, guard: Guard) -> None:
        """Serve the pages of a site to whom the guard lets in."""
        self._site, self._guard = site, guard
        own = files(__package__).joinpath("static")
        texts = {name: own.joinpath(name).read_text("utf-8") for name in OWN} | {
            name: read_asset(name) for name in SHARED
        }
        self._static = {
            f"/static/{name}": (text.encode(), TYPES[name.partition(".")[2]]) for name, text in texts.items()
        }

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        with BrowseRequest(environ) as request:  # closes what was uploaded
            response = self._respond(request)
        response.headers.update(HEADERS)
        return response(environ, start_response)

    def _respond(self, request: Request) -> Response:
        refusal = self._guard.refusal(request)
        if refusal is not None:
            return Response(f"{refusal}\n", Forbidden.code, content_type="text/plain; charset=utf-8")
        if self._guard.is_entry(request):
            # No redirection: where a page of another site led here, browsers would send no cookie along with it.
            response = self._site.templates.page("entry.html")
            self._guard.let_in(response)
            return response
        if request.path in self._static and request.method != "POST":
            content, kind = self._static[request.path]
            return Response(content, content_type=f"{kind}; charset=utf-8")
        try:
            view: Callable[..., Response]
            view, values = URLS.bind_to_environ(request.environ).match()
            return view(self._site, request, **values)
        except (Error, HTTPException, ValueError) as error:
            return self._error_page(*_explain(error))
        except Exception:
            _LOG.exception("%s failed", request.path)
            return self._error_page(500, "Something went wrong; the terminal in which `fpdb browse` runs says more.")

    def _error_page(self, status: int, message: str) -> Response:
        return self._site.templates.page("error.html", status, message=message)


def _explain(error: Exception) -> tuple[int, str]:
    """Return the status and the message of an error that the user may cause or see."""
    if isinstance(error, RequestEntityTooLarge):
        return 413, f"This is too large: a query may have {MAX_UPLOAD_BYTES:,} bytes. Use `fpdb query FILE` instead."
    if isinstance(error, NotFound):
        return 404, "There is no such page."
    if isinstance(error, HTTPException):
        return error.code or 500, error.description or error.name
    if isinstance(error, Error):
        return (404 if isinstance(error, NoSuchDocument) else 422), f"{error}."
    return 400, f"{error}."


def make_application(site: Site, port: int) -> tuple[Application, str]:
    """Return the application for a port of this machine, and the address at which its user begins."""
    guard = Guard(port)
    return Application(site, guard), guard.address
