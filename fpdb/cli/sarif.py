"""SARIF 2.1.0 (OASIS), which code hosts and editors show beside the lines: a result a region of a pair or match."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fpdb import TextPlace, __version__
from fpdb.cli.output import encoded

if TYPE_CHECKING:
    from fpdb import Answer, MatchedRegion, Pair, SymbolPlace

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULE = "shared-text"


def write_sarif(results: Iterable[dict[str, Any]]) -> None:
    """One document with all results, written as they come."""
    rule = {"id": RULE, "shortDescription": {"text": "Two documents have text in common."}}
    driver = encoded({"name": "fpdb", "version": __version__, "rules": [rule]})
    sys.stdout.write(f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{{"tool": {{"driver": {driver}}}, ')
    sys.stdout.write('"newlineSequences": ["\\r\\n", "\\n", "\\r"], "results": [')
    for index, result in enumerate(results):
        sys.stdout.write((",\n" if index else "\n") + encoded(result))
    sys.stdout.write("\n]}]}\n")


def results_of_pairs(found: "Iterable[Pair]") -> Iterator[dict[str, Any]]:
    """Of pairs with their regions: where a has them, related to where b has them."""
    for pair in found:
        said = pair.to_dict()
        said.pop("regions", None)
        yield from _results(said.pop("a"), said.pop("b"), pair.containment_a, said, pair.regions)


def results_of_answers(answers: "Iterable[Answer]") -> Iterator[dict[str, Any]]:
    """Of answers with their regions: where the query has them, related to where the document has them."""
    for answer in answers:
        for match in answer.matches:
            said = match.to_dict()
            said.pop("regions", None)
            yield from _results(answer.query.name or "-", said.pop("name"), match.containment, said, match.regions)


def _results(
    one: str,
    other: str,
    containment: float,
    measures: Mapping[str, Any],
    regions: "Sequence[MatchedRegion] | None",
) -> Iterator[dict[str, Any]]:
    """One for each region, or one for the documents as wholes."""
    places: list[tuple[TextPlace | SymbolPlace | None, ...]] = [(region.a, region.b) for region in regions or ()]
    for here, there in places or [(None, None)]:
        yield {
            "ruleId": RULE,
            "ruleIndex": 0,
            "level": "note",
            "message": {"text": f"This is also in {_shown(other)}, which has {containment:.1%} of {_shown(one)}."},
            "locations": [{"physicalLocation": _location(one, here)}],
            "relatedLocations": [{"id": 1, "physicalLocation": _location(other, there)}],
            "properties": dict(measures),
        }


def _location(name: str, place: "TextPlace | SymbolPlace | None") -> dict[str, Any]:
    """A document, and lines of it if they are known; characters as properties, since a region has either or columns."""
    uri = quote(name.encode("utf-8", "surrogateescape"))
    location: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if isinstance(place, TextPlace):
        location["region"] = {
            "startLine": place.first_line,
            "endLine": place.last_line,
            "properties": {"start": place.start, "end": place.end},
        }
    return location


def _shown(name: str) -> str:
    """A name within a message, in which brackets and braces would mean links and arguments."""
    return quote(name.encode("utf-8", "surrogateescape"), safe="/ ._-()+,")
