"""`--regions` of `fpdb query` and `fpdb pairs`: lines for a person, places for a program; and ranking by coverage."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.cli.regions import LINE_WIDTH, mark_part
from tests.cli.conftest import Run
from tests.cli.json_lines import objects
from tests.cli.prose import lines, prose
from tests.readers import essays


def test_json_has_places(shared_lines: Run) -> None:
    answer = json.loads(shared_lines("query", "draft.txt", "--regions", "--format", "json").stdout)
    match = answer["matches"][0]
    assert list(match)[5:] == ["query_coverage", "document_coverage", "source", "regions"]
    (region,) = match["regions"]
    assert list(region) == ["query", "document", "matched_fingerprints"]
    assert region["query"]["last_line"] == 22
    assert (region["document"]["first_line"], region["document"]["last_line"]) in {(6, 25), (5, 25), (6, 26), (5, 26)}
    for side, name in (("query", "draft.txt"), ("document", "a.txt")):
        place = region[side]
        assert lines(1, 20)[:30] in Path(name).read_text()[place["start"] : place["end"]]
    assert "regions" not in shared_lines("query", "draft.txt", "--format", "json").stdout


def test_table_shows_the_lines(shared_lines: Run) -> None:
    plain = shared_lines("query", "draft.txt").stdout
    shown = shared_lines("query", "draft.txt", "--regions").stdout
    assert shown.startswith(plain)
    first, second = shown[len(plain) :].strip().split("\n\n")
    assert first.startswith("1  a.txt: 1 region, ")
    assert second.split("\n")[1].startswith("  lines 13:1-22:51 = lines 1:1-10:51 (")
    assert second.split("\n")[2] == "    13  «" + lines(1, 20).split("\n")[10]
    assert second.split("\n")[5] == "    ..."


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r"], ids=repr)
def test_lines_end_where_editors_end_them(run: Run, separator: str) -> None:
    """Not at form feeds or U+2028; the last one needs no end, and tabs and characters beyond U+FFFF count as one."""
    shown = [f"\t\U0001d4d0 {prose(at, 4)}\f{prose(at + 50, 2)}\u2028{prose(at + 99, 2)}" for at in range(9)]
    Path("a.txt").write_bytes(separator.join(shown).encode())
    run("add", "a.txt")
    lines = run("query", "a.txt", "--name", "b", "--regions").stdout.splitlines()
    assert lines[4].startswith("1  a.txt: 1 region, 100.0% of the query and 100.0% of the document")
    place = f"lines 1:2-9:{len(shown[8])}"  # behind the tab; the second character is beyond U+FFFF
    assert lines[5].startswith(f"  {place} = {place} (")
    for number in (1, 2, 3):
        expected = shown[number - 1].expandtabs(4).replace("\f", "\\x0c").replace("\u2028", "\\u2028")
        marked = expected.replace("\U0001d4d0", "«\U0001d4d0") if number == 1 else expected
        assert lines[5 + number] == f"    {number}  {marked}"


def test_slides_and_sheets_are_told(run: Run) -> None:
    """Lines are those of the slide; a region may reach from one slide to the next."""
    paragraphs = essays.essay(5)
    Path("deck.pptx").write_bytes(essays.pptx(paragraphs))
    Path("table.xlsx").write_bytes(essays.xlsx(paragraphs[2:3]))
    Path("copy.txt").write_text(
        paragraphs[2] + "\n" + "0 and words of its own " * 20 + "0\n" + " ".join(paragraphs[3:])
    )
    run("add", "deck.pptx", "table.xlsx")
    shown = run("query", "copy.txt", "--regions").stdout
    assert "  line 1:1-661 = slide 3, lines 1:1-2:330 (" in shown
    assert "  line 3:1-1292 = slide 4, line 1:1 to slide 5, line 2:325 (" in shown
    assert " = sheet 1 (Part 1), lines 1:1-11:7 (" in shown
    answer = json.loads(run("query", "copy.txt", "--regions", "--format", "json").stdout)
    place = answer["matches"][0]["regions"][1]["document"]
    assert place["first_part"] == {"kind": "slide", "number": 4, "line": 1}
    assert place["last_part"] == {"kind": "slide", "number": 5, "line": 2}
    assert "first_part" not in answer["matches"][0]["regions"][0]["query"]
    pairs = run("pairs", "--regions", "--min", "0").stdout
    assert "  slide 3, lines 1:1-2:330 = sheet 1 (Part 1), lines 1:1-11:7 (" in pairs


def test_a_changed_source_is_said(shared_lines: Run) -> None:
    Path("a.txt").write_text("changed")
    Path("b.txt").unlink()
    shown = shared_lines("query", "draft.txt", "--regions").stdout
    assert "its source has changed since it was added: positions only" in shown
    assert "its source is gone, and its text was not kept: positions only" in shown
    assert " = symbols " in shown


def test_control_characters_do_not_reach_the_terminal(shared_lines: Run) -> None:
    Path("draft.txt").write_text("\x1b[31m\u202e" + lines(1, 20).replace("\n", "\x07\n"))
    shown = shared_lines("query", "draft.txt", "--regions").stdout
    assert "\\x07" in shown
    assert not any(char in shown for char in "\x1b\x07\u202e")


def test_regions_beyond_the_top_are_not_made(shared_lines: Run) -> None:
    shown = shared_lines("query", "draft.txt", "--regions", "--top", "1").stdout
    assert "b.txt" not in shown
    assert "\nmore; see them with --top\n" in shown


def test_small_gaps_are_joined(shared_lines: Run) -> None:
    text = lines(1, 20).split("\n")
    Path("draft.txt").write_text("\n".join([*text[:10], "changed", *text[11:]]))
    assert "a.txt: 2 regions" in shared_lines("query", "draft.txt", "--regions", "--gap", "10").stdout
    assert "a.txt: 1 region" in shared_lines("query", "draft.txt", "--regions").stdout
    shared_lines("query", "draft.txt", "--regions", "--gap", "-1", status=2)
    shared_lines("query", "draft.txt", "--gap", "9", status=2)


def test_csv_has_coverage(shared_lines: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(shared_lines("query", "draft.txt", "--regions", "--format", "csv").stdout)))
    assert [row["source"] for row in rows] == ["same", "same"]
    assert all(0 < float(row[name]) <= 1 for row in rows for name in ("query_coverage", "document_coverage"))
    assert "coverage" not in shared_lines("query", "draft.txt", "--format", "csv").stdout


def test_pairs_tell_their_regions(shared_lines: Run) -> None:
    shared_lines("add", "draft.txt")
    (plain, *_) = found = objects(shared_lines("pairs", "--format", "json").stdout)
    placed = objects(shared_lines("pairs", "--regions", "--format", "json").stdout)
    assert [{name: pair[name] for name in plain} for pair in placed] == found
    told = ["coverage_a", "coverage_b", "source_a", "source_b", "regions"]
    assert all(list(pair) == [*plain, *told] for pair in placed)
    (pair,) = (pair for pair in placed if (pair["a"], pair["b"]) == ("b.txt", "draft.txt"))
    assert (pair["coverage_a"], pair["source_a"], pair["source_b"]) == (1, "same", "same")
    (region,) = pair["regions"]
    assert (region["a"]["first_line"], region["a"]["last_line"]) == (1, 10)
    assert (region["b"]["first_line"], region["b"]["last_line"]) == (13, 22)
    rows = list(csv.DictReader(io.StringIO(shared_lines("pairs", "--regions", "--format", "csv").stdout)))
    assert [list(row) for row in rows] == [[*plain, *told[:-1]]] * 3
    table = shared_lines("pairs").stdout
    shown = shared_lines("pairs", "--regions").stdout
    assert shown.startswith(table)
    assert "  b.txt and draft.txt: 1 region, 100.0% of a and " in shown
    place = f"\n  lines 1:1-10:51 = lines 13:1-22:51 ({region['matched_fingerprints']} matched)\n"
    excerpt = f"     1  «{lines(1, 20).splitlines()[10]}\n"
    assert place + excerpt in shown
    assert "\n    =\n" not in shown
    shown = shared_lines("pairs", "--regions", "--both").stdout
    assert place + excerpt in shown
    assert f"\n    =\n    13  «{lines(1, 20).splitlines()[10]}\n" in shown


def test_pairs_whose_texts_are_gone_have_positions(shared_lines: Run) -> None:
    Path("a.txt").unlink()
    (pair,) = objects(shared_lines("pairs", "--regions", "--format", "json").stdout)
    (region,) = pair["regions"]
    assert (pair["source_a"], list(region["a"])) == ("gone", ["first_symbol", "last_symbol"])
    assert (pair["source_b"], region["b"]["first_line"]) == ("same", 1)
    assert "; a: " not in shared_lines("pairs", "--regions").stdout
    assert ", a: its source is gone, and its text was not kept" in shared_lines("pairs", "--regions").stdout
    Path("b.txt").write_text("another")
    (pair,) = objects(shared_lines("pairs", "--regions", "--by", "coverage", "--format", "json").stdout)
    assert (pair["source_a"], pair["source_b"]) == ("gone", "changed")
    assert 0.3 < pair["coverage_a"] < pair["coverage_b"] <= 1
    for options in ([], ["--both"]):
        shown = shared_lines("pairs", "--regions", *options).stdout
        assert "= symbols " in shown
        assert "«" not in shown


@pytest.mark.parametrize("by", ["query-coverage", "document-coverage"])
def test_queries_ranked_by_coverage(shared_lines: Run, by: str) -> None:
    """All of b is in the draft, but in a, too."""
    name = by.replace("-", "_")
    added = ["query_coverage", "document_coverage", "source"]
    command = ("query", "draft.txt", "--by", by)
    matches = json.loads(shared_lines(*command, "--format", "json").stdout)["matches"]
    assert [match["name"] for match in matches] == (
        ["b.txt", "a.txt"] if by == "document-coverage" else ["a.txt", "b.txt"]
    )
    assert all(set(list(match)[5:]) == set(added) for match in matches)
    assert matches[0][name] > matches[1][name] >= 0
    (only,) = json.loads(shared_lines(*command, "--min", str(matches[0][name]), "--format", "json").stdout)["matches"]
    assert only == matches[0]
    rows = list(csv.DictReader(io.StringIO(shared_lines(*command, "--format", "csv").stdout)))
    for row, match in zip(rows, matches, strict=True):
        assert [row[field] for field in added] == [str(match[field]) for field in added]
    header, *_, last = shared_lines(*command, "--top", "1").stdout.splitlines()[1:]
    assert header.split()[-1] == ("weighted" if by.startswith("weighted") else "coverage")
    assert last == "more; see them with --top"
    Path("q.jsonl").write_text(json.dumps({"name": "draft.txt", "text": Path("draft.txt").read_text()}))
    answer = json.loads(shared_lines("query", "--jsonl", "q.jsonl", "--by", by, "--format", "json").stdout)
    assert answer["matches"] == matches
    shared_lines(*command, "--report", "r.html")
    assert "coverage" in Path("r.html").read_text()


def test_regions_that_are_all_left_out_are_not_counted_as_none(run: Run) -> None:
    """Coverage stood beside `0 regions`."""
    run("init", "-k", "12", "-w", "5")
    shared = prose(0, 5)
    for name, at in (("a.txt", 1000), ("b.txt", 5000)):
        Path(name).write_text(f"{prose(at, 900)} {shared} {prose(at + 2000, 900)}")
    run("add", "a.txt")
    run("add", "b.txt")
    for arguments in (["query", "a.txt"], ["pairs"]):
        by_default = run(*arguments, "--regions").stdout
        assert ": only regions shorter than a sentence (--shortest 1 shows them), 0." in by_default
        assert ": 1 region, 0." in run(*arguments, "--regions", "--shortest", "1").stdout
        assert ": 0 regions, 0.0%" in run(*arguments, "--regions", "--shortest", "999").stdout


def test_what_has_no_regions_says_so(shared_lines: Run) -> None:
    for options in (
        ("pairs", "--gap", "3"),
        ("pairs", "--regions", "--by-owner"),
        ("pairs", "--regions", "--clusters"),
        ("pairs", "--by", "coverage", "--clusters"),
        ("pairs", "--by", "coverage", "--by-owner"),
        ("drop-list", "--by", "coverage"),
    ):
        assert "Error: " in shared_lines(*options, status=2).stderr
    with fpdb.open("corpus.fpdb") as db:
        for name in ("x", "y"):
            db.add_fingerprints(name, [1])
    assert "  x and y: no region can be told\n" in shared_lines("pairs", "--regions").stdout


def placed(name: str, place: dict[str, int]) -> tuple[Any, ...]:
    return name, place["first_line"], place["last_line"], place["start"], place["end"]


WORDS = prose(1, 400).replace("\n", " ")


@pytest.mark.parametrize("side", ["query", "document"])
def test_an_excerpt_is_of_the_match_and_not_of_the_beginning_of_its_line(run: Run, side: str) -> None:
    """Of texts that have a line a paragraph; of the query, and of the document if it is asked for."""
    passage, other = WORDS[300:900], prose(7, 90).replace("\n", " ")
    texts = {"query": f"{other} {passage} {other}", "document": passage}
    if side == "document":
        texts = {"query": texts["document"], "document": texts["query"]}
    Path("a.txt").write_text(texts["document"])
    Path("draft.txt").write_text(texts["query"])
    run("add", "a.txt")
    shown = run("query", "draft.txt", "--regions", *(["--both"] if side == "document" else [])).stdout
    lines = [line.strip() for line in shown.splitlines()]
    (excerpt,) = (line for line in lines if "1  ..." in line)
    before, _, match = excerpt.partition("«")
    assert match.removesuffix("...")[:60] in passage
    assert len(match) > 60
    assert before.removeprefix("1  ...").strip() in other
    assert (lines.count("=") == 1) is (side == "document")


@pytest.mark.parametrize("command", [("query", "draft.txt"), ("pairs",)])
def test_both_needs_regions_in_a_table(shared_lines: Run, command: tuple[str, ...]) -> None:
    shared_lines(*command, "--both", status=2)
    shared_lines(*command, "--both", "--regions", "--format", "json", status=2)


@given(st.text("ab\t é", max_size=300), st.data())
def test_marks_stand_where_the_match_begins_and_ends(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    shown = mark_part(line, start, end)
    assert len(shown) <= LINE_WIDTH + 8
    before, _, rest = shown.partition("«")
    assert line[:start].expandtabs(4).endswith(before.removeprefix("..."))
    if "»" in rest:
        match, _, after = rest.partition("»")
        assert match.split() == line[start:end].split()
        assert line[end:].split()[:1] == after.split()[:1] or after.endswith("...")
    if len(line.expandtabs(4)) <= LINE_WIDTH:
        assert shown.replace("«", "").replace("»", "") == line.expandtabs(4)
    assert mark_part(line[:30], None, None) == line[:30].expandtabs(4)


@pytest.mark.parametrize("kept", [True, False])
def test_pairs_show_texts_as_they_were_read(run: Run, kept: bool) -> None:
    """By the encoding that was given, kept or not; of two texts, the one that can be read."""
    text = "\n".join(["été à Orléans", *lines(1, 20).splitlines()])
    Path("a.txt").write_bytes(text.encode("cp1252"))
    Path("b.txt").write_text(text)
    run("add", "a.txt", "--encoding", "cp1252", *(["--keep-text"] if kept else []))
    run("add", "b.txt")
    assert "  1  «été à Orléans\n" in run("pairs", "--regions").stdout
    Path("a.txt").unlink()
    shown = run("pairs", "--regions", "--both").stdout
    assert (shown.count("«"), shown.count("\n    =\n")) == ((2, 1) if kept else (1, 0))
