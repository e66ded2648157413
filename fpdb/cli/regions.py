"""Regions for a person: under each match, the lines of the query that match, and where they stand in the document;
under each pair, where they stand in both."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fpdb import SymbolPlace
from fpdb.cli.output import count_text, printable, write_line

if TYPE_CHECKING:
    from fpdb import Match, MatchedRegion, Pair, TextPlace

REGIONS_A_MATCH = 5
LINES_A_REGION = 3
CHARACTERS_A_LINE = 100

UNREAD = {
    "changed": "its source has changed since it was added: positions only",
    "gone": "its source is gone, and its text was not kept: positions only",
    "not_kept": "it did not come from a file here, and its text was not kept: positions only",
    "unavailable": "its source cannot be read: positions only",
}

_LINE_END = re.compile(r"\r\n|\r|\n")


def show_regions(matches: "Sequence[Match]", text: str) -> None:
    """The regions with the most shared fingerprints of each match, in order of the query. text: the query's."""
    lines = _LINE_END.split(text)
    for rank, match in enumerate(matches, start=1):
        regions = match.regions or []
        covered = f"{match.query_coverage or 0:.1%} of the query and {match.document_coverage or 0:.1%} of the document"
        about = [count_text(len(regions), "region"), covered]
        if match.source in UNREAD:
            about.append(UNREAD[match.source])
        _show(f"{rank}  {match.name}: {', '.join(about)}", regions, lambda region: _with_lines(region, lines))


def show_pair_regions(pairs: "Sequence[Pair]") -> None:
    """The same of each pair, in order of a, without lines."""
    for rank, pair in enumerate(pairs, start=1):
        if pair.regions is None:
            about = ["no region can be told"]
        else:
            covered = f"{pair.coverage_a or 0:.1%} of a and {pair.coverage_b or 0:.1%} of b"
            about = [count_text(len(pair.regions), "region"), covered]
            for side, source in (("a", pair.source_a), ("b", pair.source_b)):
                if source in UNREAD:
                    about.append(f"{side}: {UNREAD[source]}")
        heading = f"{rank}  {pair.a} and {pair.b}: {', '.join(about)}"
        _show(heading, pair.regions or [], lambda region: [_equation(region)])


def _show(
    heading: str, regions: "Sequence[MatchedRegion]", lines_of: "Callable[[MatchedRegion], Iterable[str]]"
) -> None:
    write_line()
    write_line(heading)
    largest = sorted(range(len(regions)), key=lambda index: (-regions[index].shared, index))[:REGIONS_A_MATCH]
    for index in sorted(largest):
        for line in lines_of(regions[index]):
            write_line(line)
    if len(regions) > len(largest):
        write_line(f"  {count_text(len(regions) - len(largest), 'smaller region')} more; see --format json")


def _equation(region: "MatchedRegion") -> str:
    return f"  {_where(region.a)} = {_where(region.b)} ({region.shared:,} shared)"


def _with_lines(region: "MatchedRegion", lines: Sequence[str]) -> Iterator[str]:
    yield _equation(region)
    if isinstance(region.a, SymbolPlace):
        return
    first, last = region.a.first_line, region.a.last_line
    width = len(str(last))
    for number in range(first, min(last, first + LINES_A_REGION - 1) + 1):
        yield f"    {number:>{width}}  {_cut(lines[number - 1])}".rstrip()
    if last >= first + LINES_A_REGION:
        yield f"    {'...':>{width}}"


def _where(place: "TextPlace | SymbolPlace") -> str:
    if isinstance(place, SymbolPlace):
        noun, first, last = "symbol", place.first_symbol, place.last_symbol
    else:
        noun, first, last = "line", place.first_line, place.last_line
    return f"{noun} {first}" if first == last else f"{noun}s {first}-{last}"


def _cut(line: str) -> str:
    shown = printable(line.expandtabs(4).strip())
    return shown if len(shown) <= CHARACTERS_A_LINE else shown[: CHARACTERS_A_LINE - 3] + "..."
