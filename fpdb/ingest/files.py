"""What is to be loaded: a document under its name, with a file or its content; and reading that file into bytes.

Knows nothing of fingerprints, nor of how documents are found.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from fpdb.errors import Unreadable
from fpdb.fingerprint import AUTO
from fpdb.ingest.archives import LARGEST
from fpdb.readers.kinds import detect_kind

HEAD = 8192
"""A NUL byte among this many first bytes makes a file binary."""

_FIRST_READ = 1 << 16
BINARY_KINDS = frozenset({"pdf", "docx", "odt", "postscript"})
_DOCUMENT_MARKS = (b"%PDF-", b"%!PS", b"PK")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")  # UTF-16 and UTF-32, either order


class DatabaseFiles(NamedTuple):
    """The files of a database, which are no documents; some of them may come into being later."""

    folder: tuple[int, int]
    """Device and inode."""
    names: frozenset[str]
    there: frozenset[tuple[int, int]]
    """Device and inode of those that exist, by whatever path they are reached."""

    @classmethod
    def of(cls, paths: Iterable[str], more: Iterable[str] = ()) -> "DatabaseFiles":
        """The given files, all in one folder; more: files anywhere, as far as they are there."""
        paths = [os.path.realpath(path) for path in paths]
        folder = os.stat(os.path.dirname(paths[0]))
        there = [os.stat(path) for path in (*paths, *more) if os.path.exists(path)]
        return cls(
            (folder.st_dev, folder.st_ino),
            frozenset(map(os.path.basename, paths)),
            frozenset((status.st_dev, status.st_ino) for status in there),
        )

    def contains(self, path: str, status: os.stat_result) -> bool:
        """Whether this is one of them."""
        if (status.st_dev, status.st_ino) in self.there:
            return True
        if os.path.basename(path) not in self.names:
            return False
        folder = os.stat(os.path.dirname(path) or ".")
        return (folder.st_dev, folder.st_ino) == self.folder


class InputDocument(NamedTuple):
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
    requested: bool = False
    """The caller named this very document, rather than a folder or a list that it is in."""
    location: str | None = None
    """Where a record is: its file, and its line or row."""

    @property
    def place(self) -> str:
        """What to call it where something is wrong with it: a name alone is hard to find in a large file."""
        return self.name if self.location is None else self.location


class Skipped(NamedTuple):
    """What is passed over, and why."""

    name: str
    reason: str
    requested: bool = False


class Chunk(Protocol):
    """Several documents that are read together, by whoever fingerprints them: it can be sent to another process."""

    @property
    def content_bytes(self) -> int:
        """Bytes of content that it has with it."""

    @property
    def input_bytes(self) -> int:
        """Bytes of input that are done when it is."""

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """The documents, in order, and what is passed over; the same each time."""


class ListChunk(NamedTuple):
    """A piece that is a list."""

    items: list[InputDocument | Skipped]
    content_bytes: int = 0
    input_bytes: int = 0

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """The list."""
        return iter(self.items)


def document_name(path: str) -> str:
    """The document name of a path: as given, without empty and `.` parts. `./a//b` is `a/b`, `../a` stays."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def read_content(source: InputDocument) -> bytes | str:
    """The document's content, read if it is not at hand. Unreadable, OSError: it cannot be had."""
    content = source.content if source.path is None else read(source.path)
    if content is None:
        raise Unreadable("neither content nor a path was given")
    if isinstance(content, bytes) and is_binary(content):
        kind = detect_kind(source.name, content) if source.kind == AUTO else source.kind
        if kind not in BINARY_KINDS:
            raise Unreadable("binary (it has NUL bytes)")
    return content


def read(path: str) -> bytes:
    """A file's bytes; only the first of a binary file that no front-end reads, since it will be passed over. OSError,
    Unreadable."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        first = os.read(handle, _FIRST_READ)
        if len(first) < _FIRST_READ or not is_read_whole(first):
            return first
        pieces = [first]
        size = len(first)
        while piece := os.read(handle, 1 << 24):
            pieces.append(piece)
            size += len(piece)
            if (wrong := too_large(size)) is not None:
                raise Unreadable(wrong)
        return b"".join(pieces)
    finally:
        os.close(handle)


def is_read_whole(first: bytes) -> bool:
    """Whether there is a front-end for what begins so; of what is else binary, the beginning is enough to say so."""
    return not is_binary(first) or first.startswith(_DOCUMENT_MARKS)


def is_binary(content: bytes) -> bool:
    """Whether these bytes are no text: a NUL byte near the beginning, and no mark of UTF-16 or UTF-32."""
    return b"\0" in content[:HEAD] and not content.startswith(_WIDE_MARKS)


def error_text(error: BaseException) -> str:
    """An error in a few words, without the path that it happened to."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    if isinstance(error, MemoryError):
        return "more than fits into memory"
    return str(error) or type(error).__name__


def too_large(size: int) -> str | None:
    """What is wrong with a document of so many bytes; None: nothing."""
    return f"too large ({size / 1e9:.1f} GB; the limit is {LARGEST / 1e9:.1f} GB)" if size >= LARGEST else None
