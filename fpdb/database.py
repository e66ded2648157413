"""Database: every stage of the work by name, and no detail of any.

fingerprint turns content into hashes and positions, store keeps them, match says what shared hashes mean.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Self, TypeVar

import numpy as np

from fpdb import keys
from fpdb.documents import Document, document_of, sources_of
from fpdb.errors import (
    BadKeyFile,
    BadName,
    BadQuery,
    DatabaseExists,
    Error,
    NoSuchDocument,
    RecipeMismatch,
)
from fpdb.fingerprint import DEFAULT_KEY, Recipe, content_digest
from fpdb.ingest.batch import Status, WriteBatch
from fpdb.ingest.prepare import Integers
from fpdb.search.ranking import Ranked, lines_of_all
from fpdb.search.searchable import Searchable
from fpdb.storage import file_format
from fpdb.storage.reader import Reader
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.store import Store

if TYPE_CHECKING:
    from fpdb.exchange.merge_database import OnCollision
    from fpdb.pairs.clusters import Cluster
    from fpdb.pairs.common_passages import CommonPassage
    from fpdb.pairs.dedup import Drop
    from fpdb.pairs.explain import ComparedDocument
    from fpdb.pairs.explanation import Explanation
    from fpdb.pairs.options import PairOptions, Watch
    from fpdb.pairs.ranking import Pair
    from fpdb.pairs.spans import Span
    from fpdb.regions.pair_aligner import PairAligner
    from fpdb.regions.sources import Sources
    from fpdb.report import Report
    from fpdb.search.candidates import Asked
    from fpdb.search.results import Options

Mode = Literal["r", "r+", "a", "x"]
T = TypeVar("T")


def open(  # noqa: A001 (like gzip.open and shelve.open: meant to be called as fpdb.open)
    path: str | os.PathLike[str],
    mode: Mode = "a",
    *,
    recipe: Recipe | None = None,
    timeout: float = 10.0,
    key_file: str | os.PathLike[str] | None = None,
) -> Database:
    """Opens the database at path.

    mode: "r" to read an existing one, "r+" to change an existing one, "a" (the default) also creates one, "x" creates
    one where there must be none. recipe: for a new database, by default the preset "text"; an existing one must have
    this recipe. timeout: seconds to wait for another writer. key_file: the file that holds the key, made by
    `keys.create`, for a database that is made with it or was; it goes before the recipe's key. A database that holds
    its own key does not look at it. Without the file, what it takes to add, and to query by content, raises MissingKey.
    Raises NoSuchDatabase, DatabaseExists, NotADatabase, NewerFormat, RecipeMismatch, BadKeyFile, Corrupt,
    StorageFailure.
    """
    if mode not in ("r", "r+", "a", "x"):
        raise ValueError(f"mode must be 'r', 'r+', 'a' or 'x', not {mode!r}")
    path = os.fspath(path)
    if mode == "x" or (mode == "a" and not os.path.lexists(path)):
        record = (recipe or Recipe.preset()).to_record()
        if key_file is not None:
            del record["key"]
            record[keys.KEY_DIGEST] = keys.read(key_file).digest
        try:
            Store.create(path, record)
        except DatabaseExists:
            if mode == "x":
                raise
    store = Store(path, readonly=mode == "r", timeout=timeout)
    try:
        return Database(store, recipe, key_file)
    except BaseException:
        store.close()
        raise


def import_(path: str | os.PathLike[str], file: BinaryIO, *, timeout: float = 10.0) -> dict[Status, int]:
    """Adds the documents of an export, see `Database.export`, to the database at path, which is made if there is none.

    Documents of the same names are replaced. Returns how many were added, replaced, updated and unchanged. Raises
    RecipeMismatch; BadExport, which names the line: what came before is in the database, and an import can be repeated.
    """
    from fpdb.exchange.jsonl_import import JsonlImport

    incoming = JsonlImport(file)
    with open(path, "a", recipe=incoming.recipe, timeout=timeout) as db, db.bulk():
        return incoming.add_to(db.batch)


class Database(Searchable):
    """An open database; made by `fpdb.open`. One object serves many threads, and no forked child."""

    def __init__(
        self, store: Store, recipe: Recipe | None = None, key_file: str | os.PathLike[str] | None = None
    ) -> None:
        self._store = store
        self.path = store.path
        record = dict(store.recipe)
        digest = record.pop(keys.KEY_DIGEST, None)
        self.needs_key_file = digest is not None
        """Whether the key is in a file of its own."""
        self.key_exposed = False
        """Whether others than its owner may read the key file."""
        if self.needs_key_file:
            record["key"] = None if key_file is None else self._key_of(key_file, digest)
        self.recipe = Recipe.from_record(record)
        if (
            recipe is not None
            and (replace(recipe, key=self.recipe.key) if self.needs_key_file else recipe) != self.recipe
        ):
            raise RecipeMismatch(
                f"{self.path!r} was created with another recipe; open it without one, or make a new database"
            )

    def _key_of(self, key_file: str | os.PathLike[str], digest: object) -> int:
        """Raises BadKeyFile."""
        found = keys.read(key_file)
        if found.digest != digest:
            raise BadKeyFile(f"{os.fspath(key_file)!r} is the key file of another database than {self.path!r}")
        self.key_exposed = found.exposed
        return found.key

    def close(self) -> None:
        """Closes the file; closing twice is harmless."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------ documents in and out

    def add(self, name: str, content: str | bytes, **options: Any) -> Status:
        """Adds a document, or replaces the one of this name, durably; see `WriteBatch.add`."""
        with self.batch() as batch:
            return batch.add(name, content, **options)

    def add_fingerprints(
        self, name: str, hashes: Integers, positions: Integers | None = None, **options: Any
    ) -> Status:
        """Adds a document of the caller's own hashes, durably; see `WriteBatch.add_fingerprints`."""
        with self.batch() as batch:
            return batch.add_fingerprints(name, hashes, positions, **options)

    def rotate(self, name: str, content: str | bytes, *, rotation: int | None = None) -> int:
        """Stores another subset of a document's search fingerprints, durably; see `WriteBatch.rotate`."""
        with self.batch() as batch:
            return batch.rotate(name, content, rotation=rotation)

    def remove(self, name: str) -> None:
        """Removes a document. Raises NoSuchDocument."""
        with self.batch() as batch:
            batch.remove(name)

    @contextmanager
    def batch(self) -> Iterator[WriteBatch]:
        """Many changes in one commit, made when the block ends; an exception in the block undoes them all."""
        with ExitStack() as stack:
            batch = WriteBatch(self.recipe, stack.enter_context(self._store.snapshot()))
            yield batch
            stack.close()  # before committing: an open snapshot keeps old pages from being used again
            change = batch.change()
            if change.additions or change.updates or change.removals or change.texts:
                self._store.commit(change)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """For many batches that follow each other: what commits leave to be merged is merged when the block ends, all
        at once; after an error, by the next commit. Each commit is durable, and seen by queries, as ever; these take
        longer meanwhile."""
        with self._store.bulk():
            yield

    def merge(self, other: Database, *, prefix: str = "", on_collision: OnCollision = "refuse") -> dict[str, int]:
        """Takes over all documents of another database of the same recipe, in their order and with all that is known
        of them, without fingerprinting them again; returns how many were added, replaced, unchanged and skipped.

        prefix: is put before their names. on_collision: what to do with documents whose names are there for another
        content: "refuse" them all, "skip" them, or let them "replace" what is there. A document that is there with the
        same kind and digest is unchanged.

        Other writers wait meanwhile; readers go on, and see the documents come in by batches. In memory it takes some
        30 bytes a document, and nothing for a posting. Killed at any moment, it leaves a sound database with whole
        documents, and merging again goes on from there. Raises RecipeMismatch, NameTaken, BadName: then nothing has
        changed; Corrupt: the other one is damaged; ReadOnly, Locked, StorageFailure.
        """
        if other.path == self.path:
            raise Error(f"{self.path!r} cannot be merged with itself; give another database")
        from fpdb.exchange.merge_database import merge

        self.check_recipe(other)
        before = file_format.name_bytes(prefix) if prefix else b""
        with other._store.snapshot() as view:
            return merge(self._store, view, before, on_collision)

    def adopt(
        self, folder: str | os.PathLike[str], *, prefix: str = "", on_collision: OnCollision = "refuse"
    ) -> dict[str, int]:
        """Takes over the documents of a folder that was made elsewhere, on Spark say, see docs/design/adopt-format.md;
        returns how many were added, replaced, unchanged and skipped.

        prefix, on_collision, memory and interruptions: as for `merge`. Everything in the folder is checked. Raises
        RecipeMismatch, BadFolder, NameTaken, BadName: then nothing has changed; MissingPackage, ReadOnly, Locked,
        StorageFailure.
        """
        from fpdb.exchange.parquet_import import ImportFolder, adopt

        found = ImportFolder(os.fspath(folder))
        self._refuse_recipe(found.recipe, found.key_digest, repr(found.path))
        return adopt(self._store, found, file_format.name_bytes(prefix) if prefix else b"", on_collision)

    def check_recipe(self, other: Database) -> None:
        """Raises RecipeMismatch where another database has other fingerprints than this one, and says why."""
        self._refuse_recipe(other.recipe, other._store.recipe.get(keys.KEY_DIGEST), repr(other.path))

    def _refuse_recipe(self, recipe: Recipe, key_digest: str | None, of: str) -> None:
        """Raises RecipeMismatch where other fingerprints come of a recipe than of this one, and says in what."""
        own_digest = self._store.recipe.get(keys.KEY_DIGEST)
        differences = self.recipe.differences(recipe)
        if own_digest is not None and key_digest is not None:
            if own_digest != key_digest:
                differences.insert(0, "the key file")
        elif self.recipe.key is None or recipe.key is None:
            differences.insert(0, "where the key is: in a file of its own here or there only")
        elif self.recipe.key != recipe.key:
            differences.insert(0, "the key")
        if differences:
            raise RecipeMismatch(f"{self.path!r} and {of} have different recipes: {'; '.join(differences)}")

    # ------------------------------------------------------------ questions

    def pairs(
        self,
        *,
        regions: bool = False,
        gap: int = 0,
        texts: Callable[[Document], str | bytes | None] | None = None,
        watch: Watch | None = None,
        **options: Any,
    ) -> Iterator[Pair]:
        """All documents against all: the pairs that share hashes, ranked.

        regions: also tell where each pair is alike; gap, texts: as for `query`. watch: is called with a stage, what is
        counted in it, how many are done and of how many, now and then. options: see `match.comparison.PairOptions`:
        min_shared, by, min, top, max_df, new, since, owners, by_owner. Raises BadQuery, Corrupt, MissingPackage.
        """
        from fpdb.pairs.options import PairOptions

        checked, sources = PairOptions(**options), self._sources(texts)
        if not regions and not checked.regional:
            from fpdb.pairs.ranking import rank_pairs

            return self._from_view(lambda view: rank_pairs(view, checked, watch))
        if checked.by_owner:
            raise BadQuery("regions are of two documents: leave by_owner out")
        from fpdb.pairs.coverage import pairs_by_content

        closer = partial(pairs_by_content, options=checked, watch=watch, regions=regions)
        return self._from_view(lambda view: closer(view, self._pair_aligner(view, sources, checked, gap)))

    def _pair_aligner(self, view: Snapshot, sources: Sources, options: PairOptions, gap: int) -> PairAligner:
        from fpdb.regions.pair_aligner import PairAligner

        cap = options.frequency_cap(view.document_count)
        return PairAligner(view, self.recipe, sources, max_df=cap, gap=gap)

    def clusters(self, *, keep: str | None = None, watch: Watch | None = None, **options: Any) -> Iterator[Cluster]:
        """Documents that pairs connect, directly or through others, the largest groups first.

        keep: also tell which one is kept, see `drop_list`. watch, options: as for `pairs`; top counts clusters, and min
        is 0.5 unless given or ranked by shared hashes. Raises BadQuery, Corrupt.
        """
        from fpdb.pairs.clusters import find_clusters
        from fpdb.pairs.options import PairOptions

        checked = PairOptions(**options).connecting()
        return self._from_view(lambda view: find_clusters(view, checked, keep, watch))

    def drop_list(
        self, *, keep: str = "first", direct: bool = False, watch: Watch | None = None, **options: Any
    ) -> Iterator[Drop]:
        """The documents to remove so that no pair that passes is left: `pairs` of these options then finds nothing,
        with max_df=0; else as long as the same hashes are left out as common.

        One document of each cluster stays. keep: which: "first", the one added first; "longest", the one with the most
        symbols; "label:KEY=VALUE,VALUE2", the one whose label has the earliest of these values; ties as by "first".
        direct: remove none but those that are a pair with one that stays: documents are gone through in the order in
        which they are kept, and stay unless they are a pair with one that does. Where new or since is given, only
        documents that are new are removed. watch, options: as for `clusters`; top counts documents, and by_owner makes
        no sense. Raises BadQuery, Corrupt.
        """
        from fpdb.pairs.dedup import drop_list
        from fpdb.pairs.options import PairOptions

        checked = PairOptions(**options).connecting()
        return self._from_view(lambda view: drop_list(view, checked, keep, direct=direct, watch=watch))

    def spans(
        self,
        content: str | bytes | None = None,
        *,
        name: str | None = None,
        kind: str = "text",
        keep: str = "first",
        shortest: int = 1,
        pad: int = 0,
        snap: bool = False,
        gap: int = 0,
        texts: Callable[[Document], str | bytes | None] | None = None,
        watch: Watch | None = None,
        **options: Any,
    ) -> Iterator[Span]:
        """Characters to cut, so that no passage is left that others have too: of the content where one is given, else
        of the documents.

        Of each pair of documents that `pairs` of these options finds, the one is cut that is kept last, by the rule
        `keep`, see `drop_list`; top and by_owner make no sense. Of a content, what it has in common with the documents
        that `query` of these options finds.

        shortest, pad, snap, gap: see `match.spans.Cut`. texts: as for `query`. Raises BadQuery, Corrupt,
        MissingPackage; for a content what `query` raises.
        """
        from fpdb.pairs import spans
        from fpdb.pairs.options import PairOptions

        cut = spans.Cut(shortest, pad, snap, gap)
        if content is None:
            checked = PairOptions(**options)
            sources = self._sources(texts)
            of_pairs = partial(spans.spans_of_pairs, options=checked, keep=keep, cut=cut, watch=watch)
            return self._from_view(lambda view: of_pairs(view, self._pair_aligner(view, sources, checked, gap)))
        answer = self.query(content, name=name, kind=kind, regions=True, gap=gap, texts=texts, **options)
        read = self.recipe.fingerprint(content, answer.query.kind, name=name).source
        return spans.spans_of_answer(answer, read.text if read else "", cut)

    def common(
        self,
        *,
        min_df: int = 10,
        top: int | None = None,
        texts: Callable[[Document], str | bytes | None] | None = None,
    ) -> Iterator[CommonPassage]:
        """Passages that many documents hold, those of most documents first, each with a document that shows it.

        min_df: how many documents hold each of its fingerprints at least; boilerplate is left out. top: the most
        passages. texts: as for `query`. To discard one from now on, add its `hashes` as boilerplate:
        `db.add_fingerprints("footer", passage.hashes, boilerplate=True)`. Raises BadQuery, Corrupt, MissingPackage.
        """
        from fpdb.pairs.common_passages import find_common_passages

        sources = self._sources(texts)
        return self._from_view(lambda view: find_common_passages(view, self.recipe, sources, min_df=min_df, top=top))

    def explain(
        self,
        a: str,
        b: str,
        *,
        contents: Mapping[str, str | bytes] | None = None,
        kind: str = "auto",
        **options: Any,
    ) -> Explanation:
        """Why two documents are a pair, or are not.

        a, b: names; contents: that of a name that is not the database's, by name, of this kind. options: by, min,
        min_shared, max_df and owners, as for `pairs`. Reads all of the runs that the documents are in. Raises
        NoSuchDocument, BadQuery, UnknownKind, Unreadable, MissingPackage, Corrupt.
        """
        from fpdb.pairs.explain import explain
        from fpdb.pairs.options import PairOptions

        checked = PairOptions(**options).told_by_hashes()
        with self._store.snapshot() as view:
            sides = [self._side(view, name, (contents or {}).get(name), kind) for name in (a, b)]
            return explain(view, self.recipe, sides[0], sides[1], checked)

    def _side(self, view: Snapshot, name: str, content: str | bytes | None, kind: str) -> ComparedDocument:
        from fpdb.pairs.explain import ComparedDocument
        from fpdb.regions.sources import read_document

        if content is not None:
            found = self.recipe.fingerprint(content, kind, purpose="search", name=name)
            return ComparedDocument.given(name, found, content_digest(content))
        number, _ = _found(view, name)
        read = read_document(view, self.recipe, number, self._sources())
        return ComparedDocument.stored(view, number, read.original.text.symbols if read.original else None)

    def report(self, *, texts: Callable[[Document], str | bytes | None] | None = None, **options: Any) -> Report:
        """A page of evidence for a browser, yet empty: fill it with `add_answer` or `add_pairs`, and write its `html`.

        texts: as for `query`. options: see `match.report.Report`: by, connect, limits. Raises MissingPackage.
        """
        from fpdb.report import Report

        return Report(self._store.snapshot, self.recipe, self._sources(texts), **options)

    def _snapshot(self) -> AbstractContextManager[Snapshot]:
        return self._store.snapshot()

    def _placed(self, _: Reader, ranked: Ranked) -> Ranked:
        return ranked  # in the one file there is

    def _lines(self, view: Reader, asked: Sequence[Asked], options: Options) -> Iterator[bytes]:
        return lines_of_all(view, asked, options)

    def _from_view(self, answer: Callable[[Snapshot], Iterator[T]]) -> Iterator[T]:
        with self._store.snapshot() as view:
            yield from answer(view)

    def _sources(self, texts: Callable[[Document], str | bytes | None] | None = None) -> Sources:
        return sources_of([self.path], texts)

    # ------------------------------------------------------------ the catalogue

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self.digest(name) is not None
        except BadName:
            return False

    def document(self, name: str) -> Document:
        """Raises NoSuchDocument."""
        with self._store.snapshot() as view:
            return document_of(*_found(view, name))

    def text(self, name: str) -> bytes | None:
        """The bytes of a document's content, a string's as UTF-8, where it was added with keep_text; else None. Raises
        NoSuchDocument, Corrupt, MissingPackage."""
        with self._store.snapshot() as view:
            return view.texts.read_bytes(*_found(view, name))

    def original(self, name: str) -> str | bytes:
        """A document's content as it was given when it was added: the text that was kept, else what is in the file that
        is its source. Raises NoSuchDocument, Corrupt, MissingPackage; ContentChanged: the file holds another one;
        Unreadable: it cannot be had, and why."""
        with self._store.snapshot() as view:
            return self._sources().read(view, *_found(view, name))

    def boilerplate_in(self, name: str) -> int:
        """How many of a document's distinct hashes are boilerplate. Raises NoSuchDocument."""
        with self._store.snapshot() as view:
            found, _ = _found(view, name)
            return int(view.catalogue.sizes(np.array([found], np.uint32))["boilerplate"][0])

    def only_boilerplate(self) -> list[str]:
        """The documents that match nothing since all of their hashes are boilerplate, by name."""
        with self._store.snapshot() as view:
            numbers = np.fromiter(view.catalogue.size_table.ids(), np.uint32)
            numbers = numbers[numbers < file_format.FIRST_BOILERPLATE]
            sizes = view.catalogue.sizes(numbers)
            discarded = numbers[(sizes["hashes"] > 0) & (sizes["hashes"] == sizes["boilerplate"])]
            records = [view.catalogue.record(number) for number in discarded.tolist()]
        return [name.decode("utf-8", "surrogateescape") for name in sorted(record.name for record in records)]

    def documents(self, glob: str | None = None) -> Iterator[Document]:
        """All documents by name, boilerplate included, or those whose names match a shell pattern (* ? [])."""
        with self._store.snapshot() as view:
            for found in view.catalogue.in_order_of_names(_literal_beginning(glob)):
                document = document_of(found, view.catalogue.record(found))
                if glob is None or fnmatchcase(document.name, glob):
                    yield document

    def digest(self, name: str) -> bytes | None:
        """The digest of a document's content; None where there is no such document."""
        with self._store.snapshot() as view:
            found = view.catalogue.find(file_format.name_bytes(name))
            return None if found is None else view.catalogue.record(found).digest

    def info(self) -> dict[str, Any]:
        """Figures of the database as a whole: plain numbers, strings and dicts. Of the recipe's key it says only
        whether it is secret, and whether it is in a file of its own."""
        with self._store.snapshot() as view:
            state, text_file_bytes = view.state, view.texts.file_bytes()
        recipe = self.recipe.to_record()
        recipe["secret_key"] = recipe.pop("key") != DEFAULT_KEY
        recipe["key_file"] = self.needs_key_file
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
            "file_bytes": self._store.file_bytes(),
            "format_version": file_format.FORMAT_VERSION,
            "recipe": recipe,
        }

    # ------------------------------------------------------------ the file as a whole

    def check(self) -> list[str]:
        """Verifies everything; returns what is wrong, one sentence each. Kept texts that cannot be unpacked for want of
        a package are checked by their checksums alone.

        Works in this process, which damage can end, as it can by any other reading: `fpdb.check` works in another."""
        from fpdb.storage.maintenance.check import problems

        return problems(self._store)

    def export(self, file: BinaryIO, *, texts: bool = False) -> int:
        """Writes all documents with their fingerprints as lines of JSON, which `fpdb.import_` reads; returns how many.
        The lines are described in docs/design/export-format.md.

        texts: the kept texts, too. Holds up to 8 million postings in memory, and reads all postings once for each 8
        million that there are. Raises Corrupt, MissingPackage, OSError; BadKeyFile where the key is in a file of its
        own, since an export holds the key.
        """
        if self.needs_key_file:
            raise BadKeyFile(
                f"the key of {self.path!r} is in a file of its own, and an export would give it away: copy the "
                "database with 'fpdb backup' instead"
            )
        from fpdb.exchange.jsonl_export import export

        with self._store.snapshot() as view:
            return export(view, self.recipe, file, texts=texts)

    def compact(self) -> None:
        """Rewrites the file without what was removed or merged, and gives the space back. Readers go on."""
        self._store.compact()

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Writes a consistent copy to a new file, while others read and write. Raises DatabaseExists."""
        self._store.backup(os.fspath(path))


def _found(view: Snapshot, name: str) -> tuple[int, Record]:
    """Raises NoSuchDocument."""
    found = view.catalogue.find(file_format.name_bytes(name))
    if found is None:
        raise NoSuchDocument(f"no document is named {name!r}")
    return found, view.catalogue.record(found)


def _literal_beginning(glob: str | None) -> bytes:
    """What every name that matches the pattern begins with."""
    end = re.search(r"[*?\[]", glob or "*")
    literal = (glob or "")[: end.start() if end else None]
    try:
        return literal.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:  # no name has that character
        return literal[: error.start].encode("utf-8", "surrogateescape")
