"""The view of one pair: both texts with their regions, headings and measures, for a page or a server."""

from dataclasses import dataclass
from typing import Any, Final

from fpdb.pairs.explanation import Explanation
from fpdb.pairs.options import PairOptions
from fpdb.pairs.ranking import Pair
from fpdb.report.contents import Limits, PageContents
from fpdb.report.page import render
from fpdb.report.page_sources import PageSources
from fpdb.report.pair_rows import ComparedDocuments, pair_rows
from fpdb.report.report import new_contents
from fpdb.report.script_data import script_data

TEXT: Final = 4_000_000
"""Bytes of texts that a view holds."""


@dataclass(frozen=True)
class PairView:
    """One pair of documents, as a page shows it."""

    contents: PageContents

    def to_dict(self) -> dict[str, Any]:
        """Return the view as plain values: those that `script_data` describes, with the texts under "texts"."""
        data, texts = script_data(self.contents)
        return data | {"texts": texts}

    def html(self) -> str:
        """Return a page of this pair alone. Raises MissingPackage without Jinja2."""
        return render(self.contents, Limits())


def view_pair(documents: ComparedDocuments, pair: Pair, options: PairOptions) -> PairView:
    """Return the view of two documents.

    Args:
        documents: Those that are compared; without both, the view has no regions.
        pair: Their names and measures.
        options: The measure that ranks pairs, max_df, owners, and what chooses documents.

    Raises:
        Corrupt: The database is damaged.
    """
    page = PageSources(TEXT)
    contents = new_contents(options.by, page)
    contents.rows = pair_rows(documents, page, [pair], options.by, options)
    return PairView(contents)


def explained_pair(explanation: Explanation) -> Pair:
    """Return the pair of an explanation, with the measure that it was asked for."""
    e, weighted = explanation, explanation.by == "similarity" or explanation.by.startswith("weighted_")
    name = f"{e.by}_a" if e.by == "weighted_containment" else e.by
    measure: dict[str, Any] = {name: e.measure} if weighted else {}
    measures = e.shared, e.containment_a, e.containment_b, e.resemblance
    return Pair(e.a.name, e.b.name, *measures, evidence=e.evidence, **measure)
