"""Database: an open file, and what is done with it as a whole.

Queries, listings, comparisons, reports and changes are methods of its base classes `Searchable`, `StoredDocuments`,
`Comparable`, `Reportable` and `Writable`, each in the package of its use case.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, BinaryIO
from weakref import WeakValueDictionary

from fpdb import database_file
from fpdb.checked_calls import check_timeout, checked, checked_methods
from fpdb.documents.document import Document, TextLookup
from fpdb.documents.listing import list_gone
from fpdb.documents.source_access import SourceAccess, pass_on_roots, source_roots, sources_of
from fpdb.errors import BadArgument, BadKeyFile, Error
from fpdb.fingerprint import Recipe
from fpdb.ingest.writable import Writable
from fpdb.options import Mode, OnCollision
from fpdb.recipe_record import StoredRecipe
from fpdb.report.reportable import Reportable
from fpdb.search.searcher import Searcher
from fpdb.storage import file_format
from fpdb.storage.environment.forking import ThreadLock
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.store import Store

if TYPE_CHECKING:
    from fpdb.ingest.batch import WriteBatch
    from fpdb.ingest.existing import Status


# Hides the builtin in this module only, which does not use it; users write fpdb.open, as they write gzip.open.
@checked
def open(  # noqa: A001, PLR0913 (fpdb.open is the name, and its options are independent)
    path: str | os.PathLike[str],
    mode: Mode = "a",
    *,
    recipe: Recipe | None = None,
    timeout: float = 10.0,
    key_file: str | os.PathLike[str] | None = None,
    sources: Iterable[str | os.PathLike[str]] | None = None,
    foreign: bool = False,
    immutable: bool = False,
) -> Database:
    """Open the database at path.

    Args:
        path: The file.
        mode: "r" reads a database, "r+" changes it, "a" also creates one, "x" creates one where there is none.
        recipe: The recipe of a new database, by default the preset "text"; an existing one must have this recipe.
        timeout: Seconds to wait for another writer.
        key_file: The file that holds the key, made by `keys.create`, of a database that is or was created with it.
            Without it, adding documents and querying by content raise MissingKey.
        sources: Files and folders below which the files that documents came from are read, for regions and the like; by
            default those from which this user added documents by `fpdb add`, see docs/guide/sources.md.
        foreign: The database comes from somebody else: it is only read, after `fpdb.check` of all of it in a
            subprocess, and by default no sources are read.
        immutable: In mode "r", read without a lock a file that nobody writes to, such as one on a read-only medium.
            Calls that find that the file has changed raise StorageFailure.

    Raises:
        Error: NoSuchDatabase, DatabaseExists, NotADatabase, NewerFormat, RecipeMismatch, BadKeyFile, Corrupt,
            Locked or StorageFailure.
    """
    check_timeout(timeout)
    if immutable and mode != "r":
        raise BadArgument("an immutable database can only be read: open it in mode 'r'")
    path = os.fspath(path)
    roots = None if sources is None else source_roots(sources)
    if foreign:
        if mode in ("r+", "x"):
            raise BadArgument("a foreign database is opened for reading only")
        mode, roots = "r", roots or ()
        database_file.refuse_damage(path, immutable)
    if mode == "x" or (mode == "a" and not os.path.lexists(path)):
        database_file.create(path, recipe or Recipe.preset(), key_file, is_shared=mode == "a")
    store = Store(path, readonly=mode == "r", timeout=timeout, immutable=immutable)
    try:
        return Database(store, recipe, key_file, roots)
    except BaseException:
        store.close()
        raise


_open_here: WeakValueDictionary[tuple[int, str], Database] = WeakValueDictionary()
"""The databases that a process has open, by its number and their paths: a forked child has none of its parent's."""
_opening = ThreadLock()


def _reopen(path: str, options: Mapping[str, Any]) -> Database:
    """Return a database that was sent to this process, see `Database.__reduce__`."""
    with _opening:
        database = _open_here.get((os.getpid(), path))
        return open(path, **options) if database is None else database


@cache
def open_for_worker(path: str, roots: tuple[str, ...] | None, immutable: bool) -> Database:
    """Open a database in a worker process, to be read for as long as it lives; by its real path."""
    return open(path, "r", sources=roots, immutable=immutable)


@checked
def import_(path: str | os.PathLike[str], file: BinaryIO, *, timeout: float = 10.0) -> dict[Status, int]:
    """Add the documents of an export, see `Database.export`, to the database at path, which is created if need be.

    Documents of the same names are replaced. Returns how many were added, replaced, updated and unchanged. Raises
    RecipeMismatch; BadExport, which names the line: the documents before it are in the database, and an import can be
    repeated.
    """
    from fpdb.exchange.jsonl_import import JsonlImport

    incoming = JsonlImport(file)
    with open(path, "a", recipe=incoming.recipe, timeout=timeout) as db, db.bulk():
        return incoming.add_to(db.batch)


@checked_methods
class Database(Reportable, Writable):
    """An open database; made by `fpdb.open`. One object serves many threads, and no forked child.

    Every method raises Corrupt if the file is damaged; one that reads contents or kept texts raises MissingPackage if
    what unpacks or reads them is not installed.

    Attributes:
        path: The file.
        immutable: Whether it is read without a lock, since nobody writes to it.
        recipe: How documents become fingerprints.
        needs_key_file: Whether the key is in a file of its own.
        key_exposed: Whether others than its owner may read the key file.
        sources: The files below which the files that documents came from are read.
    """

    def __init__(
        self,
        store: Store,
        recipe: Recipe | None,
        key_file: str | os.PathLike[str] | None,
        roots: tuple[str, ...] | None,
    ) -> None:
        """Take over an open store, which must have the recipe, if it is given; roots: see `SourceAccess`."""
        self._store = store
        self._key_file = None if key_file is None else os.path.abspath(key_file)
        self.path = store.path
        self.sources = SourceAccess(self.path, roots)
        self.immutable = store.env.immutable
        self._stored_recipe = StoredRecipe.from_record(store.recipe, self.path, key_file)
        if recipe is not None:
            self._stored_recipe.check_given(recipe, self.path)
        self.recipe = self._stored_recipe.recipe
        self.needs_key_file = self._stored_recipe.key_digest is not None
        self.key_exposed = self._stored_recipe.key_exposed
        _open_here[os.getpid(), self.path] = self

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process by the path: there, the file is opened anew, or shared if it is open already."""
        env = self._store.env
        options = {"mode": "r" if env.readonly else "r+", "timeout": env.timeout, "key_file": self._key_file}
        return _reopen, (self.path, options | {"sources": self.sources.roots, "immutable": self.immutable})

    def __repr__(self) -> str:
        """Return the path, the number of documents and the mode, on one line."""
        try:
            with self.snapshot() as snapshot:
                count, boilerplate = snapshot.state.documents, snapshot.state.boilerplate_documents
            documents = f"{count:,} document{'s' if count != 1 else ''}"
            documents += f" and {boilerplate:,} of boilerplate" if boilerplate else ""
        except Error as error:
            documents = f"not to be read: {error}"
        mode = ", read-only" if self._store.env.readonly else ""
        return f"<Database {self.path!r}: {documents}{mode}>"

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        _open_here.pop((os.getpid(), self.path), None)
        self._store.close()

    @property
    def paths(self) -> tuple[str]:
        """The file, as the only one."""
        return (self.path,)

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Open the latest commit to read from."""
        return self._store.snapshot()

    @contextmanager
    def searcher(self, texts: TextLookup | None = None) -> Iterator[Searcher]:
        """Open what answers queries by the documents as they are now, see `Searchable.searcher`."""
        with self.snapshot() as snapshot:
            yield Searcher(self.recipe, snapshot, partial(sources_of, [self.sources], texts))

    def opener(self) -> Callable[[], Database]:
        """Return a function that opens the database in a worker process, see `Searchable.opener`."""
        return partial(open_for_worker, self.path, self.sources.roots, self.immutable)

    @contextmanager
    def batch(self) -> Iterator[WriteBatch]:
        """Collect changes, and commit them together when the block ends; an exception in the block undoes them all."""
        from fpdb.ingest.batch import WriteBatch

        with self.snapshot() as snapshot:
            batch = WriteBatch(self.recipe, snapshot)
            try:
                yield batch
            finally:
                change = batch.end()
        # The snapshot is closed before committing: it would keep old pages from being used again.
        if change.documents or change.columns or change.updates or change.removals or change.texts:
            self._store.commit(change)

    def bulk(self) -> AbstractContextManager[None]:
        """Put off merging, which slows queries, until the block ends, while many batches follow each other.

        Each commit is durable and seen at once. After an error, the next commit merges.
        """
        return self._store.bulk()

    def rename(self, name: str, new_name: str) -> None:
        """Give a document another name, durably; the reviews of its pairs go with it, see `fpdb.pairs.reviews`.

        Raises NoSuchDocument; NameTaken: there is one of the new name.
        """
        from fpdb.pairs.reviews import Reviews
        from fpdb.storage.commit import Change

        renames = [(file_format.name_bytes(name), file_format.name_bytes(new_name))]
        reviews = Reviews(self.path)
        reviews.latest()  # raises before anything is changed
        self._store.commit(Change(renames=renames))
        reviews.rename(name, new_name)

    def prune(self, *, remove: bool = False) -> list[Document]:
        """Return the documents, by name, whose files are gone, and remove them if asked.

        Only files below the paths whose sources are read are looked for, see `open`; an archive that is there may have
        lost a document nevertheless. Where a disk is not mounted, all of its files are gone.
        """
        with self.snapshot() as snapshot:
            gone = list_gone(snapshot, sources_of([self.sources]))
        if remove:
            with self.batch() as batch:
                for document in gone:
                    batch.remove(document.name)
        return gone

    def merge(self, other: Database, *, prefix: str = "", on_collision: OnCollision = "refuse") -> dict[str, int]:
        """Add all documents of another database of the same recipe, in order, without fingerprinting them again.

        Other writers wait meanwhile; readers see the documents come in by batches. It takes some 60 bytes of memory a
        document. If it is killed, the database is sound, and merging again goes on from there.

        Args:
            other: The other database.
            prefix: Is put before the documents' names.
            on_collision: If a document of the name has another content: "refuse" all documents, "skip" this one, or
                "replace" what is there. A document of the same kind and digest is unchanged.

        Returns:
            How many documents were added, replaced, unchanged and skipped.

        Raises:
            Error: RecipeMismatch, NameTaken, BadName: nothing has changed; ReadOnly, Locked, StorageFailure.
        """
        if other.path == self.path:
            raise Error(f"{self.path!r} cannot be merged with itself; give another database")
        from fpdb.exchange.merge_database import merge

        self.check_recipe(other)
        with other.snapshot() as snapshot:
            counts = merge(self._store, snapshot, file_format.name_bytes(prefix) if prefix else b"", on_collision)
            pass_on_roots(snapshot.file_id(), self._file_id())
        return counts

    def adopt(
        self, folder: str | os.PathLike[str], *, prefix: str = "", on_collision: OnCollision = "refuse"
    ) -> dict[str, int]:
        """Add the documents of a folder of Parquet that Spark wrote, see docs/design/adopt-format.md.

        Arguments, result and errors are those of `merge`; BadFolder: the folder is wrong, and nothing has changed.
        """
        from fpdb.exchange.parquet_import import ImportFolder, adopt

        opened = ImportFolder(os.fspath(folder))
        self._stored_recipe.check_same(StoredRecipe(opened.recipe, opened.key_digest), self.path, opened.path)
        return adopt(self._store, opened, file_format.name_bytes(prefix) if prefix else b"", on_collision)

    def check_recipe(self, other: Database) -> None:
        """Raise RecipeMismatch if another database has other fingerprints than this one, and say why."""
        self._stored_recipe.check_same(other._stored_recipe, self.path, other.path)

    def remember_sources(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        """Remember that this user may have sources at or below these paths read, as `fpdb add` does.

        Raises BadArgument for an empty path.
        """
        from fpdb.regions.remembered_roots import remember

        remember(self._file_id(), source_roots(paths))

    def _file_id(self) -> bytes:
        with self.snapshot() as snapshot:
            return snapshot.file_id()

    def info(self) -> dict[str, Any]:
        """Return figures of the whole database: numbers, strings, lists and dicts, without the recipe's key.

        free_bytes: of the file, which later commits use unless a reader holds them. readers: the transactions that read
        it now, the oldest commit first; their process ids are those of the PID namespace, if they are of the same one.
        """
        return database_file.figures(self._store, self._stored_recipe)

    def check(self) -> list[str]:
        """Verify everything; return what is wrong, a sentence each.

        Kept texts that no installed package unpacks are checked by their checksums alone. Damage can end this process,
        as in any other reading: `fpdb.check` works in another.
        """
        from fpdb.storage.maintenance.check import problems

        return problems(self._store)

    def export(self, file: BinaryIO, *, texts: bool = False) -> int:
        """Write all documents with their fingerprints as lines of JSON, which `fpdb.import_` reads; return how many.

        See docs/design/export-format.md. texts: write kept texts, too. Holds up to 8 million postings in memory, and
        reads all postings once for each 8 million. Raises OSError; BadKeyFile if the key is in a file of its own.
        """
        if self.needs_key_file:
            raise BadKeyFile(
                f"the key of {self.path!r} is in a file of its own, and an export would give it away: copy the "
                "database with 'fpdb backup' instead"
            )
        from fpdb.exchange.jsonl_export import export

        with self.snapshot() as snapshot:
            return export(snapshot, self.recipe, file, texts=texts)

    def compact(self) -> None:
        """Rewrite the file without what was removed or merged, and give the space back. Readers go on."""
        file_id = self._file_id()
        self._store.compact()
        pass_on_roots(file_id, self._file_id())

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a consistent copy to a new file, while others read and write. Raises DatabaseExists."""
        copy_id = self._store.backup(os.fspath(path))
        pass_on_roots(self._file_id(), copy_id)
