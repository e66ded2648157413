"""Files and folders below which the sources of documents may be read.

Whoever makes a database can name any path as the source of a document. A path outside the roots is not looked at, so
that nothing tells whether a file is there, or what is in it.
"""

import errno
import io
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from fpdb.checked_calls import check_path
from fpdb.errors import BadArgument

FileId = tuple[int, int]
"""Device and inode."""

_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class SourceRoots:
    """Opens regular files at or below some paths, and no others."""

    def __init__(self, paths: Iterable[str], excluded: Collection[FileId] = ()) -> None:
        """Allow files at or below these absolute paths.

        Args:
            paths: The roots, see `spellings`. A root itself may be a symbolic link.
            excluded: Files that may not be opened: closing a database's own would drop the locks that this process has.
        """
        self._roots = frozenset(paths)
        self._real_roots: dict[str, str] = {}
        self._excluded = excluded

    def open(self, path: str) -> io.BufferedReader | None:
        """Open a file.

        Args:
            path: An absolute path. A `..` in it takes the part before away, whatever that part is on the disk.

        Returns:
            The file, or None if the path is not below a root, or a symbolic link leads out of the root.

        Raises:
            OSError, ValueError: The path is below a root, and is not that of a regular file that can be read.
        """
        path = _normalise(path)
        root = next((part for part in path_and_folders(path) if part in self._roots), None)
        if root is None:
            return None
        if (real_root := self._real_roots.get(root)) is None:
            real_root = self._real_roots[root] = os.path.realpath(root)
        try:
            return self._open_below(real_root, path[len(root) :])
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
        path = os.path.realpath(path)  # there is a link below the root, or a file instead of a folder
        return self._open_below(real_root, path[len(real_root) :]) if real_root in path_and_folders(path) else None

    def _open_below(self, root: str, rest: str) -> io.BufferedReader:
        """Open the regular file whose path below a root is the rest, and follow no link.

        Part by part, so that none can be put in meanwhile. Raises OSError; ELOOP or ENOTDIR where there is a link.
        """
        if not rest:
            root, rest = os.path.split(root)
        *folders, name = filter(None, rest.split("/"))
        folder = os.open(root, _FOLDER)
        try:
            for part in folders:
                outer, folder = folder, os.open(part, _FOLDER, dir_fd=folder)
                os.close(outer)
            self._check(os.stat(name, dir_fd=folder, follow_symlinks=False))  # to open a device may have effects
            file = os.open(name, _FILE, dir_fd=folder)
        finally:
            os.close(folder)
        opened = os.fdopen(file, "rb")
        try:
            self._check(os.fstat(file))
        except OSError:
            opened.close()
            raise
        return opened

    def _check(self, status: os.stat_result) -> None:
        if stat.S_ISLNK(status.st_mode):
            raise OSError(errno.ELOOP, "a symbolic link")
        if not stat.S_ISREG(status.st_mode) or (status.st_dev, status.st_ino) in self._excluded:
            raise OSError(errno.EINVAL, "not a regular file, or one of the database")


def spellings(paths: Iterable[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the absolute paths of files and folders: as they are written, and without symbolic links.

    Raises BadArgument for an empty path, and for one path instead of several: its characters would be taken for paths.
    """
    if isinstance(paths, str | bytes | os.PathLike):
        raise BadArgument(f"sources are several paths: give [{os.fspath(paths)!r}]")
    given = [check_path(path, "a path of sources") for path in paths]
    if "" in given:
        raise BadArgument("an empty path names no folder of sources")
    written = (spell(path) for path in given for spell in (os.path.abspath, os.path.realpath))
    return tuple(dict.fromkeys(map(_normalise, written)))


def identify(paths: Collection[str]) -> frozenset[FileId]:
    """Return the identities of the files at these paths, without those that do not exist."""
    identities = set()
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        identities.add((status.st_dev, status.st_ino))
    return frozenset(identities)


def path_and_folders(path: str) -> Iterator[str]:
    """Yield a path, the folder that it is in, and so on up to the topmost."""
    yield path
    while path != "/":
        path = os.path.dirname(path)
        yield path


def _normalise(path: str) -> str:
    return "/" + os.path.normpath(path).lstrip("/")
