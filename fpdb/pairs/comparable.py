"""Comparable: how a `Database` compares its documents with each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast

from fpdb.checked_calls import check_names, checked_methods
from fpdb.documents.document import TextLookup, document_of, find_document
from fpdb.documents.source_access import sources_of
from fpdb.documents.stored_documents import StoredDocuments, iterate
from fpdb.errors import BadQuery
from fpdb.options import ExplainKeywords, HashRankingKeywords, PairKeywords, QueryKeywords, SpanKeywords
from fpdb.search.options import COVERED, ContentOptions
from fpdb.search.query_fingerprints import QueryDocument
from fpdb.search.searchable import Searchable
from fpdb.storage.snapshot import Snapshot

if TYPE_CHECKING:
    from fpdb.pairs.clusters import Cluster
    from fpdb.pairs.common_passages import CommonPassage
    from fpdb.pairs.dedup import Drop
    from fpdb.pairs.explanation import Explanation
    from fpdb.pairs.options import Watch
    from fpdb.pairs.ranking import Pair
    from fpdb.pairs.results import Comparison, Results
    from fpdb.pairs.spans import Span
    from fpdb.regions.sources import Contents
    from fpdb.search.results import Answer

T = TypeVar("T")


@checked_methods
class Comparable(StoredDocuments, Searchable):
    """An open database whose documents are compared, one with all others or all with all."""

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
        return iterate(
            self.snapshot, lambda snapshot: find_common_passages(snapshot, self.recipe, sources, min_df=min_df, top=top)
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

    def _contents(self, texts: TextLookup | None) -> Contents:
        from fpdb.regions.sources import Contents

        return Contents(self.recipe, sources_of([self.sources], texts))

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
