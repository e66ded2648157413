"""Database: a table of contents of what can be done with a database, a stage a line."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar, Unpack, cast
from weakref import WeakValueDictionary

import numpy as np

from fpdb.checked_calls import check_names, check_seconds, checked, checked_methods
from fpdb.documents import (
    Document,
    Documents,
    SourceAccess,
    TextLookup,
    document_of,
    find_document,
    list_documents,
    list_names,
    names_of_boilerplate_only,
    pass_on_roots,
    source_roots,
    sources_of,
)
from fpdb.errors import BadArgument, BadKeyFile, BadName, BadQuery, Corrupt, DatabaseExists, Error
from fpdb.fingerprint import AUTO, DEFAULT_KEY, Recipe
from fpdb.options import (
    AddKeywords,
    ExplainKeywords,
    FileKeywords,
    HashKeywords,
    HashRankingKeywords,
    HeadingKeywords,
    Mode,
    OnCollision,
    PairKeywords,
    QueryKeywords,
    SpanKeywords,
)
from fpdb.recipe_record import StoredRecipe, recipe_record
from fpdb.search.options import COVERED, ContentOptions
from fpdb.search.query_fingerprints import QueryDocument
from fpdb.search.searchable import Searchable
from fpdb.search.searcher import Searcher
from fpdb.storage import file_format
from fpdb.storage.environment.forking import ThreadLock
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.store import Store

if TYPE_CHECKING:
    from fpdb.arrays import U32, U64
    from fpdb.ingest.batch import Status, WriteBatch
    from fpdb.ingest.prepare import Integers
    from fpdb.pairs.clusters import Cluster
    from fpdb.pairs.common_passages import CommonPassage
    from fpdb.pairs.dedup import Drop
    from fpdb.pairs.explanation import Explanation
    from fpdb.pairs.options import Watch
    from fpdb.pairs.ranking import Pair
    from fpdb.pairs.results import Comparison, Results
    from fpdb.pairs.spans import Span
    from fpdb.regions.sources import Contents
    from fpdb.report.contents import Limits
    from fpdb.report.pair_view import PairView
    from fpdb.report.report import Report
    from fpdb.search.results import Answer

T = TypeVar("T")
POSTINGS_PER_COMMIT: Final = 1 << 25
"""Of documents that come as columns."""


# Hides the builtin in this module only, which does not use it; users write fpdb.open, as they write gzip.open. The
# options are independent of each other, and each call names the one or two that it needs.
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
    check_seconds(timeout, "timeout")
    if immutable and mode != "r":
        raise BadArgument("an immutable database can only be read: open it in mode 'r'")
    path = os.fspath(path)
    roots = None if sources is None else source_roots(sources)
    if foreign:
        if mode in ("r+", "x"):
            raise BadArgument("a foreign database is opened for reading only")
        mode, roots = "r", roots or ()
        _check_foreign(path, immutable)
    if mode == "x" or (mode == "a" and not os.path.lexists(path)):
        record = recipe_record(recipe or Recipe.preset(), key_file)
        try:
            Store.create(path, record)
        except DatabaseExists:
            if mode == "x":
                raise
    store = Store(path, readonly=mode == "r", timeout=timeout, immutable=immutable)
    try:
        return Database(store, recipe, key_file, roots)
    except BaseException:
        store.close()
        raise


_open_here: WeakValueDictionary[tuple[int, str], Database] = WeakValueDictionary()
"""The databases that a process has open, by its number and their paths: a forked child has none of its parent's."""
_opening = ThreadLock()


def _reopen(
    path: str, mode: Mode, timeout: float, key_file: str | None, roots: tuple[str, ...] | None, immutable: bool
) -> Database:
    """Return a database that was sent to this process, see `Database.__reduce__`."""
    with _opening:
        database = _open_here.get((os.getpid(), path))
        if database is not None:
            return database
        return open(path, mode, timeout=timeout, key_file=key_file, sources=roots, immutable=immutable)


def _check_foreign(path: str, immutable: bool) -> None:
    """Raise Corrupt if anything in a database is wrong."""
    from fpdb.maintenance import check

    problems = check(path, immutable=immutable).problems
    if problems:
        raise Corrupt(f"{path!r} was not opened, as it is damaged or forged: {problems[0]}; see 'fpdb check'")


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
class Database(Searchable):
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
        recipe: Recipe | None = None,
        key_file: str | os.PathLike[str] | None = None,
        roots: tuple[str, ...] | None = None,
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
        mode: Mode = "r" if self._store.env.readonly else "r+"
        timeout, roots = self._store.env.timeout, self.sources.roots
        return _reopen, (self.path, mode, timeout, self._key_file, roots, self.immutable)

    def __repr__(self) -> str:
        """Return the path, the number of documents and the mode, on one line."""
        try:
            documents = f"{len(self):,} documents"
        except Error as error:
            documents = f"not to be read: {error}"
        mode = ", read-only" if self._store.env.readonly else ""
        return f"<Database {self.path!r}: {documents}{mode}>"

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        _open_here.pop((os.getpid(), self.path), None)
        self._store.close()

    # ------------------------------------------------------------ documents in and out

    def add(self, name: str, content: str | bytes, **options: Unpack[AddKeywords]) -> Status:
        """Add a document, or replace the one of this name, durably; see `WriteBatch.add`."""
        with self.batch() as batch:
            return batch.add(name, content, **options)

    def add_fingerprints(
        self, name: str, hashes: Integers, positions: Integers | None = None, **options: Unpack[HashKeywords]
    ) -> Status:
        """Add a document of the caller's own hashes, durably; see `WriteBatch.add_fingerprints`."""
        with self.batch() as batch:
            return batch.add_fingerprints(name, hashes, positions, **options)

    def add_columns(  # noqa: PLR0913 (independent columns, of which a call names a few)
        self,
        names: Any,
        offsets: Integers,
        hashes: Integers,
        positions: Integers | None = None,
        labels: Mapping[str, Any] | None = None,
        *,
        kind: str | None = None,
        boilerplate: bool | None = None,
    ) -> dict[Status, int]:
        """Add many documents of the caller's own hashes, durably, see `WriteBatch.add_columns`.

        They come in by commits of some 34 million postings, each of which is written once, and which take 1.2 GB of
        memory beside the columns. If it is interrupted, the documents that are there are whole, and adding all again
        goes on from there. To commit fewer at once, call it in `bulk` with fewer.
        """
        from fpdb.ingest.hash_columns import HashColumns

        columns = HashColumns.of(names, offsets, hashes, positions, labels, copy=False)
        counts: Counter[Status] = Counter({"added": 0, "replaced": 0, "updated": 0, "unchanged": 0})
        with self.bulk():
            for part in columns.parts(POSTINGS_PER_COMMIT):
                with self.batch() as batch:
                    counts.update(batch.put_columns(part, kind, boilerplate))
        return dict(counts)

    def fingerprints(self, name: str) -> tuple[U64, U32 | None]:
        """Return the hashes that are stored of a document, and their positions; both shape (n,), sorted by position.

        Positions are None if none is stored; 2**32 - 1 stands for one that is missing. Reads all of the document's run.
        Raises NoSuchDocument.
        """
        from fpdb.storage.posting_scan import scan_documents

        with self.snapshot() as snapshot:
            document_id, _ = find_document(snapshot, name)
            ((_, hashes, encoded),) = scan_documents(snapshot, np.array([document_id], np.uint32))
        if not encoded.any():
            return hashes, None
        positions = encoded - np.uint32(1)
        order = np.lexsort((hashes, positions))
        return hashes[order], positions[order]

    def add_file(
        self, path: str | os.PathLike[str], *, name: str | None = None, **options: Unpack[FileKeywords]
    ) -> Status:
        """Add the document in a file, durably, as `fpdb add PATH` does; see `WriteBatch.add`.

        Args:
            path: The file. It is the document's source, and may be read again for regions, see `remember_sources`.
            name: The document's name, by default the path without empty and `.` parts.
            options: See `WriteBatch.add`; the kind is told by name and content unless it is given.

        Raises:
            Error: Unreadable: The path is not that of a document; what `WriteBatch.add` raises.
        """
        from fpdb.ingest.discover import read_one_file
        from fpdb.ingest.files import document_name

        if options.get("if_absent") and (document_name(os.fspath(path)) if name is None else name) in self:
            return "unchanged"
        document, content = read_one_file(
            os.fspath(path), name, options.get("kind", AUTO), self.paths, options.get("encoding")
        )
        self.remember_sources([path])
        return self.add(document.name, content, source=document.source, **options)

    def rotate(self, name: str, content: str | bytes, *, rotation: int | None = None) -> int:
        """Store another subset of a document's search fingerprints, durably; see `WriteBatch.rotate`."""
        with self.batch() as batch:
            return batch.rotate(name, content, rotation=rotation)

    def rename(self, name: str, new_name: str) -> None:
        """Give a document another name, durably. Raises NoSuchDocument; NameTaken: there is one of the new name."""
        from fpdb.storage.commit import Change

        renames = [(file_format.name_bytes(name), file_format.name_bytes(new_name))]
        self._store.commit(Change(renames=renames))

    def prune(self, *, remove: bool = False) -> list[Document]:
        """Return the documents, by name, whose files are gone, and remove them if asked.

        Only files below the paths whose sources are read are looked for, see `open`; an archive that is there may have
        lost a document nevertheless. Where a disk is not mounted, all of its files are gone.
        """
        with self.snapshot() as snapshot:
            sources = sources_of([self.sources])
            gone = [
                document_of(document_id, record)
                for document_id, record in snapshot.catalogue.all_records()
                if sources.is_gone(snapshot, document_id, record)
            ]
        if remove:
            with self.batch() as batch:
                for document in gone:
                    batch.remove(document.name)
        return sorted(gone, key=lambda document: file_format.name_bytes(document.name))

    def remove(self, name: str) -> None:
        """Remove a document. Raises NoSuchDocument."""
        with self.batch() as batch:
            batch.remove(name)

    @contextmanager
    def batch(self) -> Iterator[WriteBatch]:
        """Collect changes, and commit them together when the block ends; an exception in the block undoes them all."""
        from fpdb.ingest.batch import WriteBatch

        with self.snapshot() as snapshot:
            batch = WriteBatch(self.recipe, snapshot)
            yield batch
        # The snapshot is closed before committing: it would keep old pages from being used again.
        change = batch.change()
        if change.documents or change.columns or change.updates or change.removals or change.texts:
            self._store.commit(change)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Put off merging, which slows queries, until the block ends, while many batches follow each other.

        Each commit is durable and seen at once. After an error, the next commit merges.
        """
        with self._store.bulk():
            yield

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

    # ------------------------------------------------------------ sources

    def remember_sources(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        """Remember that this user may have sources at or below these paths read, as `fpdb add` does.

        Raises BadArgument for an empty path.
        """
        from fpdb.regions.remembered_roots import remember

        remember(self._file_id(), source_roots(paths))

    def _file_id(self) -> bytes:
        with self.snapshot() as snapshot:
            return snapshot.file_id()

    # ------------------------------------------------------------ queries

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

    def query_stored(self, name: str, *, texts: TextLookup | None = None, **options: Unpack[QueryKeywords]) -> Answer:
        """Find the documents that share text with a stored one, see `query`; it is left out unless include_self.

        If its content cannot be read, the hashes that are stored are asked for, as by `query_fingerprints`. Raises
        NoSuchDocument; Unreadable: the content cannot be read, and options are given that need it.
        """
        with self.snapshot() as snapshot:
            document_id, record = find_document(snapshot, name)
            content = sources_of([self.sources], texts).find(snapshot, document_id, record).content
        if content is not None:
            options.setdefault("encoding", document_of(document_id, record).encoding)
            return self.query(content, name=name, kind=record.kind, texts=texts, **options)
        ranking: Any = {key: value for key, value in options.items() if key in HashRankingKeywords.__annotations__}
        if options.get("regions") or options.get("window") or ranking.get("by") in COVERED:
            self.original(name)  # raises an error that says why it cannot be read
        digest = None if options.get("include_self") else record.digest
        return self.query_fingerprints(
            self.fingerprints(name)[0], name=name, kind=record.kind, digest=digest, **ranking
        )

    def pairs(  # noqa: PLR0913 (independent options, of which a call names a few)
        self,
        *,
        regions: bool = False,
        gap: int | None = None,
        shortest: int | None = None,
        texts: TextLookup | None = None,
        watch: Watch | None = None,
        document_pairs: int = 0,
        with_labels: bool = False,
        **options: Unpack[PairKeywords],
    ) -> Results[Pair]:
        """Compare all documents with all, and yield the pairs that share hashes, ranked. Raises BadQuery.

        Of hashes that are left out as common, `Results.ignored` tells how many there are, and how many documents hold
        some. Documents of the same content, and those that hold the same 16 hashes or more, are a pair whatever is left
        out as common.

        Args:
            regions: Whether pairs tell their regions.
            gap: See `query`.
            shortest: See `query`.
            texts: See `query`. The texts of documents of few fingerprints are compared, see `PairOptions.few`.
            watch: Is called now and then with a stage, what is counted in it, how many are done, and of how many.
            document_pairs: How many pairs of documents a pair of owners tells, those that share most.
            with_labels: Whether pairs of documents tell the labels of both.
            options: See `pairs.options.PairOptions`: min_shared, by, min, top, max_df, new, since, owners,
                by_owner, few, labels, names, exclude_names. The default of `by` is `Recipe.pair_measure`.
        """
        from fpdb.pairs.options import PairOptions

        options.setdefault("by", self.recipe.pair_measure)
        checked = PairOptions(**options)
        if checked.by_owner and with_labels:
            raise BadQuery("labels are of documents: leave by_owner or with_labels out")
        contents = self._contents(texts)
        if checked.by_owner and not regions and document_pairs:
            from fpdb.pairs.owner_pairs import rank_owners

            return self._compare(lambda snapshot: rank_owners(snapshot, checked, document_pairs, watch, contents))
        if not regions and not checked.regional:
            from fpdb.pairs.ranking import rank_pairs

            return self._compare_labelled(lambda snapshot: rank_pairs(snapshot, checked, watch, contents), with_labels)
        if checked.by_owner:
            raise BadQuery("regions are of two documents: leave by_owner out")
        from fpdb.pairs.coverage import pairs_by_content
        from fpdb.regions.region import RegionOptions

        region_options = RegionOptions.of(gap, shortest)
        return self._compare_labelled(
            lambda snapshot: pairs_by_content(snapshot, contents, checked, region_options, watch, regions=regions),
            with_labels,
        )

    def clusters(
        self,
        *,
        keep: str | None = None,
        texts: TextLookup | None = None,
        watch: Watch | None = None,
        **options: Unpack[PairKeywords],
    ) -> Results[Cluster]:
        """Yield the groups of documents that pairs connect, directly or through others, the largest first.

        keep: also tell which document of each is kept, see `drop_list`. texts, watch and options are those of `pairs`;
        top counts clusters, and min is 0.5 unless given or ranked by shared hashes. Raises BadQuery.
        """
        from fpdb.pairs.clusters import find_clusters
        from fpdb.pairs.options import PairOptions

        checked, contents = PairOptions(**options).connecting(), self._contents(texts)
        return self._compare(lambda snapshot: find_clusters(snapshot, checked, keep, watch, contents))

    def drop_list(
        self,
        *,
        keep: str = "first",
        direct: bool = False,
        texts: TextLookup | None = None,
        watch: Watch | None = None,
        **options: Unpack[PairKeywords],
    ) -> Results[Drop]:
        """Yield the documents to remove so that no pair that passes is left.

        `pairs` of the same options then finds nothing with max_df=0, or else as long as the same hashes are common. One
        document of each cluster stays; with new or since, only new documents are removed. Raises BadQuery.

        Args:
            keep: The document that stays: "first", the one added first; "longest", the one with the most symbols;
                "label:KEY=VALUE,VALUE2", the one whose label has the earliest of these values; ties as by "first".
            direct: Remove only documents that are a pair with one that stays: in the order in which they are kept,
                documents stay unless they are a pair with one that stays.
            texts: See `pairs`.
            watch: See `pairs`.
            options: See `clusters`; top counts documents, and by_owner makes no sense.
        """
        from fpdb.pairs.dedup import drop_list
        from fpdb.pairs.options import PairOptions

        checked = PairOptions(**options).connecting()
        drop = partial(drop_list, direct=direct, watch=watch, contents=self._contents(texts))
        return self._compare(lambda snapshot: drop(snapshot, checked, keep))

    def spans(  # noqa: PLR0913 (independent options, of which a call names the one or two that it needs)
        self,
        content: str | bytes | None = None,
        *,
        name: str | None = None,
        kind: str = "auto",
        keep: str = "first",
        shortest: int = 1,
        pad: int = 0,
        snap: bool = False,
        gap: int = 0,
        texts: TextLookup | None = None,
        watch: Watch | None = None,
        **options: Unpack[SpanKeywords],
    ) -> Results[Span]:
        """Yield the characters to cut so that no passage is left that others have too.

        They are cut from the content, of this name and kind, if it is given: what it has in common with the documents
        that `query` of these options finds. Else they are cut from the documents: of each pair that `pairs` of these
        options finds, from the one that comes later by the rule `keep`, see `drop_list`; top and by_owner make no
        sense then, and passages of hashes that max_df leaves out, see `PairOptions`, stay. shortest, pad, snap and gap
        are those of `pairs.spans.Cut`, texts and errors those of `query`.
        """
        from fpdb.pairs import spans
        from fpdb.pairs.options import PairOptions
        from fpdb.pairs.results import Results

        cut = spans.Cut(shortest, pad, snap, gap)
        if content is None:
            check_names(options, PairKeywords.__annotations__, "spans")
            checked, contents = PairOptions(**cast("PairKeywords", options)), self._contents(texts)
            return self._compare(lambda snapshot: spans.spans_of_pairs(snapshot, contents, checked, keep, cut, watch))
        check_names(options, QueryKeywords.__annotations__, "spans")
        with self.searcher(texts) as searcher:
            asked = ContentOptions.of(options | {"regions": True, "gap": gap, "shortest": 1, "repeats": True})
            ranked = searcher.rank_document(QueryDocument(name, content, kind), asked)
        return Results(lambda: spans.compare_answer(ranked.answer, ranked.query.text, cut))

    def common(
        self, *, min_df: int = 10, top: int | None = None, texts: TextLookup | None = None
    ) -> Iterator[CommonPassage]:
        """Yield passages that many documents hold, those of most documents first, each with a document that shows it.

        To discard one from now on, add its hashes as boilerplate: `db.add_fingerprints("footer", passage.hashes,
        boilerplate=True)`. min_df: the least number of documents that hold each fingerprint of a passage; top: the
        largest number of passages. Raises BadQuery.
        """
        from fpdb.pairs.common_passages import find_common_passages

        sources = sources_of([self.sources], texts)
        return self._iterate(
            lambda snapshot: find_common_passages(snapshot, self.recipe, sources, min_df=min_df, top=top)
        )

    def explain(
        self,
        a: str,
        b: str,
        *,
        contents: Mapping[str, str | bytes] | None = None,
        kind: str = "auto",
        **options: Unpack[ExplainKeywords],
    ) -> Explanation:
        """Tell why two documents are a pair, or are not. Reads all of the runs that they are in.

        Args:
            a: The name of a document.
            b: The name of another.
            contents: The contents of names that are not the database's.
            kind: The kind of these.
            options: by, min, min_shared, max_df, owners, few, labels, names and exclude_names, see `pairs`: both
                documents are among those that these choose.

        Raises:
            Error: NoSuchDocument, BadQuery, UnknownKind or Unreadable.
        """
        from fpdb.pairs.explain import explain, find_document_to_compare
        from fpdb.pairs.options import PairOptions

        checked = PairOptions(**options).told_by_hashes()
        with self.snapshot() as snapshot:
            find = partial(find_document_to_compare, snapshot, self.recipe, sources_of([self.sources]), kind=kind)
            compared = [find(name, (contents or {}).get(name)) for name in (a, b)]
            return explain(snapshot, self.recipe, compared[0], compared[1], checked)

    def pair_view(
        self,
        a: str,
        b: str,
        *,
        pair: Pair | None = None,
        texts: TextLookup | None = None,
        **options: Unpack[ExplainKeywords],
    ) -> PairView:
        """Return two documents side by side, with their regions and measures, as pages show them.

        Args:
            a: The name of a document.
            b: The name of another.
            pair: Their measures, if they are known; by default they are counted as `explain` does.
            texts: The contents of documents, see `pairs`.
            options: See `explain`.

        Raises:
            Error: NoSuchDocument, BadQuery, or Corrupt.
        """
        from fpdb.pairs.options import PairOptions
        from fpdb.report.pair_rows import Documents
        from fpdb.report.pair_view import explained_pair, view_pair

        checked = PairOptions(**options)
        if pair is None:
            pair = explained_pair(self.explain(a, b, **options))
        with self.snapshot() as snapshot:
            documents = Documents(snapshot, self.recipe, sources_of([self.sources], texts))
            return view_pair(documents, pair, checked)

    def report(
        self,
        *,
        by: str = "containment",
        connect: float | None = None,
        limits: Limits | None = None,
        texts: TextLookup | None = None,
        **heading: Unpack[HeadingKeywords],
    ) -> Report:
        """Return an empty page of evidence: fill it with `add_answer` or `add_pairs`, and write its `html`.

        by, connect, limits: see `report.Report`. heading: title, note, anonymous and so on, see `contents.Heading`.
        Raises MissingPackage, BadArgument.
        """
        from fpdb.report.report import Report

        contents = self._contents(texts)
        return Report(self._store.snapshot, contents, by=by, connect=connect, limits=limits, **heading)

    def _contents(self, texts: TextLookup | None) -> Contents:
        from fpdb.regions.sources import Contents

        return Contents(self.recipe, sources_of([self.sources], texts))

    def _iterate(self, results: Callable[[Snapshot], Iterator[T]]) -> Iterator[T]:
        """Iterate over results of the commit that is the newest when the first is asked for.

        They need no snapshot once they are there. The caller may take his time, and while a snapshot is open, no page
        that commits free can be used again.
        """
        with self.snapshot() as snapshot:
            taken = results(snapshot)
        yield from taken

    def _compare(self, compare: Callable[[Snapshot], Comparison[T]]) -> Results[T]:
        from fpdb.pairs.results import Results

        def in_snapshot() -> Comparison[T]:
            with self.snapshot() as snapshot:
                return compare(snapshot)

        return Results(in_snapshot)

    def _compare_labelled(self, compare: Callable[[Snapshot], Comparison[Pair]], labels: bool) -> Results[Pair]:
        if not labels:
            return self._compare(compare)
        from fpdb.pairs.pair_labels import with_labels

        return self._compare(lambda snapshot: with_labels(snapshot, compare(snapshot)))

    # ------------------------------------------------------------ the catalogue

    def __contains__(self, name: object) -> bool:
        """Return True if there is a document of this name, boilerplate included."""
        try:
            return isinstance(name, str) and self.digest(name) is not None
        except BadName:
            return False

    def document(self, name: str) -> Document:
        """Return a document. Raises NoSuchDocument."""
        with self.snapshot() as snapshot:
            return document_of(*find_document(snapshot, name))

    def text(self, name: str) -> bytes | None:
        """Return the bytes of a document's content, a string's as UTF-8, if it was kept. Raises NoSuchDocument."""
        with self.snapshot() as snapshot:
            return snapshot.texts.read_bytes(*find_document(snapshot, name))

    def original(self, name: str) -> str | bytes:
        """Return a document's content as it was added: the kept text, else what is in the file that is its source.

        Raises NoSuchDocument; ContentChanged: the file holds another content; Unreadable: it cannot be read, and why.
        """
        with self.snapshot() as snapshot:
            return sources_of([self.sources]).read(snapshot, *find_document(snapshot, name))

    def boilerplate_in(self, name: str) -> int:
        """Return how many of a document's distinct hashes are boilerplate. Raises NoSuchDocument."""
        with self.snapshot() as snapshot:
            document_id, _ = find_document(snapshot, name)
            return int(snapshot.catalogue.sizes(np.array([document_id], np.uint32))["boilerplate"][0])

    def only_boilerplate(self) -> list[str]:
        """Return the names, sorted, of the documents that match nothing since all of their hashes are boilerplate."""
        with self.snapshot() as snapshot:
            return names_of_boilerplate_only(snapshot)

    def documents(self, glob: str | None = None) -> Documents:
        """Yield all documents by name, boilerplate included, or those whose names match a shell pattern (* ? []).

        They are those of the commit that is the newest when the first is asked for; all are read then.
        """
        return Documents(self._iterate(lambda snapshot: list_documents(snapshot, glob)))

    def names(self, glob: str | None = None) -> Iterator[str]:
        """Yield the names of what `documents` yields, many times as fast."""
        return self._iterate(lambda snapshot: list_names(snapshot, glob))

    def digest(self, name: str) -> bytes | None:
        """Return the digest of a document's content, or None if there is no such document."""
        with self.snapshot() as snapshot:
            document_id = snapshot.catalogue.find(file_format.name_bytes(name))
            return None if document_id is None else snapshot.catalogue.record(document_id).digest

    def info(self) -> dict[str, Any]:
        """Return figures of the whole database: numbers, strings, lists and dicts, without the recipe's key.

        free_bytes: of the file, which later commits use unless a reader holds them. readers: the transactions that read
        it now, the oldest commit first; their process ids are those of the PID namespace, if they are of the same one.
        """
        from fpdb.storage.environment.network import file_system
        from fpdb.storage.environment.readers import pid_namespace

        used_bytes, readers = self._store.env.usage()
        with self.snapshot() as snapshot:
            state, text_file_bytes = snapshot.state, snapshot.texts.file_bytes()
        file_bytes = self._store.file_bytes()
        recipe = self.recipe.to_record()
        recipe["secret_key"] = recipe.pop("key") != DEFAULT_KEY
        recipe["key_file"] = self.needs_key_file
        recipe["reader_version"] = self.recipe.reader_version
        return {
            "path": self.path,
            "documents": state.documents,
            "boilerplate_documents": state.boilerplate_documents,
            "postings": state.postings,
            "dead_postings": sum(run.dead for run in state.runs),
            "runs": len(state.runs),
            "texts": state.texts,
            "text_bytes": state.text_bytes,
            "text_file_bytes": text_file_bytes,
            "file_bytes": file_bytes,
            "free_bytes": max(file_bytes - used_bytes, 0),
            "readers": [reader.to_dict() for reader in readers],
            "file_system": file_system(os.stat(self.path).st_dev),
            "pid_namespace": pid_namespace(),
            "format_version": self._store.env.format_version,
            "recipe": recipe,
        }

    # ------------------------------------------------------------ the file as a whole

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
