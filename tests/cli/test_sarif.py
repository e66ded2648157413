"""SARIF: a result for each region."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from tests.cli.conftest import Run
from tests.cli.json_lines import objects
from tests.cli.prose import prose


def test_sarif_has_a_result_a_region(shared_lines: Run) -> None:
    """With the lines of JSON; names as URIs, and as text that no reader takes for a link."""
    hostile = "[c](http:x) {0}\udce9.txt"
    Path(hostile).write_text(Path("a.txt").read_text())
    shared_lines("add", hostile, "--keep-text")
    pairs, query = ("pairs",), ("query", "draft.txt")
    for command in (pairs, (*pairs, "--by", "coverage"), query, (*query, "a.txt", "--min", "0.1")):
        said = json.loads(shared_lines(*command, "--format", "sarif").stdout)
        (run,) = said["runs"]
        assert (said["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "fpdb")
        found = objects(shared_lines(*command, "--regions", "--format", "json").stdout)
        expected = [places for one in found for places in (of_answer(one) if "query" in one else of_pair(one))]
        assert len(expected) > 2
        assert [
            [located(place["physicalLocation"]) for place in (*result["locations"], *result["relatedLocations"])]
            for result in run["results"]
        ] == expected
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            assert rules[result["ruleIndex"]] == result["ruleId"]
            assert not set("[]{}") & set(result["message"]["text"])
    Path("a.txt").unlink()
    run = json.loads(shared_lines("pairs", "--format", "sarif").stdout)["runs"][0]
    locations = [one["physicalLocation"] for result in run["results"] for one in result["locations"]]
    assert any("region" not in location for location in locations)
    Path("new.txt").write_text(prose(9, 60))
    run = json.loads(shared_lines("query", "new.txt", "--format", "sarif").stdout)["runs"][0]
    assert run["results"] == []


def of_pair(pair: dict[str, Any]) -> list[list[tuple[Any, ...]]]:
    return [[placed(pair[side], region[side]) for side in "ab"] for region in pair["regions"]]


def of_answer(answer: dict[str, Any]) -> list[list[tuple[Any, ...]]]:
    return [
        [placed(answer["query"]["name"], region["query"]), placed(match["name"], region["document"])]
        for match in answer["matches"]
        for region in match["regions"]
    ]


def placed(name: str, place: dict[str, int]) -> tuple[Any, ...]:
    columns = place["first_column"], place["last_column"] + 1
    return name, place["first_line"], place["last_line"], *columns, place["start"], place["end"]


def located(location: dict[str, Any]) -> tuple[Any, ...]:
    name = unquote_to_bytes(location["artifactLocation"]["uri"]).decode("utf-8", "surrogateescape")
    region = location["region"]
    columns = region["startColumn"], region["endColumn"]
    return name, region["startLine"], region["endLine"], *columns, *map(region["properties"].get, ("start", "end"))
