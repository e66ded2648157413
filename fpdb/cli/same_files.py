"""Warn of files that are documents under two names: whoever removes the files of copies would lose them."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from fpdb.cli.terminal import count_text, say

if TYPE_CHECKING:
    from fpdb import Database

T = TypeVar("T")


def warn_of_same_paths(paths: Sequence[str]) -> None:
    """Say if a path leads to, or into, what another one leads to, and names its documents otherwise."""
    from fpdb.ingest.files import document_name

    first: dict[str, str] = {}
    for path in paths if len(paths) > 1 else ():
        first.setdefault(os.path.abspath(path), path)
    for path in paths if first else ():
        absolute = os.path.abspath(path)
        for folder in (absolute, *map(str, Path(absolute).parents)):
            other = first.get(folder)
            if other is not None and document_name(path) != document_name(f"{other}/{absolute[len(folder) :]}"):
                place = "is" if folder == absolute else "is in"
                say(
                    f"{path} {place} {other}, which gives the same files other names: they are added under both, each "
                    "a copy of itself; give one of the paths, and remove the other names"
                )
                return


def watch_same_files(db: "Database", results: Iterable[T], names: Callable[[T], tuple[str, str]]) -> Iterator[T]:
    """Yield results, and say at the end if the two documents of some are the same content of one file.

    names: returns the names of both. Only those that end in the same file name are looked up.
    """
    count, example = 0, ("", "")
    for result in results:
        a, b = names(result)
        if os.path.basename(a) == os.path.basename(b) and _file_and_digest(db, a) == _file_and_digest(db, b):
            count, example = count + 1, example if count else (a, b)
        yield result
    if count:
        say(
            f"one file under two names, in {count_text(count, 'pair')}, such as {example[0]} and {example[1]}: remove "
            "one of the names with 'fpdb remove', not the file"
        )


def _file_and_digest(db: "Database", name: str) -> tuple[str, bytes]:
    """Return the file that a document came from, or its name if that is not known, and the digest of its content."""
    document = db.document(name)
    return os.path.normpath(document.source or name), document.digest
