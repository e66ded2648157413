#!/usr/bin/env python3
"""Fetch the real text of the papers' experiments from Debian packages, and read it.

`python -m bench.papers.texts` needs apt-get, dpkg-deb and the network, once, as any user, after `apt-get update`. The
text is extracted once and kept in bench/_build/texts. The collection "source", the running Python's standard library,
needs no download, and replaces the other collections until they are fetched.
"""

import argparse
import gzip
import hashlib
import html
import json
import shutil
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

from bench.measuring import run

FOLDER = Path(__file__).parents[1] / "_build" / "texts"
SOURCE = "source"

PACKAGES: Mapping[str, tuple[str, ...]] = {
    "html": (
        "anarchism",
        "debian-handbook",
        "erlang-doc",
        "git-doc",
        "libreoffice-help-en-us",
        "libstdc++-12-doc",
        "linux-doc-6.1",
        "openjdk-17-doc",
        "postgresql-doc-15",
        "python3.11-doc",
        "sqlite3-doc",
        "vim-doc",
    ),
    "prose": (
        "anarchism",
        "debian-policy",
        "debian-reference-en",
        "git-doc",
        "linux-doc-6.1",
        "perl-doc",
        "perl-modules-5.36",
        "python3.11-doc",
    ),
}
SUFFIXES: Mapping[str, tuple[str, ...]] = {"html": (".html", ".htm"), "prose": (".txt", ".md", ".pod")}
DROPPED = ("script", "style")
# Tags inside a word or a sentence; every other one ends a line.
INLINE = frozenset(
    {"a", "abbr", "b", "cite", "code", "em", "font", "i", "kbd", "q", "small", "span", "strong", "sub", "sup"}
    | {"tt", "u", "var", "wbr"}
)


class TextEntry(NamedTuple):
    """A document of a collection: its name, its bytes in the package, and the bytes of its text."""

    name: str
    original: int
    size: int


def text_of(page: str) -> str:
    """Return the text of an HTML page without tags, comments, scripts and styles, and with entities resolved."""
    parts = []
    position = 0
    while (begin := page.find("<", position)) >= 0:
        parts.append(page[position:begin])
        if page.startswith("<!--", begin):
            position = _after(page, "-->", begin + 4)
            continue
        position = _after(page, ">", begin)
        tag = _name(page[begin + 1 : position - 1])
        if tag in DROPPED and page[position - 2 : position] != "/>":
            position = _after(page, ">", _find(page, f"</{tag}", position))
        if tag.lstrip("/") not in INLINE:
            parts.append("\n")
    parts.append(page[position:])
    return html.unescape("".join(parts))


def _name(tag: str) -> str:
    words = tag.split(maxsplit=1)
    return words[0].lower() if words else ""


def _find(page: str, what: str, start: int) -> int:
    """Return the position of `what` in lower or upper case, or the end of the page."""
    positions = [position for position in (page.find(what, start), page.find(what.upper(), start)) if position >= 0]
    return min(positions, default=len(page))


def _after(page: str, what: str, start: int) -> int:
    position = page.find(what, start)
    return len(page) if position < 0 else position + len(what)


def fetched(collection: str) -> bool:
    """Return True if the collection has been fetched."""
    return collection == SOURCE or _record_of(collection).exists()


def describe(collection: str) -> str:
    """Return the origin of a collection's documents, in words."""
    if collection == SOURCE or not fetched(collection):
        replacement = "" if collection == SOURCE else f"(no {collection!r} fetched; in its place) "
        return f"{replacement}the running Python's standard library"
    packages = json.loads(_record_of(collection).read_text(encoding="utf-8"))["packages"]
    return "Debian packages " + ", ".join(f"{name} {version}" for name, version in packages.items())


def listing(collection: str, limit_bytes: int | None = None) -> list[TextEntry]:
    """Return the documents of a collection by name, or a sample of all of them with at most this many bytes of text."""
    return [document for document, _ in _choose(collection, limit_bytes)]


def documents(collection: str, limit_bytes: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield name and text of each document of `listing`, in that order; the text is UTF-8 if the original was."""
    if collection == SOURCE or not fetched(collection):
        for name, path in _sources().items():
            if limit_bytes is None or name in _names(SOURCE, limit_bytes):
                yield name, path.read_bytes()
        return
    with _pack_of(collection).open("rb") as pack:
        for document, offset in _choose(collection, limit_bytes):
            pack.seek(offset)
            yield document.name, pack.read(document.size)


def _choose(collection: str, limit_bytes: int | None) -> list[tuple[TextEntry, int]]:
    entries = index(collection)
    if limit_bytes is None:
        return entries
    bytes_left, chosen = limit_bytes, []
    for document, offset in sorted(entries, key=lambda pair: hashlib.sha256(pair[0].name.encode()).digest()):
        if document.size <= bytes_left:
            bytes_left -= document.size
            chosen.append((document, offset))
    return sorted(chosen)


@lru_cache(maxsize=4)
def _names(collection: str, limit_bytes: int) -> frozenset[str]:
    return frozenset(document.name for document in listing(collection, limit_bytes))


@lru_cache(maxsize=4)
def index(collection: str) -> list[tuple[TextEntry, int]]:
    """Return every document by name, and its offset in the pack."""
    if collection == SOURCE or not fetched(collection):
        sizes = {name: path.stat().st_size for name, path in _sources().items()}
        return [(TextEntry(name, size, size), 0) for name, size in sizes.items()]
    offset, entries = 0, []
    for row in json.loads(_record_of(collection).read_text(encoding="utf-8"))["documents"]:
        entries.append((TextEntry(*row), offset))
        offset += entries[-1][0].size
    return sorted(entries)


@lru_cache(maxsize=1)
def _sources() -> Mapping[str, Path]:
    root = Path(sysconfig.get_path("stdlib"))
    paths = {path.relative_to(root).as_posix(): path for path in root.rglob("*.py")}
    sources = {name: path for name, path in paths.items() if "site-packages" not in name and path.stat().st_size}
    return dict(sorted(sources.items()))


def fetch(collection: str) -> None:
    """Download the packages of a collection, unpack them, and keep the text of their documents."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    packages: dict[str, str] = {}
    rows: list[TextEntry] = []
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder, Path(folder, "pack").open("wb") as pack:
        for package in PACKAGES[collection]:
            archive = _download(package)
            packages[package] = archive.name.split("_")[1].replace("%3a", ":")
            root = Path(folder, package)
            run(_program("dpkg-deb"), "-x", str(archive), str(root), cwd=FOLDER)
            for path in sorted(path for path in root.rglob("*") if _wanted(path, collection)):
                original, text = _read(path, collection)
                if text.strip():
                    rows.append(TextEntry(path.relative_to(folder).as_posix(), original, pack.write(text)))
            shutil.rmtree(root)
            print(f"{collection}: {package} {packages[package]}, {len(rows):,} documents so far", flush=True)
        pack.close()
        Path(pack.name).replace(_pack_of(collection))
    record = {"packages": packages, "documents": rows}
    _record_of(collection).write_text(json.dumps(record, indent=0) + "\n", encoding="utf-8")
    index.cache_clear()


def _download(package: str) -> Path:
    """Return the package's archive, downloaded if it is missing."""
    archives = sorted(FOLDER.glob(f"{package}_*.deb"))
    if not archives:
        run(_program("apt-get"), "download", "-q", package, cwd=FOLDER)
        archives = sorted(FOLDER.glob(f"{package}_*.deb"))
    return archives[-1]


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise RuntimeError(f"fetching needs {name}, that is a Debian system")
    return path


def _wanted(path: Path, collection: str) -> bool:
    return path.name.removesuffix(".gz").endswith(SUFFIXES[collection]) and path.is_file() and not path.is_symlink()


def _read(path: Path, collection: str) -> tuple[int, bytes]:
    """Return the unpacked size of a document, and its text."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    read: Mapping[str, Callable[[bytes], bytes]] = {"html": _html}
    return len(content), read.get(collection, bytes)(content)


def _html(content: bytes) -> bytes:
    try:
        page = content.decode()
    except UnicodeDecodeError:
        page = content.decode("latin-1")
    return text_of(page).encode("utf-8", "replace")


def _record_of(collection: str) -> Path:
    return FOLDER / f"{collection}.json"


def _pack_of(collection: str) -> Path:
    return FOLDER / f"{collection}.pack"


def main() -> None:
    """Fetch what is missing, and describe the collections."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.papers.texts",
        description=cleandoc(__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--again", action="store_true", help="extract the text again, of what has been downloaded")
    options = parser.parse_args()
    for collection in PACKAGES:
        if options.again or not fetched(collection):
            fetch(collection)
    for collection in (*PACKAGES, SOURCE):
        entries = listing(collection)
        original, size = (sum(values) / 1e6 for values in list(zip(*entries, strict=True))[1:])
        long = sum(document.size > 20_000 for document in entries)
        print(
            f"{collection}: {len(entries):,} documents, {original:,.0f} MB, of text {size:,.0f} MB; {long:,} over 20 KB"
        )


if __name__ == "__main__":
    main()
