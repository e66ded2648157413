"""Time the pages of `fpdb browse` on a database of a million documents, and measure the memory of its server.

    python -m bench.browse [DOCUMENTS] [HASHES]

By default 1,000,000 documents of 100 random hashes each, beside TEXTS texts of which half of one is pasted. Each page
is asked for once of a server that has just begun, and then again.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path

import numpy as np

import fpdb
from bench.corpora import record_texts
from bench.report import machine

TEXTS, CHARACTERS = 1000, 2000  # texts, and characters of each
PART = 50_000  # documents that are added at once
AGAIN = 5


class Server:
    """`fpdb browse` as a process, asked as its user's browser does."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Wait for the address."""
        assert process.stdout is not None
        address = urllib.parse.urlsplit(process.stdout.readline().split()[0])
        self.pid, self._host = process.pid, address.netloc
        self._headers: dict[str, str] = {}
        _, headers = self._send("GET", f"/?{address.query}")
        self._headers = {"Cookie": headers["Set-Cookie"].partition(";")[0], "Origin": f"http://{self._host}"}

    def _send(self, method: str, path: str, body: str | None = None) -> tuple[str, Message]:
        connection = HTTPConnection(self._host)
        kind = {} if body is None else {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request(method, path, body, self._headers | kind)
        response = connection.getresponse()
        page = response.read().decode()
        connection.close()
        assert response.status in (200, 303), page
        return page, response.headers

    def ask(self, path: str, form: dict[str, str] | None = None) -> str:
        """Return a page; form: what is sent, after which the browser is led to the page."""
        if form is not None:
            path = self._send("POST", path, urllib.parse.urlencode(form))[1]["Location"]
        return self._send("GET", path)[0]

    def megabytes(self, field: str) -> float:
        """Return what the system says of the process's memory."""
        match = re.search(rf"^{field}:\s+(\d+) kB", Path(f"/proc/{self.pid}/status").read_text(), re.M)
        assert match is not None
        return int(match[1]) / 1e3


@contextmanager
def serving(path: str) -> Iterator[Server]:
    """Start a server, and end it."""
    command = [sys.executable, "-m", "fpdb", "--db", path, "browse", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Server(process)
        finally:
            process.send_signal(signal.SIGTERM)


def build(path: str, documents: int, hashes: int, texts: list[str]) -> None:
    """Make the database."""
    rng = np.random.default_rng(1)
    with fpdb.open(path) as db, db.bulk():
        with db.batch() as batch:
            for number, text in enumerate(texts):
                batch.add(f"text {number:04}", text, keep_text=True)
        for start in range(0, documents, PART):
            count = min(PART, documents - start)
            names = [f"document {number:07}" for number in range(start, start + count)]
            values = rng.integers(0, 2**64, count * hashes, np.uint64)
            db.add_columns(names, np.arange(count + 1) * hashes, values, np.tile(np.arange(hashes), count))


def main(documents: int = 1_000_000, hashes: int = 100) -> None:
    """Print the seconds of each page, first and again, and megabytes."""
    texts = [text for _, text in islice(record_texts(CHARACTERS), TEXTS)]
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    print(f"{documents:,} documents of {hashes} hashes, and {TEXTS:,} texts of {CHARACTERS:,} characters")
    middle, last = (urllib.parse.quote(f"document {number:07}") for number in (documents // 2, documents - 10))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "browse.fpdb")
        started = time.perf_counter()
        build(path, documents, hashes, texts)
        print(f"made in {time.perf_counter() - started:.0f} s, {os.stat(path).st_size / 1e6:,.0f} MB")
        pasted = {"text": texts[0][: CHARACTERS // 2]}
        pages = {
            "first page": ("/", None),
            "list of documents": ("/documents", None),
            "... the last ones": (f"/documents?after={last}", None),
            "... that match *99999": ("/documents?glob=*99999", None),
            "a document": (f"/document?name={middle}", None),
            "pasted query": ("/search", pasted),
            "similar to a text": ("/similar?name=text%200001", None),
            "similar to a document without a text": (f"/similar?name={middle}", None),
            "a pair, side by side": ("/pair?a=text%200001&b=text%200002", None),
        }
        for page, (address, form) in pages.items():
            with serving(path) as server:
                rounds = []
                for _ in range(1 + AGAIN):
                    started = time.perf_counter()
                    server.ask(address, form)
                    rounds.append(time.perf_counter() - started)
                now, own, most = map(server.megabytes, ("VmRSS", "RssAnon", "VmHWM"))
            again = sorted(rounds[1:])[AGAIN // 2]
            print(
                f"{page}: {rounds[0]:.3f} s, again {again:.3f} s; {now:.0f} MB, {own:.0f} its own, at most {most:.0f}"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
