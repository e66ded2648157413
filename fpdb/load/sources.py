"""What to load: from paths to documents that are still to be read, each under its name.

Walks folders (sorted, symbolic links not followed), says what is passed over and why, and reads one file
into bytes. Knows nothing of fingerprints; never opens the database's own files, since closing them would
drop its locks.
"""

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from fpdb.errors import Unreadable
from fpdb.fingerprint import AUTO, kind_of

HEAD = 8192
"""A NUL byte among this many first bytes makes a file binary."""

LARGEST = 1 << 31
"""Files from this many bytes on are passed over: a document is held in memory several times over."""

_FIRST_READ = 1 << 16
BINARY_KINDS = frozenset({"pdf", "docx", "odt", "postscript"})
_DOCUMENT_MARKS = (b"%PDF-", b"%!PS", b"PK")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")  # UTF-16 and UTF-32, either order

_SPECIAL = {
    stat.S_IFIFO: "a pipe (use - to read standard input)",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link, not followed",
}


class Own(NamedTuple):
    """The files of a database, which are no documents; some of them may come into being later."""

    folder: tuple[int, int]
    """Device and inode."""
    names: frozenset[str]
    there: frozenset[tuple[int, int]]
    """Device and inode of those that exist, by whatever path they are reached."""

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Own":
        """The given files, all in one folder."""
        paths = [os.path.realpath(path) for path in paths]
        folder = os.stat(os.path.dirname(paths[0]))
        there = [os.stat(path) for path in paths if os.path.exists(path)]
        return cls(
            (folder.st_dev, folder.st_ino),
            frozenset(map(os.path.basename, paths)),
            frozenset((status.st_dev, status.st_ino) for status in there),
        )

    def holds(self, path: str, status: os.stat_result) -> bool:
        """Whether this is one of them."""
        if (status.st_dev, status.st_ino) in self.there:
            return True
        if os.path.basename(path) not in self.names:
            return False
        folder = os.stat(os.path.dirname(path) or ".")
        return (folder.st_dev, folder.st_ino) == self.folder


class Source(NamedTuple):
    """A document to be read: from a file (`path`), or already at hand (`content`)."""

    name: str
    path: str | None = None
    content: bytes | str | None = None
    size: int = 0
    """Bytes, as known before reading."""
    kind: str = "text"
    source: str | None = None
    contact: str | None = None
    labels: Mapping[str, str] | None = None
    asked: bool = False
    """The caller named this very document, rather than a folder or a list that it is in."""


class Skipped(NamedTuple):
    """What is passed over, and why."""

    name: str
    reason: str
    asked: bool = False


def files(
    paths: Iterable[str], *, name: str | None = None, kind: str = "text", own: Own | None = None
) -> Iterator[Source | Skipped]:
    """Every file in `paths`: files as they are, folders with all that they hold, sorted by name; `-` is
    standard input.

    A document's name is its path as given without empty and `.` parts; `..` stays. A symbolic link is
    followed when it is itself one of `paths`, and only then.
    name: instead of the path, where there is but one document; standard input has no other.
    own: the database's files, which are passed over.
    """
    here = os.getcwd()
    for path in paths:
        if path == "-":
            content = sys.stdin.buffer.read()
            yield Source(name or "-", content=content, size=len(content), kind=kind, asked=True)
            continue
        called = name_of(path) if name is None else name
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            yield Skipped(path, reason_of(error), asked=True)
            continue
        if stat.S_ISDIR(status.st_mode):
            yield from _inside(path, called, kind, here, own)
        else:
            source = _source(here, name_of(path))
            yield _one(path, called, status, kind, source, own, asked=True)


def name_of(path: str) -> str:
    """The document name of a path: as given, without empty and `.` parts. `./a//b` is `a/b`, `../a` stays."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def content_of(source: Source) -> bytes | str:
    """The document's content, read if it is not at hand. Unreadable, OSError: it cannot be had."""
    content = source.content if source.path is None else read(source.path)
    if content is None:
        raise Unreadable("neither content nor a path was given")
    if isinstance(content, bytes) and is_binary(content):
        kind = kind_of(source.name, content) if source.kind == AUTO else source.kind
        if kind not in BINARY_KINDS:
            raise Unreadable("binary (it has NUL bytes)")
    return content


def read(path: str) -> bytes:
    """A file's bytes; only the first of a binary file that no front-end reads, since it will be passed over. OSError,
    Unreadable."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        first = os.read(handle, _FIRST_READ)
        if len(first) < _FIRST_READ or (is_binary(first) and not first.startswith(_DOCUMENT_MARKS)):
            return first
        pieces = [first]
        size = len(first)
        while piece := os.read(handle, 1 << 24):
            pieces.append(piece)
            size += len(piece)
            if size >= LARGEST:
                raise Unreadable(_too_large(size))
        return b"".join(pieces)
    finally:
        os.close(handle)


def is_binary(content: bytes) -> bool:
    """Whether these bytes are no text: a NUL byte near the beginning, and no mark of UTF-16 or UTF-32."""
    return b"\0" in content[:HEAD] and not content.startswith(_WIDE_MARKS)


def reason_of(error: BaseException) -> str:
    """An error in a few words, without the path that it happened to."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    if isinstance(error, MemoryError):
        return "more than fits into memory"
    return str(error) or type(error).__name__


def _inside(folder: str, name: str, kind: str, here: str, own: Own | None) -> Iterator[Source | Skipped]:
    """Walks a folder depth first, without recursion: a path's length limits the depth."""
    stack: list[tuple[str, str, os.DirEntry[str] | None]] = [(folder, name, None)]
    while stack:
        path, name, entry = stack.pop()
        try:
            if entry is None or entry.is_dir(follow_symlinks=False):
                with os.scandir(path) as scan:
                    entries = sorted(scan, key=_entry_name, reverse=True)
                start = name if name in ("", "/") else name + "/"
                stack.extend((inner.path, start + inner.name, inner) for inner in entries)
            else:
                status = entry.stat(follow_symlinks=False)
                yield _one(path, name, status, kind, _source(here, name), own, asked=False)
        except OSError as error:
            yield Skipped(name or path, reason_of(error))


def _entry_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _source(here: str, name: str) -> str:
    return name if name.startswith("/") else f"{here}/{name}"


def _one(
    path: str, name: str, status: os.stat_result, kind: str, source: str, own: Own | None, *, asked: bool
) -> Source | Skipped:
    if not stat.S_ISREG(status.st_mode):
        return Skipped(name, _SPECIAL.get(stat.S_IFMT(status.st_mode), "not a file"), asked)
    if own is not None and own.holds(path, status):
        return Skipped(name, "the database itself", asked)
    if status.st_size >= LARGEST:
        return Skipped(name, _too_large(status.st_size), asked)
    return Source(name, path, None, status.st_size, kind, source, asked=asked)


def _too_large(size: int) -> str:
    return f"too large ({size / 1e9:.1f} GB; the limit is {LARGEST / 1e9:.1f} GB)"
