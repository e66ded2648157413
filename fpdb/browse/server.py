"""The server: it listens on this machine alone, and leads the user's browser to its pages."""

import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from html import escape
from importlib import import_module
from typing import Final

from fpdb import limits
from fpdb.database import Database
from fpdb.errors import Error, MissingPackage

THREADS: Final = 8
"""Requests that are answered at once."""
_HEADER_BYTES: Final = 1 << 19  # addresses name two documents, of 65,535 bytes that take three each
_FORM_BYTES: Final = 1 << 16  # beside what is uploaded


def check_packages() -> None:
    """Raise MissingPackage if pages cannot be served."""
    for package in ("jinja2", "waitress", "werkzeug"):
        try:
            import_module(package)
        except ImportError as error:
            raise MissingPackage(f"{package} is needed to browse: pip install 'fpdb[browse]'") from error


def serve(db: Database, port: int, announce: Callable[[str], None], *, keep_reviews: bool, open_browser: bool) -> None:
    """Serve the pages of a database until SIGINT, SIGTERM or SIGHUP; in the main thread.

    Args:
        db: The database.
        port: The port, or 0 for any.
        announce: Is told the address once the server listens.
        keep_reviews: Keep reviews of pairs in a file beside the database.
        open_browser: Lead the user's browser there.

    Raises:
        MissingPackage: What serves pages is not installed.
        Error: The port cannot be used, such as one at which another program listens.
    """
    check_packages()
    from waitress.server import create_server

    from fpdb.browse.application import make_application
    from fpdb.browse.site import Site
    from fpdb.pairs.reviews import Reviews

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it tells of each request that waits
    limits.adopt((limits.current(), None))  # what fails in one request costs no other one its time
    site = Site(db, Reviews(db.path) if keep_reviews else None)
    listener = _listen(port)
    application, address = make_application(site, listener.getsockname()[1])
    server = create_server(
        application,
        sockets=[listener],
        threads=THREADS,
        ident=None,
        max_request_body_size=limits.MAX_UPLOAD_BYTES + _FORM_BYTES,
        max_request_header_size=_HEADER_BYTES,
    )
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit())
    announce(address)
    with _led_there(address) if open_browser else nullcontext():
        server.run()


def _listen(port: int) -> socket.socket:
    from fpdb.browse.guard import HOST

    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise Error(f"port {port} cannot be used: {error.strerror}; give another one, or none") from error
    return listener


@contextmanager
def _led_there(address: str) -> Iterator[None]:
    """Lead the user's browser to an address by a file, since others on the machine see arguments of programs."""
    file, path = tempfile.mkstemp(prefix="fpdb-", suffix=".html")  # for its owner alone
    try:
        with os.fdopen(file, "w", encoding="utf-8") as page:
            page.write(
                f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={escape(address)}"><title>fpdb</title>'
            )
        if _has_screen():
            threading.Thread(target=webbrowser.open, args=[f"file://{path}"], daemon=True).start()
        yield
    finally:
        os.unlink(path)


def _has_screen() -> bool:
    """Return True unless a browser, if any, would take over the terminal."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
