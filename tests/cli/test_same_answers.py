"""The same documents give the same bytes, in whatever order and commits they came; measures of known relatives."""

import csv
import io
import itertools
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.prose import prose

MEASURES = ["containment", "resemblance", "shared", "weighted-containment", "weighted-resemblance"]
QUERY_MEASURES = ["containment", "resemblance", "shared", "weighted-containment", "similarity", "reverse-containment"]


@pytest.fixture
def texts() -> list[str]:
    """Documents that share much, one of them a block ten times, and one that is all template."""
    block = prose(1, 60)
    made = {
        "ten.txt": "\n".join([block] * 10),
        "one.txt": f"{prose(2, 80)}\n{block}",
        "both.txt": f"{block}\n{prose(2, 80)}\n{prose(3, 40)}",
        "copy.txt": f"{prose(2, 80)}\n{block}",
        "sub/other.txt": f"{prose(4, 90)}\n{prose(3, 40)}",
        "template.txt": prose(3, 40),
    }
    Path("sub").mkdir()
    for name, text in made.items():
        Path(name).write_text(text)
    return sorted(made)


def everything(run: Run) -> dict[tuple[str, ...], bytes | str]:
    """Return what the program prints and writes about the documents."""
    found: dict[tuple[str, ...], bytes | str] = {}
    queries = ["one.txt", "ten.txt", "sub"]
    for form, by in [*itertools.product(["json"], MEASURES), *itertools.product(["csv", "table"], MEASURES[-2:])]:
        for command in (("pairs",), ("pairs", "--top", "2"), ("pairs", "--clusters"), ("pairs", "--max-df", "3")):
            line = (*command, "--by", by, "--format", form)
            found[line] = run(*line).stdout
    for form, by in itertools.product(["json", "csv", "table"], ["coverage", "similarity"]):
        for options in ((), ("--regions",), ("--top", "2", "--min", "0.001", "--max-df", "3")):
            line = ("pairs", "--by", by, "--format", form, *options)
            found[line] = run(*line).stdout
            line = ("query", *queries, "--by", by.replace("coverage", "query-coverage"), "--format", form, *options)
            found[line] = run(*line).stdout
    for form, by in [
        *itertools.product(["json"], QUERY_MEASURES),
        *itertools.product(["csv", "table"], QUERY_MEASURES[3:5]),
    ]:
        for options in ((), ("--smallest", "9"), ("--max-df", "3", "--max-ignored", "2"), ("--regions",)):
            line = ("query", *queries, "--by", by, "--format", form, *options)
            found[line] = run(*line).stdout
    for command in (
        ("pairs", "--by", "weighted-resemblance"),
        ("pairs", "--by", "similarity"),
        ("pairs", "--max-df", "3"),
        ("query", *queries),
        ("query", *queries, "--by", "document-coverage"),
    ):
        run(*command, "--report", "r.html")
        page = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "", Path("r.html").read_text())  # when it was made
        found[(*command, "--report")] = page
        Path("r.html").unlink()
    return found


def test_any_order_of_adding_gives_the_same_bytes(run: Run, texts: list[str]) -> None:
    answers = []
    for seed in range(3):
        order = random.Random(seed).sample(texts, len(texts))
        if seed == 1:  # in one commit, and all but one of them replaced by themselves
            run("add", "ten.txt", "--name", "one.txt")
            run("add", "--boilerplate", "template.txt")
            run("add", *(name for name in order if name != "template.txt"))
        else:
            for name in order:
                run("add", name, *(["--boilerplate"] if name == "template.txt" else []))
        answers.append(everything(run))
        assert run("check").stdout == "sound\n"
        Path("corpus.fpdb").unlink()
    assert answers[0] == answers[1] == answers[2]
    assert all(answers[0].values())


def test_every_measure_is_a_share_and_the_same_from_either_side(run: Run, texts: list[str]) -> None:
    run("add", *texts)
    pairs = {(pair["a"], pair["b"]): pair for pair in objects(run, "pairs", "--by", "weighted-containment")}
    assert len(pairs) > 5
    options = ("--by", "weighted-containment", "--regions")
    answers = {name: objects(run, "query", name, *options)[0]["matches"] for name in texts}
    found = {(name, match["name"]): match for name, matches in answers.items() for match in matches}
    assert set(found) == set(pairs) | {(b, a) for a, b in pairs}
    for (name, other), match in found.items():
        turned = found[other, name]
        assert match["resemblance"] == turned["resemblance"]
        assert match["containment"] == turned["reverse_containment"]
        assert match["query_coverage"] == pytest.approx(turned["document_coverage"], abs=0.05)
        shares = [value for field, value in match.items() if isinstance(value, float)]
        assert len(shares) == 6
        assert all(0 <= value <= 1 for value in shares)
    for (a, b), pair in pairs.items():
        match = found[a, b]
        for kind in ("", "weighted_"):
            assert pair[f"{kind}containment_a"] == match[f"{kind}containment"]
            assert pair[f"{kind}containment_b"] == found[b, a][f"{kind}containment"]
        assert pair["resemblance"] == match["resemblance"]


def objects(run: Run, *command: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*command, "--format", "json").stdout.splitlines()]


def test_sixty_lines_in_six_thousand(run: Run) -> None:
    """The small file is wholly in the large one, of which it is a hundredth; the lines are exact on both sides."""
    lines = [prose(seed, 10).replace("\n", " ") for seed in range(6_000)]
    Path("large.txt").write_text("\n".join(lines))
    Path("small.txt").write_text("\n".join(lines[3_000:3_060]))
    run("add", "large.txt", "small.txt")
    (small,) = objects(run, "query", "small.txt", "--regions")[0]["matches"]
    (large,) = objects(run, "query", "large.txt", "--regions")[0]["matches"]
    assert small["containment"] == large["reverse_containment"] > 0.98
    assert 0.005 < small["reverse_containment"] == large["containment"] < 0.015
    assert (small["query_coverage"], large["document_coverage"]) == (1, 1)
    assert small["document_coverage"] == pytest.approx(0.01, abs=0.003)
    (region,) = small["regions"]
    assert [region["query"][side] for side in ("first_line", "last_line")] == [1, 60]
    assert [region["document"][side] for side in ("first_line", "last_line")] == [3_001, 3_060]
    (pair,) = objects(run, "pairs")
    assert (pair["containment_b"], pair["containment_a"]) == (small["containment"], small["reverse_containment"])


def test_an_essay_made_of_three_others(run: Run) -> None:
    """A third of each of three: each is about a third of the essay, and a third of each is in it."""
    others = {f"{number}.txt": [prose(100 * number + at, 12) for at in range(30)] for number in (1, 2, 3)}
    for name, paragraphs in others.items():
        Path(name).write_text("\n".join(paragraphs))
    essay = [paragraphs[at] for paragraphs in others.values() for at in range(10, 20)]
    Path("essay.txt").write_text("\n".join(essay))
    run("add", *others)
    matches = objects(run, "query", "essay.txt", "--regions")[0]["matches"]
    assert {match["name"] for match in matches} == set(others)
    assert sum(match["query_coverage"] for match in matches) == pytest.approx(1, abs=0.02)
    for match in matches:
        assert match["containment"] == pytest.approx(1 / 3, abs=0.06)
        assert match["reverse_containment"] == pytest.approx(1 / 3, abs=0.06)
        assert match["document_coverage"] == pytest.approx(1 / 3, abs=0.06)
    rows = list(csv.DictReader(io.StringIO(run("query", "essay.txt", "--regions", "--format", "csv").stdout)))
    assert [float(row["query_coverage"]) for row in rows] == [match["query_coverage"] for match in matches]
