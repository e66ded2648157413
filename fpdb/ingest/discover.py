"""Finding documents: from paths to what is to be read, and what is passed over and why.

Walks folders (sorted, symbolic links not followed), and archives as if they were folders. Never opens the database's
own files, since closing them would drop its locks.
"""

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence

from fpdb.ingest.archive_walk import documents, may_be_archive
from fpdb.ingest.archives import HEAD, MAX_DOCUMENT_BYTES, archive_form
from fpdb.ingest.files import DatabaseFiles, InputDocument, Skipped, document_name, error_text, size_fault

_BUFFER = 1 << 16

_SPECIAL = {
    stat.S_IFIFO: "a pipe (use - to read standard input)",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link, not followed",
}


def discover(
    paths: Iterable[str], *, name: str | None = None, kind: str = "text", exclude: DatabaseFiles | None = None
) -> Iterator[InputDocument | Skipped]:
    """Every file in `paths`: files as they are, folders and archives with all that they hold, folders sorted by name;
    `-` is standard input.

    A document's name is its path as given without empty and `.` parts; `..` stays. In an archive, the archive's name
    and the member's, see `archives.Labels`. A symbolic link is followed when it is itself one of `paths`, and only
    then.
    name: instead of the path, where there is but one; standard input has no other.
    own: the database's files, which are passed over.
    """
    for one in _found(paths, name, kind, exclude):
        if isinstance(one, Skipped):
            yield one
        else:
            yield from _opened(one)


def total_size(paths: Sequence[str], exclude: DatabaseFiles | None = None) -> int | None:
    """Bytes of all files in `paths`; None where standard input or an archive is among them: it is known in the end."""
    if "-" in paths:
        return None
    total = 0
    for one in _found(paths, None, "text", exclude):
        if isinstance(one, InputDocument):
            if one.path is not None and may_be_archive(one) and _is_archive(one.path):
                return None
            total += one.size
    return total


def _found(
    paths: Iterable[str], name: str | None, kind: str, exclude: DatabaseFiles | None
) -> Iterator[InputDocument | Skipped]:
    """Every file, archives among them."""
    here = os.getcwd()
    for path in paths:
        if path == "-":
            content = sys.stdin.buffer.read(MAX_DOCUMENT_BYTES)
            wrong = size_fault(len(content))
            if wrong is None:
                yield InputDocument(name or "-", content=content, size=len(content), kind=kind, requested=True)
            else:
                yield Skipped(name or "-", wrong, requested=True)
            continue
        called = document_name(path) if name is None else name
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            yield Skipped(path, error_text(error), requested=True)
            continue
        if stat.S_ISDIR(status.st_mode):
            yield from _inside(path, called, kind, here, exclude)
        else:
            source = _source(here, document_name(path))
            yield _one(path, called, status, kind, source, exclude, requested=True)


def _inside(
    folder: str, name: str, kind: str, here: str, exclude: DatabaseFiles | None
) -> Iterator[InputDocument | Skipped]:
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
                yield _one(path, name, status, kind, _source(here, name), exclude, requested=False)
        except OSError as error:
            yield Skipped(name or path, error_text(error))


def _entry_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _source(here: str, name: str) -> str:
    return name if name.startswith("/") else f"{here}/{name}"


def _one(
    path: str,
    name: str,
    status: os.stat_result,
    kind: str,
    source: str,
    exclude: DatabaseFiles | None,
    *,
    requested: bool,
) -> InputDocument | Skipped:
    if not stat.S_ISREG(status.st_mode):
        return Skipped(name, _SPECIAL.get(stat.S_IFMT(status.st_mode), "not a file"), requested)
    if exclude is not None and exclude.contains(path, status):
        return Skipped(name, "the database itself", requested)
    return InputDocument(name, path, None, status.st_size, kind, source, requested=requested)


def _opened(one: InputDocument) -> Iterator[InputDocument | Skipped]:
    """The file, or what is in it if it is an archive."""
    try:
        if may_be_archive(one):
            with _stream(one) as stream:
                if archive_form(stream.peek(HEAD)[:HEAD]) is not None:
                    yield from documents(stream, one)
                    return
    except OSError as error:
        yield Skipped(one.name, error_text(error), one.requested)
        return
    wrong = size_fault(one.size)
    yield one if wrong is None else Skipped(one.name, wrong, one.requested)


def _is_archive(path: str) -> bool:
    try:
        with _stream(InputDocument("", path)) as stream:
            return archive_form(stream.peek(HEAD)[:HEAD]) is not None
    except OSError:
        return False


def _stream(one: InputDocument) -> io.BufferedReader:
    if isinstance(one.content, bytes):
        return io.BufferedReader(io.BytesIO(one.content))
    return io.BufferedReader(io.FileIO(one.path or "", opener=_open), _BUFFER)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK)
