"""MultiDatabase: several databases queried as one that holds the documents of all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from typing import Any

from fpdb import database
from fpdb.checked_calls import check_path, checked, checked_methods
from fpdb.database import Database
from fpdb.documents.document import TextLookup
from fpdb.documents.source_access import source_roots, sources_of
from fpdb.errors import BadArgument, RecipeMismatch
from fpdb.search.searchable import Searchable
from fpdb.search.searcher import Searcher
from fpdb.storage.multi_snapshot import MultiSnapshot, MultiSnapshotCache


@checked
def open_all(
    paths: Iterable[str | os.PathLike[str]],
    *,
    timeout: float = 10.0,
    key_file: str | os.PathLike[str] | None = None,
    sources: Iterable[str | os.PathLike[str]] | None = None,
    foreign: bool = False,
    immutable: bool = False,
) -> MultiDatabase:
    """Open databases of one recipe, to be read and queried together; the other arguments are those of `fpdb.open`.

    Raises what `fpdb.open` raises; RecipeMismatch; BadArgument: no database is given, or one is given twice.
    """
    if isinstance(paths, str | bytes | os.PathLike):
        raise BadArgument(f"paths are several: give [{os.fspath(paths)!r}]")
    roots = None if sources is None else source_roots(sources)
    opened = partial(
        database.open, timeout=timeout, key_file=key_file, sources=roots, foreign=foreign, immutable=immutable
    )
    seen = set()
    with ExitStack() as stack:
        databases: dict[str, Database] = {}
        for path in paths:
            name = check_path(path, "a path")
            if os.path.realpath(name) in seen:  # which a process may not open twice
                raise BadArgument(f"the database {name!r} is given twice")
            seen.add(os.path.realpath(name))
            databases[name] = stack.enter_context(opened(name, "r"))
        combined = MultiDatabase(databases)
        stack.pop_all()
    return combined


@cache
def open_for_worker(
    names: tuple[str, ...],
    paths: tuple[str, ...],
    roots: tuple[tuple[str, ...] | None, ...],
    immutable: tuple[bool, ...],
) -> Database | MultiDatabase:
    """Open one or several databases in a worker process, to be read for as long as it lives.

    names: what answers call them. paths: real paths. roots: of each, see `SourceAccess`. immutable: of each, see
    `fpdb.open`.
    """
    databases = dict(zip(names, map(database.open_for_worker, paths, roots, immutable), strict=True))
    return MultiDatabase(databases) if len(databases) > 1 else databases[names[0]]


@checked_methods
class MultiDatabase(Searchable):
    """Several open databases, by any names, as one that holds the documents of all; made by `fpdb.open_all`.

    `query` and `query_fingerprints` answer what that one would, and say in each match's `database` where the document
    is. Document frequencies, weights and caps count all documents, and boilerplate of one is boilerplate for all. Two
    documents of one name in two databases are two documents; the query itself, known by name and content, is left out
    of each.
    """

    def __init__(self, databases: Mapping[str, Database]) -> None:
        """Combine open databases. Raises RecipeMismatch; BadArgument if none is given."""
        self.databases = dict(databases)
        if not self.databases:
            raise BadArgument("give at least one database")
        first, *others = self.databases.values()
        for other in others:
            first.check_recipe(other)
            if (first.recipe.max_df, first.recipe.max_ignored) != (other.recipe.max_df, other.recipe.max_ignored):
                raise RecipeMismatch(f"{first.path!r} and {other.path!r} have different max_df or max_ignored")
        self.recipe = first.recipe
        self._names = list(self.databases)
        self._sources = [each.sources for each in self.databases.values()]
        self._cache = MultiSnapshotCache()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as the databases do, see `Database`."""
        return MultiDatabase, (self.databases,)

    def __repr__(self) -> str:
        """Return the databases, on one line."""
        return f"<MultiDatabase of {list(self.databases.values())!r}>"

    def close(self) -> None:
        """Close all of them; closing twice is harmless."""
        for each in self.databases.values():
            each.close()

    @contextmanager
    def searcher(self, texts: TextLookup | None = None) -> Iterator[Searcher]:
        """Open what answers queries by the documents as they are now, see `Searchable.searcher`."""
        with ExitStack() as stack:
            snapshots = [stack.enter_context(each.snapshot()) for each in self.databases.values()]
            reader = MultiSnapshot(snapshots, self._cache)
            open_sources = partial(sources_of, self._sources, texts, reader.store_of)
            yield Searcher(
                self.recipe, reader, open_sources, lambda document_id: self._names[reader.store_of(document_id)]
            )

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of all of them."""
        return tuple(each.path for each in self.databases.values())

    def opener(self) -> Callable[[], Database | MultiDatabase]:
        """Return a function that opens the same databases in a worker process, see `Searchable.opener`."""
        paths, roots = zip(*self._sources, strict=True)
        immutable = tuple(each.immutable for each in self.databases.values())
        return partial(open_for_worker, tuple(self._names), paths, roots, immutable)
