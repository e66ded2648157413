"""Access to the contents of documents: their files, below the roots that are allowed, and kept texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fpdb.documents.document import TextLookup, document_of
from fpdb.storage.environment.files import BESIDE

if TYPE_CHECKING:
    from fpdb.regions.sources import Sources


class SourceAccess(NamedTuple):
    """The files below which the sources of a database's documents may be read.

    Attributes:
        path: The database.
        roots: Absolute paths, or None for those that the user's folder remembers for the database.
    """

    path: str
    roots: tuple[str, ...] | None


def source_roots(paths: Iterable[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the absolute paths of roots, see `spellings`. Raises ValueError."""
    from fpdb.regions.source_roots import spellings

    return spellings(paths)


def pass_on_roots(file_id: bytes, to: bytes) -> None:
    """Remember for a file the paths that are remembered for another one, whose documents it has; both by their ids."""
    from fpdb.regions.remembered_roots import remember, remembered

    remember(to, remembered(file_id))


def sources_of(
    databases: Sequence[SourceAccess],
    texts: TextLookup | None = None,
    database_of: Callable[[int], int] = lambda _: 0,
) -> Sources:
    """Return what reads the contents of the documents of databases: through `texts`, if it is given.

    database_of: tells by the id of a document the index of its database.
    """
    from fpdb.regions.remembered_roots import remembered
    from fpdb.regions.source_roots import SourceRoots, identify
    from fpdb.regions.sources import Sources

    own = identify([access.path + suffix for access in databases for suffix in ("", *BESIDE)])

    @cache
    def roots_of(index: int, file_id: bytes) -> SourceRoots:
        roots = databases[index].roots
        return SourceRoots(remembered(file_id) if roots is None else roots, own)

    given = None if texts is None else lambda number, record: texts(document_of(number, record))
    return Sources(lambda reader, number: roots_of(database_of(number), reader.file_id(number)), given)
