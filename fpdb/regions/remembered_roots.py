"""The files and folders from which this user added documents to a database, and which may be read again by default.

They are kept outside the database, since whoever makes a database can write anything into it: in a file for each
database, a path a line as a JSON string, in the user's state folder. Nothing fails where there is no such folder.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from fpdb.regions.source_roots import path_and_folders

MAX_PATHS: Final = 10_000
"""Paths that are remembered for a database, which may be those of single files."""


def remembered(file_id: bytes) -> list[str]:
    """Return the absolute paths that were remembered for a database, by its random id; none without an id."""
    paths = []
    with suppress(OSError), open(_list_path(file_id), encoding="ascii", errors="replace") as file:
        for line in file:
            with suppress(ValueError):  # what was written when the disk was full
                paths.append(json.loads(line))
    return [path for path in paths if isinstance(path, str) and path.startswith("/")]


def remember(file_id: bytes, paths: Iterable[str]) -> None:
    """Remember more absolute paths for a database, see `source_roots.spellings`."""
    known = set(remembered(file_id))
    added = [path for path in paths if known.isdisjoint(path_and_folders(path))][: max(MAX_PATHS - len(known), 0)]
    if not added:
        return
    lines = "".join(json.dumps(path) + "\n" for path in added)
    with suppress(OSError):
        path = _list_path(file_id)
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "wb", buffering=0) as out:
            out.write(lines.encode())  # in one piece, beside those of other processes


def _list_path(file_id: bytes) -> str:
    """Return the file with the list of a database. Raises FileNotFoundError if there can be none."""
    folder = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(folder):
        home = os.path.expanduser("~")
        folder = os.path.join(home, ".local", "state") if home not in ("~", "/", "") else ""
    if not folder or not file_id:
        raise FileNotFoundError
    return os.path.join(folder, "fpdb", "sources", file_id.hex())
