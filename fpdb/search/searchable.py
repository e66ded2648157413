"""Searchable: what `Database` and `MultiDatabase` are asked by content or by hashes."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from reprlib import repr as short_repr
from typing import TYPE_CHECKING, NamedTuple, Self, Unpack

from fpdb.arrays import I64
from fpdb.checked_calls import checked_methods
from fpdb.errors import BadArgument, BadQuery, Error
from fpdb.fingerprint import Recipe, content_digest
from fpdb.options import HashRankingKeywords, QueryKeywords, RankingKeywords, Rarity
from fpdb.search.options import ContentOptions, HashQueryOptions, recipe_options
from fpdb.search.query_fingerprints import QueryDocument, QueryFingerprints, own_document_ids
from fpdb.search.results import Answer
from fpdb.search.searcher import Searcher
from fpdb.validation import check_integer

if TYPE_CHECKING:
    from fpdb.documents.document import TextLookup
    from fpdb.ingest.prepare import Integers


@checked_methods
class Searchable(ABC):
    """One or several open databases that are queried as one; recipe: of all their documents."""

    recipe: Recipe

    @abstractmethod
    def searcher(self, texts: TextLookup | None = None) -> AbstractContextManager[Searcher]:
        """Open what answers queries by the documents as they are now.

        texts: gives the contents of documents, for regions; by default they are read from the database, or from the
        files that the documents came from.
        """

    @property
    @abstractmethod
    def paths(self) -> Sequence[str]:
        """The files of the databases."""

    @abstractmethod
    def opener(self) -> Callable[[], Searchable]:
        """Return a function, which can be sent to another process, that opens the same databases there to be read."""

    @abstractmethod
    def close(self) -> None:
        """Close the file or files; closing twice is harmless."""

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file or files."""
        self.close()

    def __len__(self) -> int:
        """Return the number of documents, boilerplate not counted."""
        with self.searcher() as searcher:
            return searcher.reader.document_count

    def holds(self, name: str, content: str | bytes) -> bool:
        """Return True if there is a document of this name and content, boilerplate left out. Raises BadName."""
        with self.searcher() as searcher:
            return bool(own_document_ids(searcher.reader, name, content_digest(content)))

    def query(  # noqa: PLR0913 (independent options, of which a call names a few)
        self,
        content: str | bytes,
        *,
        name: str | None = None,
        kind: str = "auto",
        window: int | None = None,
        rarity: Rarity = "document",
        include_self: bool = False,
        encoding: str | None = None,
        regions: bool = False,
        gap: int | None = None,
        shortest: int | None = None,
        texts: TextLookup | None = None,
        **options: Unpack[RankingKeywords],
    ) -> Answer:
        """Find the documents that share text with a content.

        Args:
            content: The query.
            name: The query's name; a document of this name and content is left out unless include_self.
            kind: One of `fingerprint.KINDS`; by default what name and content say.
            window: A window wider than the recipe's: fewer look-ups, a coarser answer.
            rarity: See `WriteBatch.add`.
            include_self: Whether a document of the query's name and content is a match like others.
            encoding: See `Recipe.fingerprint`.
            regions: Whether matches tell their regions, see `Match`.
            gap: The largest number of symbols between two regions that are joined, if no other region lies between;
                None for the larger of 150 and five times k in texts, and 0 in programs.
            shortest: The fewest characters of a region, in either document. None: in texts, regions shorter than the
                default of `gap` are left out if others are as long.
            texts: Gives a document's content, for regions, or None; by default it is the text that was kept, else that
                of the file that the document came from.
            options: See `search.options.QueryOptions`: by, smallest, max_df, max_ignored, min, top. By default by,
                max_df and max_ignored are the recipe's.

        Raises:
            Error: BadName, BadQuery, BadRecipe, UnknownKind, Unreadable, MissingKey, MissingPackage or Corrupt.
        """
        asked = ContentOptions(
            window, rarity, include_self, regions, gap=gap, shortest=shortest, encoding=encoding, ranking=options
        )
        with self.searcher(texts) as searcher:
            return searcher.rank_document(QueryDocument(name, content, kind), asked).answer

    def query_file(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        kind: str = "auto",
        texts: TextLookup | None = None,
        **options: Unpack[QueryKeywords],
    ) -> Answer:
        """Find the documents that share text with a file, as `fpdb query PATH` does; see `query`.

        name: by default the path without empty and `.` parts, under which `fpdb add` adds it. Raises Unreadable, too.
        """
        from fpdb.ingest.discover import read_one_file

        document, content = read_one_file(os.fspath(path), name, kind, self.paths, options.get("encoding"))
        return self.query(content, name=document.name, kind=kind, texts=texts, **options)

    def queries(
        self,
        documents: Iterable[tuple[str | None, str | bytes]],
        *,
        kind: str = "auto",
        window: int | None = None,
        rarity: Rarity = "document",
        include_self: bool = False,
        **options: Unpack[RankingKeywords],
    ) -> list[Answer | Error]:
        """Return the answers of `query` to many documents, looked up together, or the error of one that cannot be read.

        That is the quicker the more documents there are; some thousands are a good number. They are held in memory.
        documents: the name and the content of each. The options, and what is raised, are those of `query`.
        """
        recipe_options(self.recipe, options).check_by_hashes()
        queried = [_query_document(index, document, kind) for index, document in enumerate(documents)]
        with self.searcher() as searcher:
            asked = ContentOptions(window, rarity, include_self, ranking=options)
            ranked = searcher.rank_documents(queried, asked)
            return [each if isinstance(each, Error) else each.answer for each in ranked]

    def query_fingerprints(  # noqa: PLR0913 (independent options, of which a call names a few)
        self,
        hashes: Integers,
        positions: Integers | None = None,
        *,
        name: str | None = None,
        kind: str = "hashes",
        digest: bytes | None = None,
        regions: bool = False,
        gap: int | None = None,
        **options: Unpack[HashRankingKeywords],
    ) -> Answer:
        """Find the documents that share hashes.

        Args:
            hashes: uint64, shape (n,), in any order, repeats allowed.
            positions: Of the hashes, shape (n,). Matches then tell the offset at which most shared hashes agree, and
                are ranked by how many do, unless `by` is given: what has the same hashes in another order is no match.
            name: The query's name.
            kind: What the answer says of the query.
            digest: A document of this name and digest is the query itself, and is left out. One of this kind and digest
                is found whatever is ignored as common.
            regions: Whether matches tell their regions, in positions. They need positions.
            gap: The most positions without a shared hash in a region; None for any.
            options: See `query`; the measure must be one of hashes, or "aligned", the number of hashes that agree.

        Raises:
            Error: BadQuery, BadFingerprints, BadName or Corrupt.
        """
        (answer,) = self._ask_fingerprints([_HashQuery(name, hashes, positions, digest)], kind, regions, gap, options)
        return answer

    def queries_fingerprints(
        self,
        queries: Iterable[tuple[str | None, Integers] | tuple[str | None, Integers, Integers | None]],
        *,
        kind: str = "hashes",
        regions: bool = False,
        gap: int | None = None,
        **options: Unpack[HashRankingKeywords],
    ) -> list[Answer]:
        """Return the answers of `query_fingerprints` to many queries, looked up together: the quicker the more.

        queries: the name and the hashes of each, and the positions of all or of none. The other arguments, and what is
        raised, are those of `query_fingerprints`.
        """
        given = [_hash_query(index, query) for index, query in enumerate(queries)]
        if len({positions is None for _, _, positions, _ in given}) > 1:
            raise BadQuery("give the positions of all queries, or of none")
        return self._ask_fingerprints(given, kind, regions, gap, options)

    def _ask_fingerprints(
        self,
        given: Sequence[_HashQuery],
        kind: str,
        regions: bool,
        gap: int | None,
        options: HashRankingKeywords,
    ) -> list[Answer]:
        from fpdb.ingest.prepare import check_hashes, check_positions

        has_positions = any(positions is not None for _, _, positions, _ in given)
        if regions and not has_positions:
            raise BadQuery("regions are told by positions: give these, too")
        if gap is not None:
            check_integer(gap, "gap", 0, error=BadQuery)
        if has_positions:
            options.setdefault("by", "aligned")
        asked = HashQueryOptions(recipe_options(self.recipe, options), regions, gap)
        queries = []
        with self.searcher() as searcher:
            for name, hashes, positions, digest in given:
                array = check_hashes(hashes)
                own_ids = [] if name is None or digest is None else own_document_ids(searcher.reader, name, digest)
                query = QueryFingerprints(array, name, kind, own_ids, given_digest=digest)
                queries.append(query._replace(positions=check_positions(positions, len(array))))
            return [ranked.answer for ranked in searcher.rank_fingerprints(queries, asked)]

    def frequencies(self, hashes: Integers) -> I64:
        """Return the document frequency of each hash: how many documents hold it, boilerplate not counted; (n,)."""
        from fpdb.ingest.document_frequencies import document_frequencies
        from fpdb.ingest.prepare import check_hashes

        with self.searcher() as searcher:
            return document_frequencies(searcher.reader)(check_hashes(hashes))


class _HashQuery(NamedTuple):
    name: str | None
    hashes: Integers
    positions: Integers | None
    digest: bytes | None = None


def _hash_query(index: int, query: object) -> _HashQuery:
    """Return one of the queries of `Searchable.queries_fingerprints`. Raises BadArgument."""
    if isinstance(query, tuple | list) and len(query) in (2, 3) and (query[0] is None or isinstance(query[0], str)):
        return _HashQuery(*(*query, None)[:3])
    fault = f"the one at index {index} is {short_repr(query)}"
    raise BadArgument(f"queries are a name, or None, with hashes and perhaps positions; {fault}")


def _query_document(index: int, document: object, kind: str) -> QueryDocument:
    """Return one of the documents of `Searchable.queries`. Raises BadArgument."""
    if isinstance(document, tuple | list) and len(document) == 2:
        name, content = document
        if (name is None or isinstance(name, str)) and isinstance(content, str | bytes):
            return QueryDocument(name, content, kind)
    given = short_repr(document)
    raise BadArgument(f"documents are pairs of a name, or None, and a content; the one at index {index} is {given}")
