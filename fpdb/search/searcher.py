"""Searcher: answer queries from one reader: fingerprint, find candidates, score, rank, add regions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from fpdb.errors import Error
from fpdb.fingerprint import Recipe
from fpdb.search.match_records import add_records
from fpdb.search.options import ContentOptions, HashQueryOptions, QueryOptions, recipe_options
from fpdb.search.query_fingerprints import QueryDocument, QueryFingerprints, fingerprint_queries
from fpdb.search.ranking import RankedBatch, RankedMatches, rank_queries
from fpdb.storage.index_reader import IndexReader

if TYPE_CHECKING:
    from fpdb.regions.sources import Sources

Result = TypeVar("Result")


@dataclass(frozen=True)
class Searcher:
    """Answers queries from one reader, and so from one state of what is searched.

    open_sources: makes what reads the contents of documents, for regions. database_of: tells the database of a
    document, if several are searched together.
    """

    recipe: Recipe
    reader: IndexReader
    open_sources: Callable[[], Sources]
    database_of: Callable[[int], str] | None = None

    def rank_documents(
        self, documents: Sequence[QueryDocument], options: ContentOptions
    ) -> Iterator[RankedMatches | Error]:
        """Yield the answer to each document, in order, or why it cannot be read: BadName, UnknownKind, Unreadable.

        Raises BadQuery; BadRecipe: the window is narrower than the recipe's; MissingKey, MissingPackage, Corrupt.
        """
        return self._in_order(documents, options, lambda queries, ranking: self._rank(queries, ranking, options))

    def rank_document(self, document: QueryDocument, options: ContentOptions) -> RankedMatches:
        """Return the answer to one document. Raises what `rank_documents` yields and raises."""
        ranked = next(self.rank_documents([document], options))
        if isinstance(ranked, Error):
            raise ranked
        return ranked

    def json_lines(self, documents: Sequence[QueryDocument], options: ContentOptions) -> Iterator[bytes | Error]:
        """Yield the answers of `rank_documents` as lines of JSON, see `Answer.to_json`."""

        def write(queries: Sequence[QueryFingerprints], ranking: QueryOptions) -> Iterator[bytes]:
            if options.needs_regions or ranking.with_labels or self.database_of is not None:
                return (each.answer.to_json().encode() for each in self._rank(queries, ranking, options))
            return chain.from_iterable(map(self._lines, rank_queries(self.reader, queries, ranking)))

        return self._in_order(documents, options, write)

    def rank_fingerprints(
        self, queries: Sequence[QueryFingerprints], options: HashQueryOptions
    ) -> Iterator[RankedMatches]:
        """Yield the answer to each query of hashes, all of them with positions or none. Raises BadQuery, Corrupt."""
        ranking, has_positions = options.ranking, any(query.positions is not None for query in queries)
        by_hashes = ranking.without_regions() if ranking.positional and has_positions else ranking
        batches = rank_queries(self.reader, queries, by_hashes) if queries else ()
        ranked = self._answers(batches, ranking)
        if not has_positions:
            return ranked
        from fpdb.search.offset_matches import add_offsets

        return (add_offsets(self.reader, each, options) for each in ranked)

    def _lines(self, batch: RankedBatch) -> Iterable[bytes]:
        if batch.may_have_copies:
            return (each.answer.to_json().encode() for each in self._answers([batch], QueryOptions()))
        return batch.json_lines()

    def _answers(self, batches: Iterable[RankedBatch], ranking: QueryOptions) -> Iterator[RankedMatches]:
        ranked = chain.from_iterable(batch.answers(self.database_of) for batch in batches)
        return add_records(self.reader, ranked, labels=ranking.with_labels)

    def _in_order(
        self,
        documents: Sequence[QueryDocument],
        options: ContentOptions,
        answer: Callable[[Sequence[QueryFingerprints], QueryOptions], Iterator[Result]],
    ) -> Iterator[Result | Error]:
        """Fingerprint the documents, and answer those together that are ranked alike; yield the results in order."""
        queries = fingerprint_queries(self.recipe, self.reader, documents, options)
        rankings: dict[str, QueryOptions] = {}
        groups: defaultdict[QueryOptions, list[QueryFingerprints]] = defaultdict(list)
        for query in queries:
            if isinstance(query, QueryFingerprints):
                if query.kind not in rankings:
                    rankings[query.kind] = recipe_options(self.recipe, options.ranking, query.kind)
                groups[rankings[query.kind]].append(query)
        results = {ranking: answer(group, ranking) for ranking, group in groups.items()}
        for query in queries:
            yield query if isinstance(query, Error) else next(results[rankings[query.kind]])

    def _rank(
        self, queries: Sequence[QueryFingerprints], ranking: QueryOptions, options: ContentOptions
    ) -> Iterator[RankedMatches]:
        """Yield the ranked matches of queries that are ranked alike, with regions if they are needed."""
        by_hashes = ranking.without_regions() if ranking.regional else ranking
        batches = rank_queries(self.reader, queries, by_hashes)
        ranked = self._answers(batches, ranking)
        if not options.needs_regions:
            return ranked
        from fpdb.regions.pair_aligner import PairAligner
        from fpdb.regions.region import RegionOptions
        from fpdb.search.region_matches import add_regions

        region_options = RegionOptions.of(options.gap, options.shortest, repeats=options.repeats)
        aligner = PairAligner(self.reader, self.recipe, self.open_sources(), region_options=region_options)
        return (add_regions(each, aligner, options, ranking) for each in ranked)
