"""Discover documents: from paths to the documents to be read, and what is skipped and why.

Walks folders (sorted, symbolic links not followed), and archives as if they were folders. Never opens the database's
own files, since closing them would drop its locks.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence

from fpdb.checked_calls import checked
from fpdb.errors import Unreadable
from fpdb.ingest.files import (
    DatabaseFiles,
    InputDocument,
    Skipped,
    document_name,
    error_text,
    may_be_archive,
    read_content,
    size_fault,
)
from fpdb.ingest.path_filter import PathFilter
from fpdb.limits import MAX_DOCUMENT_BYTES
from fpdb.storage.environment.files import BESIDE

_BUFFER = 1 << 16

_NOT_REGULAR = {
    stat.S_IFIFO: "a pipe (use - to read standard input)",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link, not followed",
}


def discover(
    paths: Iterable[str],
    *,
    name: str | None = None,
    kind: str = "text",
    exclude: DatabaseFiles | None = None,
    path_filter: PathFilter | None = None,
) -> Iterator[InputDocument | Skipped]:
    """Yield every document at `paths`: files, and all that folders and archives hold, folders sorted by name.

    A document's name is its path as given without empty and `.` parts; `..` stays. In an archive, it is the archive's
    name and the member's label, see `archives.members`. A symbolic link is followed only when it is itself one of
    `paths`.
    `-` is standard input. name: Used instead of the path, where there is but one; standard input has no other name.
    exclude: The database's own files, which are skipped. path_filter: What is passed over in folders and archives, by
    default `PASSED_OVER`.
    """
    path_filter = path_filter or PathFilter()
    for document, relative in _Walk(kind, exclude, path_filter).files(paths, name):
        if isinstance(document, Skipped):
            yield document
        else:
            yield from _open(document, relative, path_filter)


@checked
def read_one_file(
    path: str, name: str | None, kind: str, databases: Iterable[str], encoding: str | None = None
) -> tuple[InputDocument, str | bytes]:
    """Return the document in a file, see `discover`, and its content.

    Raises Unreadable: there is none, or there may be many, as in a folder or an archive; or it is one of the databases.
    """
    if os.path.isdir(path):
        raise Unreadable(f"{path!r} is a folder; give its files one by one, or use the command line")
    own = [database + suffix for database in databases for suffix in ("", *BESIDE)]
    ((document, _),) = _Walk(kind, DatabaseFiles.of(own[:1], own), PathFilter()).files([path], name)
    if isinstance(document, InputDocument) and may_be_archive(document) and _is_archive(path):
        raise Unreadable(f"{path!r} is an archive; read its members, or use the command line")
    fault = document.reason if isinstance(document, Skipped) else size_fault(document.size)
    if isinstance(document, Skipped) or fault is not None:
        raise Unreadable(f"{path!r}: {fault}")
    try:
        return document, read_content(document, encoding)
    except OSError as error:
        raise Unreadable(f"{path!r}: {error_text(error)}") from error


def list_files(paths: Iterable[str], path_filter: PathFilter) -> Iterator[str]:
    """Yield the names of the files at `paths`, without looking into them."""
    for document, relative in _Walk("text", None, path_filter).files((path for path in paths if path != "-"), None):
        if isinstance(document, InputDocument) and (not relative or path_filter.takes_file(relative)):
            yield document.name


def total_size(
    paths: Sequence[str], exclude: DatabaseFiles | None = None, path_filter: PathFilter | None = None
) -> int | None:
    """Return the bytes of all files at `paths`; None with standard input or an archive among them."""
    if "-" in paths:
        return None
    total = 0
    path_filter = path_filter or PathFilter()
    for document, relative in _Walk("text", exclude, path_filter).files(paths, None):
        if isinstance(document, InputDocument) and (not relative or path_filter.takes_file(relative)):
            if document.path is not None and may_be_archive(document) and _is_archive(document.path):
                return None
            total += document.size
    return total


class _Walk:
    """A walk through folders; what it finds may be archives."""

    def __init__(self, kind: str, exclude: DatabaseFiles | None, path_filter: PathFilter) -> None:
        self._kind, self._exclude, self._filter = kind, exclude, path_filter
        self._working_folder = os.getcwd()

    def files(self, paths: Iterable[str], name: str | None) -> Iterator[tuple[InputDocument | Skipped, str]]:
        """Yield each file with its path in the folder that was named; "" for one that was named itself."""
        for path in paths:
            if path == "-":
                yield self._standard_input(name or "-"), ""
                continue
            try:
                status = os.stat(path)
            except (OSError, ValueError) as error:
                yield Skipped(path, error_text(error), requested=True), ""
                continue
            if stat.S_ISDIR(status.st_mode):
                yield from self._folder(path, document_name(path) if name is None else name)
            else:
                document = self._file(path, document_name(path), status, requested=True)
                yield document if name is None else document._replace(name=name), ""

    def _standard_input(self, name: str) -> InputDocument | Skipped:
        content = sys.stdin.buffer.read(MAX_DOCUMENT_BYTES)
        fault = size_fault(len(content))
        if fault is not None:
            return Skipped(name, fault, requested=True)
        return InputDocument(name, content=content, size=len(content), kind=self._kind, requested=True)

    def _folder(self, folder: str, name: str) -> Iterator[tuple[InputDocument | Skipped, str]]:
        """Walk a folder depth first, without recursion: a path's length limits the depth."""
        stack: list[tuple[str, str, os.DirEntry[str] | None]] = [(folder, name, None)]
        start = len(_inside(name))
        while stack:
            path, name, entry = stack.pop()
            relative = name[start:]
            try:
                if entry is None or entry.is_dir(follow_symlinks=False):
                    if entry is None or self._filter.takes_folder(relative):
                        with os.scandir(path) as scan:
                            entries = sorted(scan, key=_entry_name, reverse=True)
                        stack.extend((inner.path, _inside(name) + inner.name, inner) for inner in entries)
                elif self._filter.takes_container(relative):
                    yield self._file(path, name, entry.stat(follow_symlinks=False), requested=False), relative
            except OSError as error:
                yield Skipped(name or path, error_text(error)), relative

    def _file(self, path: str, name: str, status: os.stat_result, *, requested: bool) -> InputDocument | Skipped:
        if not stat.S_ISREG(status.st_mode):
            return Skipped(name, _NOT_REGULAR.get(stat.S_IFMT(status.st_mode), "not a file"), requested)
        if self._exclude is not None and self._exclude.contains(path, status):
            return Skipped(name, "the database itself", requested)
        source = name if name.startswith("/") else f"{self._working_folder}/{name}"
        return InputDocument(name, path, None, status.st_size, self._kind, source, requested=requested)


def _inside(folder: str) -> str:
    """Return how the names of what is in a folder begin."""
    return folder if folder in ("", "/") else folder + "/"


def _entry_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _open(document: InputDocument, relative: str, path_filter: PathFilter) -> Iterator[InputDocument | Skipped]:
    """Yield the document, or the members if it is an archive. relative: its path in the folder that was named."""
    try:
        if may_be_archive(document):
            from fpdb.ingest.archive_walk import walk_archive

            with _stream(document) as stream:
                if _begins_archive(stream):
                    yield from walk_archive(stream, document, path_filter=path_filter, relative=relative)
                    return
    except OSError as error:
        yield Skipped(document.name, error_text(error), document.requested)
        return
    if relative and not path_filter.takes_file(relative):
        return
    fault = size_fault(document.size)
    yield document if fault is None else Skipped(document.name, fault, document.requested)


def _is_archive(path: str) -> bool:
    try:
        with _stream(InputDocument("", path)) as stream:
            return _begins_archive(stream)
    except OSError:
        return False


def _begins_archive(stream: io.BufferedReader) -> bool:
    from fpdb.ingest.archives.archive import HEAD, detect_form

    return detect_form(stream.peek(HEAD)[:HEAD]) is not None


def _stream(document: InputDocument) -> io.BufferedReader:
    if isinstance(document.content, bytes):
        return io.BufferedReader(io.BytesIO(document.content))
    return io.BufferedReader(io.FileIO(document.path or "", opener=_open_file), _BUFFER)


def _open_file(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK)
