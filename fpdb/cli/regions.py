"""Print regions for people: under each match or pair, where the texts agree."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fpdb import SymbolPlace
from fpdb.cli.terminal import count_text, printable, write_line

if TYPE_CHECKING:
    from fpdb import Match, MatchedRegion, Pair, TextPlace

REGION_LIMIT = 5
LINE_LIMIT = 3
LINE_WIDTH = 100

UNREAD = {
    "changed": "its source has changed since it was added: positions only",
    "gone": "its source is gone, and its text was not kept: positions only",
    "not_kept": "it did not come from a file here, and its text was not kept: positions only",
    "outside": "its source is not below a folder that you named (--sources DIR): positions only",
    "unavailable": "its source cannot be read: positions only",
}

_LINE_END = re.compile(r"\r\n|\r|\n")


def show_match_regions(matches: "Sequence[Match]", text: str) -> None:
    """Print the largest regions of each match, in the order of the query, with lines of its text."""
    lines = _LINE_END.split(text)
    for rank, match in enumerate(matches, start=1):
        regions = match.regions or []
        covered = f"{match.query_coverage or 0:.1%} of the query and {match.document_coverage or 0:.1%} of the document"
        notes = [count_text(len(regions), "region"), covered]
        if match.source in UNREAD:
            notes.append(UNREAD[match.source])
        _show(f"{rank}  {match.name}: {', '.join(notes)}", regions, lambda region: _with_lines(region, lines))


def show_pair_regions(pairs: "Sequence[Pair]") -> None:
    """Print the largest regions of each pair, in the order of a."""
    for rank, pair in enumerate(pairs, start=1):
        if pair.regions is None:
            notes = ["no region can be told"]
        else:
            covered = f"{pair.coverage_a or 0:.1%} of a and {pair.coverage_b or 0:.1%} of b"
            notes = [count_text(len(pair.regions), "region"), covered]
            for side, source in (("a", pair.source_a), ("b", pair.source_b)):
                if source in UNREAD:
                    notes.append(f"{side}: {UNREAD[source]}")
        heading = f"{rank}  {pair.a} and {pair.b}: {', '.join(notes)}"
        _show(heading, pair.regions or [], lambda region: [_equation(region)])


def _show(
    heading: str, regions: "Sequence[MatchedRegion]", lines_of: "Callable[[MatchedRegion], Iterable[str]]"
) -> None:
    write_line()
    write_line(heading)
    largest = sorted(range(len(regions)), key=lambda index: (-regions[index].shared, index))[:REGION_LIMIT]
    for index in sorted(largest):
        for line in lines_of(regions[index]):
            write_line(line)
    if len(regions) > len(largest):
        write_line(f"  {count_text(len(regions) - len(largest), 'smaller region')} more; see --format json")


def _equation(region: "MatchedRegion") -> str:
    return f"  {_place_text(region.a)} = {_place_text(region.b)} ({region.shared:,} shared)"


def _with_lines(region: "MatchedRegion", lines: Sequence[str]) -> Iterator[str]:
    yield _equation(region)
    if isinstance(region.a, SymbolPlace):
        return
    first, last = region.a.first_line, region.a.last_line
    width = len(str(last))
    for number in range(first, min(last, first + LINE_LIMIT - 1) + 1):
        yield f"    {number:>{width}}  {_cut(lines[number - 1])}".rstrip()
    if last >= first + LINE_LIMIT:
        yield f"    {'...':>{width}}"


def _place_text(place: "TextPlace | SymbolPlace") -> str:
    if isinstance(place, SymbolPlace):
        noun, first, last = "symbol", place.first_symbol, place.last_symbol
    else:
        noun, first, last = "line", place.first_line, place.last_line
    return f"{noun} {first}" if first == last else f"{noun}s {first}-{last}"


def _cut(line: str) -> str:
    text = printable(line.expandtabs(4).strip())
    return text if len(text) <= LINE_WIDTH else text[: LINE_WIDTH - 3] + "..."
