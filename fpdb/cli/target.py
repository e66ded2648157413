"""The database that a command works on, and its errors."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from fpdb.cli.terminal import say
from fpdb.errors import BadQuery, BadRecipe, NoSuchDocument, UnknownKind, Unreadable

if TYPE_CHECKING:
    from fpdb import Database, MultiDatabase
    from fpdb.fingerprint import Recipe
    from fpdb.ingest.files import DatabaseFiles

OWN_SUFFIXES = ("", "-lock", "-writer", "-merge")
"""Suffixes of the files that make a database."""
FILE_SUFFIXES = (*OWN_SUFFIXES, "-reviews")
"""Suffixes of the files of a database, and of what people wrote about it."""


@dataclass(frozen=True)
class Target:
    """The options before the command.

    Attributes:
        path: The database.
        timeout: Seconds to wait for another writer.
        key_file: The file with the key.
        paths: The databases that were named; a query may have several.
        sources: The files and folders that were named, below which sources are read.
        foreign: Whether the databases come from somebody else.
        immutable: Whether nobody writes to the databases, so that they are read without a lock.
    """

    path: str
    timeout: float
    key_file: str | None = None
    paths: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    foreign: bool = False
    immutable: bool = False

    def open(self, mode: Literal["r", "r+", "a", "x"], recipe: "Recipe | None" = None) -> "Database":
        """Open the database in a mode of `fpdb.open`; warn if others can read its key. Raises click.UsageError."""
        import fpdb

        if mode != "r":
            self.check_may_change()
        db = fpdb.open(self.path, mode, recipe=recipe, **self._options())
        self._warn_of_exposed_key(db)
        return db

    def open_all(self) -> "MultiDatabase":
        """Open all databases that were named, for queries."""
        import fpdb

        try:
            databases = fpdb.open_all(self.paths, **self._options())
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        self._warn_of_exposed_key(next(iter(databases.databases.values())))
        return databases

    def check_may_change(self) -> None:
        """Raise click.UsageError if the database is only read."""
        if self.foreign:
            raise click.UsageError("--foreign is for commands that only read; this one changes the database")
        if self.immutable:
            raise click.UsageError("--immutable is for commands that only read; this one changes the database")

    def roots(self) -> tuple[str, ...] | None:
        """Return the absolute paths of `sources`; None for those that are remembered."""
        from fpdb.documents.source_access import source_roots

        return source_roots(self.sources) if self.sources or self.foreign else None

    def _options(self) -> dict[str, Any]:
        return {
            "timeout": self.timeout,
            "key_file": self.key_file,
            "sources": self.sources or None,
            "foreign": self.foreign,
            "immutable": self.immutable,
        }

    def _warn_of_exposed_key(self, db: "Database") -> None:
        if db.key_exposed:
            say(f"warning: others can read the key in {self.key_file}; chmod 600 takes that away")

    def database_files(self) -> "DatabaseFiles":
        """Return the files of the databases, and the key file: they are not documents."""
        from fpdb.ingest.files import DatabaseFiles

        files = (os.path.realpath(path) + suffix for path in (self.path, *self.paths) for suffix in FILE_SUFFIXES)
        return DatabaseFiles.of(files, () if self.key_file is None else (self.key_file,))


def default_path() -> str:
    """Return the database to use if none is named."""
    return os.environ.get("FPDB_DB") or "corpus.fpdb"


def output_path(context: click.Context, _: click.Parameter, path: str | None) -> str | None:
    """Check the path of an output file, as a click callback: it must not be the database."""
    target = context.obj
    if path is not None and isinstance(target, Target):
        database = os.path.realpath(target.path)
        if os.path.realpath(path) in [database + suffix for suffix in FILE_SUFFIXES]:
            raise click.UsageError(f"{path!r} is the database itself; write to another file")
    return path


def read_document(db: "Database", target: Target, name: str, kind: str) -> tuple[bytes | str, str]:
    """Return the content and the kind of a document in the database, or else of a file.

    Raises:
        NoSuchDocument: There is neither.
        Unreadable, ContentChanged, MissingPackage, OSError: It cannot be read.
    """
    from fpdb.cli.similar_names import suggestion
    from fpdb.ingest.discover import discover
    from fpdb.ingest.files import Skipped, read_content

    if name in db:
        return db.original(name), db.document(name).kind
    if not os.path.isfile(name):
        hint = suggestion(db, name)
        raise NoSuchDocument(f"no document in {db.path} is named {name}, and there is no such file{hint}")
    for source in discover((name,), kind=kind, exclude=target.database_files()):
        if isinstance(source, Skipped):
            raise Unreadable(f"{name}: {source.reason}")
        return read_content(source), kind
    raise Unreadable(f"{name}: there is nothing in it")


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn errors in a recipe, a kind or a query into errors of usage, with exit status 2."""
    try:
        yield
    except (BadQuery, BadRecipe, UnknownKind) as error:
        raise click.UsageError(str(error)) from None
