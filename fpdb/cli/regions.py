"""Print regions for people: under each match or pair, where the texts agree."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal

from fpdb import SymbolPlace
from fpdb.cli.terminal import count_text, write_line

if TYPE_CHECKING:
    from fpdb import Database, Document, Match, MatchedRegion, Pair, TextPlace
    from fpdb.fingerprint import Recipe

REGION_LIMIT = 5
LINE_LIMIT = 3
LINE_WIDTH = 100
CONTEXT = 20  # characters before a match
TEXTS = 16
"""Texts that stay in memory while those of pairs are shown."""

UNREAD = {
    "changed": "its source has changed since it was added: positions only",
    "gone": "its source is gone, and its text was not kept: positions only",
    "not_kept": "it did not come from a file here, and its text was not kept: positions only",
    "outside": "its source is not below a folder that you named (--sources DIR): positions only",
    "unavailable": "its source cannot be read: positions only",
}

_LINE_END = re.compile(r"\r\n|\r|\n")


def show_match_regions(
    matches: "Sequence[Match]", text: str, other_text: "Callable[[Match], str | None] | None" = None
) -> None:
    """Print the largest regions of each match, in the order of the query, with what its text has there.

    other_text: returns the text of the document, of which the same is printed.
    """
    lines = _LINE_END.split(text)
    for rank, match in enumerate(matches, start=1):
        regions = match.regions or []
        covered = f"{match.query_coverage or 0:.1%} of the query and {match.document_coverage or 0:.1%} of the document"
        notes = [_count(regions, match.query_coverage), covered]
        if match.source in UNREAD:
            notes.append(UNREAD[match.source])
        other = None if other_text is None else other_text(match)
        show_text = partial(_with_text, lines=lines, other_lines=None if other is None else _LINE_END.split(other))
        _show(f"{rank}  {match.name}: {', '.join(notes)}", regions, show_text)


def show_pair_regions(pairs: "Sequence[Pair]", db: "Database", *, both: bool) -> None:
    """Print the largest regions of each pair, in the order of a, with what a has there.

    both: What b has is printed, too.
    """

    @lru_cache(TEXTS)
    def lines_of(name: str) -> list[str]:
        return _LINE_END.split(document_text(db, name))

    for rank, pair in enumerate(pairs, start=1):
        if pair.regions is None:
            notes = ["no region can be told"]
        else:
            covered = f"{pair.coverage_a or 0:.1%} of a and {pair.coverage_b or 0:.1%} of b"
            notes = [_count(pair.regions, pair.coverage_a), covered]
            for side, source in (("a", pair.source_a), ("b", pair.source_b)):
                if source in UNREAD:
                    notes.append(f"{side}: {UNREAD[source]}")
        heading = f"{rank}  {pair.a} and {pair.b}: {', '.join(notes)}"
        lines = lines_of(pair.a) if pair.regions and pair.source_a == "same" else None
        other_lines = lines_of(pair.b) if pair.regions and pair.source_b == "same" and both else None
        _show(heading, pair.regions or [], partial(_with_text, lines=lines, other_lines=other_lines))


def original_text(db: "Database", document: "Document") -> str | bytes:
    """Return a stored document's content, decoded if an encoding was given when it was added."""
    content = db.original(document.name)
    if document.encoding is None or isinstance(content, str):
        return content
    return content.decode(document.encoding).removeprefix("\ufeff")


def document_text(db: "Database", name: str) -> str:
    """Return the text of a stored document that can be read."""
    document = db.document(name)
    return text_of(db.recipe, original_text(db, document), document.kind, name)


def text_of(recipe: "Recipe", content: str | bytes, kind: str, name: str | None) -> str:
    """Return the text of a document, in which the places of regions are."""
    source = recipe.fingerprint(content, kind, name=name).source
    return source.text if source else ""


def _count(regions: "Sequence[MatchedRegion]", covered: float | None) -> str:
    """Return the number of regions; of short ones alone, which are left out by default, how to see them."""
    if covered and not regions:
        return "only regions shorter than a sentence (--shortest 1 shows them)"
    return count_text(len(regions), "region")


def _show(
    heading: str, regions: "Sequence[MatchedRegion]", lines_of: "Callable[[MatchedRegion], Iterable[str]]"
) -> None:
    write_line()
    write_line(heading)
    largest = sorted(range(len(regions)), key=lambda index: (-regions[index].matched_fingerprints, index))[
        :REGION_LIMIT
    ]
    for index in sorted(largest):
        for line in lines_of(regions[index]):
            write_line(line)
    if len(regions) > len(largest):
        write_line(f"  {count_text(len(regions) - len(largest), 'smaller region')} more; see --format json")


def _equation(region: "MatchedRegion") -> str:
    return f"  {region.a.in_words} = {region.b.in_words} ({region.matched_fingerprints:,} matched)"


def _with_text(
    region: "MatchedRegion", lines: Sequence[str] | None, other_lines: Sequence[str] | None
) -> Iterator[str]:
    yield _equation(region)
    for place, side in ((region.a, lines), (region.b, other_lines)):
        if side is not None and not isinstance(place, SymbolPlace):
            yield from _excerpt(place, side)
            if side is lines and other_lines is not None:
                yield "    ="


def _excerpt(place: "TextPlace", lines: Sequence[str]) -> Iterator[str]:
    """Yield the first lines of a place, numbered, with marks where it begins and ends."""
    first, last = place.first_line, place.last_line
    before_first, before_last = first - _line(place, "first"), last - _line(place, "last")
    width = len(str(last - min(before_first, before_last)))
    for number in range(first, min(last, first + LINE_LIMIT - 1) + 1):
        start = place.first_column - 1 if number == first else None
        end = place.last_column if number == last else None
        shown = number - (before_last if number > before_last else before_first)
        yield f"    {shown:>{width}}  {mark_part(lines[number - 1], start, end)}".rstrip()
    if last >= first + LINE_LIMIT:
        yield f"    {'...':>{width}}"


def mark_part(line: str, start: int | None, end: int | None) -> str:
    """Return a line with « before the index `start` and » before the index `end`, if they are given.

    Of a line that is too long, only what is around the beginning of the match is left.
    """
    text = line.expandtabs(4)
    begin, behind = (len(line[:index].expandtabs(4)) for index in (start or 0, len(line) if end is None else end))
    low = max(begin - CONTEXT, 0) if behind > LINE_WIDTH else 0
    high = min(low + LINE_WIDTH, len(text))
    before = "..." * (low > 0) + text[low:begin] + "«" * (start is not None)
    match = text[begin : min(behind, high)] + "»" * (end is not None and behind <= high)
    return before + match + text[behind:high] + "..." * (high < len(text))


def _line(place: "TextPlace", side: Literal["first", "last"]) -> int:
    """Return the first or the last line of a place, as its part counts lines if the document has parts."""
    part = place.first_part if side == "first" else place.last_part
    return (place.first_line if side == "first" else place.last_line) if part is None else part.line
