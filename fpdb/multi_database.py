"""MultiDatabase: several databases asked as one that holds the documents of all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Self, cast

from fpdb import database
from fpdb.database import Database
from fpdb.documents import Document, sources_of
from fpdb.errors import RecipeMismatch
from fpdb.regions.sources import Sources
from fpdb.search.ranking import Ranked
from fpdb.search.searchable import Searchable
from fpdb.storage.multi_snapshot import MultiSnapshot, MultiSnapshotCache
from fpdb.storage.reader import Reader


def open_all(
    paths: Iterable[str | os.PathLike[str]],
    *,
    timeout: float = 10.0,
    key_file: str | os.PathLike[str] | None = None,
) -> MultiDatabase:
    """Opens databases of one recipe, to be read and asked together. timeout, key_file: as for `fpdb.open`. Raises what
    that raises; RecipeMismatch, ValueError: there are none, or one is given twice."""
    seen = set()
    with ExitStack() as stack:
        found: dict[str, Database] = {}
        for path in paths:
            name = os.fspath(path)
            if os.path.realpath(name) in seen:  # which a process may not open twice
                raise ValueError(f"the database {name!r} is given twice")
            seen.add(os.path.realpath(name))
            found[name] = stack.enter_context(database.open(name, "r", timeout=timeout, key_file=key_file))
        shards = MultiDatabase(found)
        stack.pop_all()
    return shards


class MultiDatabase(Searchable):
    """Several open databases, by any names, as one that holds the documents of all of them: `query` and
    `query_fingerprints` answer what that one would, and say in each match's `database` where the document is. Made by
    `fpdb.open_all`, which names them by their paths.

    Frequencies, weights and caps go by all documents together, and boilerplate of one is boilerplate for all. Two
    documents of one name in two databases are two documents; the query itself, known by name and content, is left out
    of each.
    """

    def __init__(self, databases: Mapping[str, Database]) -> None:
        """Raises RecipeMismatch; ValueError where there are none."""
        self.databases = dict(databases)
        if not self.databases:
            raise ValueError("give at least one database")
        first, *others = self.databases.values()
        for other in others:
            first.check_recipe(other)
            if (first.recipe.max_df, first.recipe.max_ignored) != (other.recipe.max_df, other.recipe.max_ignored):
                raise RecipeMismatch(f"{first.path!r} and {other.path!r} have different max_df or max_ignored")
        self.recipe = first.recipe
        self._names = list(self.databases)
        self._cache = MultiSnapshotCache()

    def close(self) -> None:
        """Closes all of them; closing twice is harmless."""
        for one in self.databases.values():
            one.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _snapshot(self) -> AbstractContextManager[Reader]:
        return self._together()

    @contextmanager
    def _together(self) -> Iterator[MultiSnapshot]:
        with ExitStack() as stack:
            views = [stack.enter_context(one._snapshot()) for one in self.databases.values()]
            yield MultiSnapshot(views, self._cache)

    def _sources(self, texts: Callable[[Document], str | bytes | None] | None = None) -> Sources:
        return sources_of([one.path for one in self.databases.values()], texts)

    def _placed(self, view: Reader, ranked: Ranked) -> Ranked:
        together = cast(MultiSnapshot, view)  # as `_snapshot` makes it
        names = [self._names[together.store_of(document)] for document in ranked.documents]
        matches = [match._replace(database=name) for match, name in zip(ranked.answer.matches, names, strict=True)]
        return ranked._replace(answer=replace(ranked.answer, matches=matches))
