"""Regions for a person: under each match, the lines of the query that match, and where they stand in the document."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fpdb.cli.output import count_text, printable, write_line

if TYPE_CHECKING:
    from fpdb import Match

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
        write_line()
        write_line(f"{rank}  {match.name}: {', '.join(_about(match))}")
        largest = sorted(range(len(regions)), key=lambda index: (-regions[index]["shared"], index))[:REGIONS_A_MATCH]
        for index in sorted(largest):
            for line in _region(regions[index], lines):
                write_line(line)
        if len(regions) > len(largest):
            write_line(f"  {count_text(len(regions) - len(largest), 'smaller region')} more; see --format json")


def _about(match: "Match") -> Iterator[str]:
    yield count_text(len(match.regions or []), "region")
    yield f"{match.query_coverage or 0:.1%} of the query and {match.document_coverage or 0:.1%} of the document"
    if match.source in UNREAD:
        yield UNREAD[match.source]


def _region(region: dict[str, Any], lines: Sequence[str]) -> Iterator[str]:
    here, there = region["query"], region["document"]
    first, last = here["first_line"], here["last_line"]
    where = _span("line", there["first_line"], there["last_line"]) if "first_line" in there else _symbols(there)
    yield f"  {_span('line', first, last)} = {where} ({region['shared']:,} shared)"
    width = len(str(last))
    for number in range(first, min(last, first + LINES_A_REGION - 1) + 1):
        yield f"    {number:>{width}}  {_cut(lines[number - 1])}".rstrip()
    if last >= first + LINES_A_REGION:
        yield f"    {'...':>{width}}"


def _symbols(there: dict[str, int]) -> str:
    return f"symbols {there['first_symbol']}-{there['last_symbol']}"


def _span(noun: str, first: int, last: int) -> str:
    return f"{noun} {first}" if first == last else f"{noun}s {first}-{last}"


def _cut(line: str) -> str:
    shown = printable(line.expandtabs(4).strip())
    return shown if len(shown) <= CHARACTERS_A_LINE else shown[: CHARACTERS_A_LINE - 3] + "..."
