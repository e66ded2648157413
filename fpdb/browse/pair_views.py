"""The pages of pairs: the ranking, one pair side by side, and its review."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast

import numpy as np
from werkzeug.exceptions import BadRequest, Conflict
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from fpdb.browse.rankings import RankedPairs, RankingOptions
from fpdb.browse.site import Site, fields_of, link
from fpdb.documents.document import find_document
from fpdb.options import PairMeasure
from fpdb.pairs.options import MEASURES, REGIONAL, PairOptions
from fpdb.pairs.ranking import Pair
from fpdb.pairs.reviews import LONGEST_NOTE, VERDICTS, Names, Review, ReviewedMeanwhile, in_order
from fpdb.storage.posting_scan import scan_documents

ROWS: Final = 100
"""Pairs on a page."""
AT_ONCE: Final = 20_000
"""Documents up to which pairs are ranked without being asked for: that takes a few seconds."""
UNREVIEWED: Final = "none"


class RankedPair(NamedTuple):
    """A pair of a ranking with its rank, the score, and what people think of it; parts: its pairs of documents."""

    rank: int
    pair: Pair
    score: float
    review: Review | None
    parts: list["RankedPair"]


def pairs(site: Site, request: Request) -> Response:
    """Show the pairs that are most alike."""
    fields = fields_of(request)
    options = _options(site, fields)
    with site.db.snapshot() as snapshot:
        version, count = snapshot.version, snapshot.document_count
    ranking = site.rankings.get(options)
    if ranking is None and count <= AT_ONCE:
        ranking = site.rankings.begin(options)
    reviewed = fields.get("reviewed", "")
    rows = [] if ranking is None or ranking.ranked is None else _rows(site, ranking.ranked, options.by)
    rows = [row for row in rows if _is_wanted(row, reviewed)]
    page = max(int(fields.get("page", "1")), 1)
    start = (page - 1) * ROWS
    return site.templates.page(
        "pairs.html",
        options=options,
        measures=MEASURES,
        verdicts=VERDICTS,
        reviewed=reviewed,
        ranking=ranking,
        is_old=ranking is not None and ranking.ranked is not None and ranking.ranked.version != version,
        count=count,
        rows=rows[start : start + ROWS],
        total=len(rows),
        page=page,
        pages=-(-len(rows) // ROWS),
        unread_reviews=site.reviews.unread_lines if site.reviews else 0,
    )


def rank(site: Site, request: Request) -> Response:
    """Rank the pairs of the documents as they are now."""
    options = _options(site, fields_of(request))
    site.rankings.begin(options)
    return redirect(link("/pairs", **options.fields()), 303)


def pair(site: Site, request: Request) -> Response:
    """Show two documents side by side, with their reviews."""
    return _show_pair(site, request)


def review(site: Site, request: Request) -> Response:
    """Note what the user thinks of a pair."""
    names = _names_in(request)
    if site.reviews is None:
        raise BadRequest("Reviews are not kept of a database that is only read.")
    digests = [site.db.document(name).digest.hex() for name in names]
    form = request.form
    note = form.get("note", "").replace("\r\n", "\n").strip()
    made = Review.new(names, form.get("verdict", ""), note, (digests[0], digests[1]))
    try:
        site.reviews.add(made, int(form.get("seen", "")))
    except ReviewedMeanwhile:
        return _show_pair(site, request, unsaved=made)
    options = _options(site, fields_of(request))
    return redirect(link("/pair", a=names[0], b=names[1], **options.fields()) + "#review", 303)


def reviews(site: Site, _request: Request) -> Response:
    """List the last review of each pair, the newest first."""
    kept = site.reviews
    listed = sorted(kept.latest().values(), key=lambda each: -each.at) if kept else []
    return site.templates.page("reviews.html", reviews=listed, unread=kept.unread_lines if kept else 0)


def exported_reviews(site: Site, _request: Request) -> Response:
    """Give the last review of each pair as reports export and import them."""
    latest = site.reviews.latest() if site.reviews else {}
    pairs = [{"names": list(names), "state": each.verdict, "note": each.note} for names, each in latest.items()]
    text = json.dumps({"format": "fpdb-review", "pairs": pairs}, indent=1)
    headers = {"Content-Disposition": "attachment; filename=review.json"}
    return Response(text, content_type="application/json", headers=headers)


def _show_pair(site: Site, request: Request, unsaved: Review | None = None) -> Response:
    names = _names_in(request)
    options = _options(site, fields_of(request))
    documents = [site.db.document(name) for name in names]
    digests = tuple(document.digest.hex() for document in documents)
    history = site.reviews.history(names) if site.reviews else []
    neighbours = _neighbours(site, options, names)
    return site.templates.page(
        "pair.html",
        200 if unsaved is None else Conflict.code,
        documents=documents,
        options=options,
        neighbours=neighbours,
        view=_view(site, names, options, neighbours),
        history=history,
        unsaved=unsaved,
        shown_review=unsaved or (history[-1] if history else None),
        longest_note=LONGEST_NOTE,
        keeps=site.reviews is not None,
        has_changed=bool(history) and history[-1].digests != digests,
        verdicts=VERDICTS,
    )


def _view(site: Site, names: Names, options: RankingOptions, neighbours: "Neighbours | None") -> dict[str, Any]:
    """Return both documents side by side, with all that they share.

    The measures are those of the ranking, if the pair is in it. Else they are counted as `Database.explain` does,
    which reads all documents, or, of many documents, by all hashes of the two.
    """
    by = options.by
    if neighbours is not None:
        return site.db.pair_view(*names, pair=neighbours.pair, by=by, max_df=0).to_dict()
    if len(site.db) > AT_ONCE:
        return site.db.pair_view(*names, pair=_count(site, names), max_df=0).to_dict()
    return site.db.pair_view(*names, by="containment" if by in REGIONAL else by, max_df=0).to_dict()


def _count(site: Site, names: Names) -> Pair:
    """Return a pair with its measures by all hashes of both documents that are not boilerplate."""
    with site.db.snapshot() as snapshot:
        ids = [find_document(snapshot, name)[0] for name in names]
        scanned = {number: hashes for number, hashes, _ in scan_documents(snapshot, np.array(sorted(ids), np.uint32))}
        a, b = (np.setdiff1d(scanned[number], snapshot.boilerplate()) for number in ids)
    shared = len(np.intersect1d(a, b))
    in_b, in_a, of_both = (shared / max(count, 1) for count in (len(a), len(b), len(a) + len(b) - shared))
    return Pair(*names, shared, in_b, in_a, of_both)


class Neighbours(NamedTuple):
    """The place of a pair in its ranking, and the pairs before and after it."""

    pair: Pair
    rank: int
    total: int
    before: Pair | None
    after: Pair | None


def _neighbours(site: Site, options: RankingOptions, names: Names) -> Neighbours | None:
    ranking = site.rankings.get(options)
    if ranking is None or ranking.ranked is None:
        return None
    listed = ranking.ranked.pairs
    if options.by_owner:
        listed = [part for owners in listed for part in owners.document_pairs or ()]
    for index, each in enumerate(listed):
        if in_order(each.a, each.b) == names:
            before = listed[index - 1] if index else None
            after = listed[index + 1] if index + 1 < len(listed) else None
            return Neighbours(each, index + 1, len(listed), before, after)
    return None


def _rows(site: Site, ranked: RankedPairs, by: str) -> list[RankedPair]:
    reviews = site.reviews.latest() if site.reviews else {}

    def row(rank: int, each: Pair) -> RankedPair:
        parts = [row(number, part) for number, part in enumerate(each.document_pairs or (), 1)]
        names = None if each.document_pairs else in_order(each.a, each.b)
        return RankedPair(rank, each, each.score(by), None if names is None else reviews.get(names), parts)

    return [row(rank, each) for rank, each in enumerate(ranked.pairs, 1)]


def _is_wanted(row: RankedPair, reviewed: str) -> bool:
    if row.parts:
        return any(_is_wanted(part, reviewed) for part in row.parts)
    return not reviewed or reviewed == (UNREVIEWED if row.review is None else row.review.verdict)


def _options(site: Site, fields: Mapping[str, str]) -> RankingOptions:
    by, minimum = cast("PairMeasure", fields.get("by") or site.db.recipe.pair_measure), fields.get("min")
    least = float(minimum) if minimum else None
    options = RankingOptions(by, least, fields.get("owners", ""), bool(fields.get("by_owner")), fields.get("names", ""))
    PairOptions(**{name: value for name, value in options.keywords().items() if name != "document_pairs"})  # checks
    return options


def _names_in(request: Request) -> Names:
    fields = fields_of(request)
    a, b = fields.get("a"), fields.get("b")
    if not a or not b or a == b:
        raise BadRequest("The address names no pair of documents.")
    return in_order(a, b)
