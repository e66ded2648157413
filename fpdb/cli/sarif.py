"""Write regions as SARIF 2.1.0 (OASIS), which code hosts and editors show beside the lines."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fpdb import TextPlace, __version__
from fpdb.cli.output import encode_json

if TYPE_CHECKING:
    from fpdb import Answer, MatchedRegion, Pair, SymbolPlace

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULE = "shared-text"
_PLACE_PROPERTIES = ("start", "end", "first_part", "last_part")


def write_sarif(results: Iterable[dict[str, Any]]) -> None:
    """Write one document with all results, each as it comes."""
    rule = {"id": RULE, "shortDescription": {"text": "Two documents have text in common."}}
    driver = encode_json({"name": "fpdb", "version": __version__, "rules": [rule]})
    sys.stdout.write(f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{{"tool": {{"driver": {driver}}}, ')
    sys.stdout.write('"columnKind": "unicodeCodePoints", "newlineSequences": ["\\r\\n", "\\n", "\\r"], "results": [')
    for index, result in enumerate(results):
        sys.stdout.write((",\n" if index else "\n") + encode_json(result))
    sys.stdout.write("\n]}]}\n")


def pair_results(pairs: "Iterable[Pair]") -> Iterator[dict[str, Any]]:
    """Return the results for pairs with regions: places in a, related to places in b."""
    for pair in pairs:
        yield from _results((pair.a, pair.b), pair.containment_a, pair.to_dict(), pair.regions)


def answer_results(answers: "Iterable[Answer]") -> Iterator[dict[str, Any]]:
    """Return the results for answers with regions: places in the query, related to places in the document."""
    for answer in answers:
        for match in answer.matches:
            names = answer.query.name or "-", match.name
            yield from _results(names, match.containment, match.to_dict(), match.regions)


def _results(
    names: tuple[str, str], containment: float, values: Mapping[str, Any], regions: "Iterable[MatchedRegion] | None"
) -> Iterator[dict[str, Any]]:
    """Return a result for each region, or one for the whole documents."""
    name, other_name = names
    properties = {name: value for name, value in values.items() if name not in ("a", "b", "name", "regions")}
    places: list[tuple[TextPlace | SymbolPlace | None, ...]] = [(region.a, region.b) for region in regions or ()]
    for place, other in places or [(None, None)]:
        text = f"This is also in {_escape(other_name)}, which has {containment:.1%} of {_escape(name)}."
        yield {
            "ruleId": RULE,
            "ruleIndex": 0,
            "level": "note",
            "message": {"text": text},
            "locations": [{"physicalLocation": _location(name, place)}],
            "relatedLocations": [{"id": 1, "physicalLocation": _location(other_name, other)}],
            "properties": properties,
        }


def _location(name: str, place: "TextPlace | SymbolPlace | None") -> dict[str, Any]:
    """Return a document, and its lines and columns if known.

    Characters are properties: a region has lines or characters.
    """
    uri = quote(name.encode("utf-8", "surrogateescape"))
    location: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if isinstance(place, TextPlace):
        location["region"] = {
            "startLine": place.first_line,
            "startColumn": place.first_column,
            "endLine": place.last_line,
            "endColumn": place.last_column + 1,
            "properties": {name: value for name, value in place.to_dict().items() if name in _PLACE_PROPERTIES},
        }
    return location


def _escape(name: str) -> str:
    """Escape a name for a message, in which brackets and braces would mean links and arguments."""
    return quote(name.encode("utf-8", "surrogateescape"), safe="/ ._-()+,")
