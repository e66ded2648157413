"""Reportable: how a `Database` shows what was found, as pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from fpdb.checked_calls import checked_methods
from fpdb.documents.document import TextLookup
from fpdb.documents.source_access import sources_of
from fpdb.options import ExplainKeywords, HeadingKeywords
from fpdb.pairs.comparable import Comparable

if TYPE_CHECKING:
    from fpdb.pairs.ranking import Pair
    from fpdb.report.contents import Limits
    from fpdb.report.pair_view import PairView
    from fpdb.report.report import Report


@checked_methods
class Reportable(Comparable):
    """An open database of which pages show pairs, answers and two documents side by side."""

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
        from fpdb.report.pair_rows import ComparedDocuments
        from fpdb.report.pair_view import explained_pair, view_pair

        checked = PairOptions(**options)
        if pair is None:
            pair = explained_pair(self.explain(a, b, **options))
        with self.snapshot() as snapshot:
            documents = ComparedDocuments(snapshot, self.recipe, sources_of([self.sources], texts))
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
        from fpdb.regions.sources import Contents
        from fpdb.report.report import Report

        contents = Contents(self.recipe, sources_of([self.sources], texts))
        return Report(self.snapshot, contents, by=by, connect=connect, limits=limits, **heading)
