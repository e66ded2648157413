"""Queries that a browser sent: kept for a while, so that their pages can be reloaded, and answered with excerpts."""

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import replace
from typing import Any, Final, NamedTuple

from fpdb.database import Database
from fpdb.errors import NoSuchDocument
from fpdb.limits import MAX_UPLOAD_BYTES
from fpdb.regions.places import MatchedRegion, TextPlace
from fpdb.report.contents import Limits
from fpdb.report.pair_view import TEXT, PairView
from fpdb.search.options import ContentOptions
from fpdb.search.query_fingerprints import QueryDocument
from fpdb.search.results import Answer, Match

PASTED: Final = "the pasted text"
SHOWN: Final = 25
"""Matches that a page shows."""
_CONTEXT, _PASSAGE = 60, 300  # characters around a passage, and of it


class KeptQueries:
    """The last queries, up to as many bytes in all as one may have. Several threads may use it."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = threading.Lock()
        self._queries: OrderedDict[str, QueryDocument] = OrderedDict()
        self._bytes = 0

    def keep(self, query: QueryDocument) -> str:
        """Keep a query, forget the oldest ones if they are too much together, and return its key."""
        key = secrets.token_urlsafe(9)
        with self._lock:
            self._queries[key] = query
            self._bytes += len(query.content)
            while self._bytes > MAX_UPLOAD_BYTES and len(self._queries) > 1:
                _, oldest = self._queries.popitem(last=False)
                self._bytes -= len(oldest.content)
        return key

    def get(self, key: str) -> QueryDocument | None:
        """Return the query of a key, or None if it is not kept any more."""
        with self._lock:
            return self._queries.get(key)


class PassageInContext(NamedTuple):
    """The longest passage of the query that a document has, with what is around it, and both places."""

    before: str
    passage: str
    after: str
    query_place: str
    document_place: str


class FoundMatch(NamedTuple):
    """A match; excerpt: None if the passage has no place in the query's text."""

    match: Match
    excerpt: PassageInContext | None


class Found(NamedTuple):
    """The answer to a query, its first matches, and the seconds that it took. more: True if there are others."""

    answer: Answer
    matches: list[FoundMatch]
    more: bool
    seconds: float


def ask(db: Database, query: QueryDocument, encoding: str | None = None) -> Found:
    """Return the documents that share text with a query; encoding, and what is raised: see `Searchable.query`."""
    start = time.perf_counter()
    options = ContentOptions(regions=True, encoding=encoding, ranking={"top": SHOWN + 1})
    with db.searcher() as searcher:
        ranked = searcher.rank_document(query, options)
    matches = [FoundMatch(match, _excerpt(match, ranked.query.text)) for match in ranked.answer.matches[:SHOWN]]
    return Found(ranked.answer, matches, len(ranked.answer) > SHOWN, time.perf_counter() - start)


def ask_by_hashes(db: Database, name: str) -> Found:
    """Return the documents that share hashes with a stored one that cannot be read. Raises NoSuchDocument."""
    start = time.perf_counter()
    answer = db.query_stored(name, top=SHOWN + 1)
    matches = [FoundMatch(match, None) for match in answer.matches[:SHOWN]]
    return Found(answer, matches, len(answer) > SHOWN, time.perf_counter() - start)


def view_match(db: Database, query: QueryDocument, name: str) -> dict[str, Any]:
    """Return a query beside one of its matches, as `PairView.to_dict` does. Raises NoSuchDocument if it is none."""
    found = ask(db, query)
    matches = [each.match for each in found.matches if each.match.name == name]
    if not matches:
        raise NoSuchDocument(f"{name!r} is not among the matches of the query")
    report = db.report(limits=Limits(rows=1, text=TEXT))
    asked = found.answer.query._replace(name=query.name or PASTED)
    report.add_answer(replace(found.answer, query=asked, matches=matches), query.content)
    return PairView(report.contents).to_dict()


def _excerpt(match: Match, text: str) -> PassageInContext | None:
    region = max(match.regions or (), key=_length, default=None)
    if region is None or not isinstance(region.a, TextPlace):
        return None
    start, end = region.a.interval
    before, passage = text[max(start - _CONTEXT, 0) : start], text[start:end]
    after = text[end : end + _CONTEXT]
    if start > _CONTEXT:
        before = f"\u2026 {before.partition(' ')[2]}"
    if len(passage) > _PASSAGE:
        passage, after = passage[:_PASSAGE].rpartition(" ")[0] or passage[:_PASSAGE], "\u2026"
    elif end + _CONTEXT < len(text):
        after = f"{after.rpartition(' ')[0]} \u2026"
    return PassageInContext(before, passage, after, region.a.in_words, region.b.in_words)


def _length(region: MatchedRegion) -> int:
    start, end = region.a.interval
    return end - start
