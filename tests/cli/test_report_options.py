"""`--report` of `query` and `pairs`: a page beside what is printed, which stays the same."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.prose import prose


@pytest.fixture
def corpus(run: Run) -> Run:
    """Three files that share a beginning; draft.txt is not added."""
    shared = prose(1, 200)
    for name, seed in (("sub/a.txt", 2), ("sub/b.txt", 3), ("c<i>.txt", 4), ("draft.txt", 5)):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(shared + "\n" + prose(seed, 100))
    run("add", "sub", "c<i>.txt")
    return run


def data() -> Any:
    page = Path("r.html").read_text("utf-8")
    return json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)[0])


def names(row: dict[str, int]) -> tuple[str, str]:
    sources = data()["sources"]
    return sources[row["a"]]["name"], sources[row["b"]]["name"]


@pytest.mark.parametrize("form", ["table", "json", "csv"])
@pytest.mark.parametrize("command", [("query", "draft.txt"), ("pairs",)])
def test_what_is_printed_stays_the_same(corpus: Run, command: tuple[str, ...], form: str) -> None:
    for more in ((), ("--top", "1"), ("--min", "0.9")):
        plain = corpus(*command, "--format", form, *more)
        again = corpus(*command, "--format", form, *more, "--report", "r.html")
        assert re.sub(r"\d+ more;", "more;", again.output) == re.sub(r"\d+ more;", "more;", plain.output)
        assert len(data()["rows"]) == {(): 3, ("--top", "1"): 1, ("--min", "0.9"): 0}[more]


def test_a_query_has_its_matches_with_regions(corpus: Run) -> None:
    corpus("query", "draft.txt", "sub", "--report", "r.html")
    rows = data()["rows"]
    assert {names(row) for row in rows if names(row)[0] == "draft.txt"} == {
        ("draft.txt", name) for name in ("sub/a.txt", "sub/b.txt", "c<i>.txt")
    }
    assert len(rows) == 3 + 2 * 2
    assert all(row["regions"] for row in rows)
    assert {source["state"] for source in data()["sources"]} == {"same"}


def test_a_table_cuts_what_is_printed_and_not_the_page(run: Run) -> None:
    for at in range(8):
        Path(f"{at}.txt").write_text(prose(1, 200) + prose(10 + at, 50))
    run("add", *(f"{at}.txt" for at in range(8)))
    assert run("pairs", "--report", "r.html").stdout.endswith("there are more; see them with --top\n")
    assert len(data()["rows"]) == 28


def test_pairs_of_owners(corpus: Run) -> None:
    corpus("pairs", "--owners", "path:1", "--by-owner", "--report", "r.html")
    first, *parts = [names(row) for row in data()["rows"]]
    assert first == ("c<i>.txt", "sub")
    assert set(parts) == {("c<i>.txt", "sub/a.txt"), ("c<i>.txt", "sub/b.txt")}
    assert all(row["regions"] for row in data()["rows"][1:])


def test_the_page_says_why_nothing_was_compared(corpus: Run) -> None:
    corpus("pairs", "--owner-pattern", "(a|b|c)", "--report", "r.html")
    assert "have one owner" not in Path("r.html").read_text()
    corpus("pairs", "--owner-pattern", "t(x)t", "--report", "r.html")
    assert "documents have one owner, &#39;x&#39;: try owners path:1." in Path("r.html").read_text()


def test_a_changed_source_is_said(corpus: Run) -> None:
    Path("sub/a.txt").write_text("changed")
    corpus("pairs", "--report", "r.html")
    assert {source["name"]: source["state"] for source in data()["sources"]}["sub/a.txt"] == "changed"
    assert all(row["regions"] for row in data()["rows"])


def test_wrong_usage_and_failure_leave_no_file(corpus: Run) -> None:
    assert "--clusters" in corpus("pairs", "--clusters", "--report", "r.html", status=2).stderr
    corpus("query", "draft.txt", "--min", "7", "--report", "r.html", status=2)
    corpus("pairs", "--report", "nowhere/r.html", status=1)
    assert not Path("r.html").exists()
    assert not Path("nowhere").exists()


def test_the_page_says_what_was_compared(corpus: Run) -> None:
    more = ("--min", "0.1", "--new", "term=1", "--title", "Week <5>", "--note", "one\ntwo")
    corpus("pairs", "--by", "shared", *more, "--report", "r.html")
    page = Path("r.html").read_text()
    assert "<title>Week &lt;5&gt; - fpdb</title>" in page
    assert "ranked by shared fingerprints." in page
    assert "--by shared --min 0.1 --new term=1" in page
    assert "<bdi>one</bdi><br><bdi>two</bdi>" in page
    assert "3 documents." in page


def test_anonymous_pages_hold_no_name(corpus: Run) -> None:
    corpus("pairs", "--owners", "path:1", "--by-owner", "--report", "r.html", "--anonymous")
    page = Path("r.html").read_text()
    whose = Path("r.html.names.csv").read_text().splitlines()
    assert "Owner 1" in page
    assert "Document 2" in page
    told = re.sub(r'id="t[0-9]+">.*', "", page.partition("<body>")[2], flags=re.DOTALL)
    assert not [name for name in ("sub", "a.txt", "c&lt;i&gt;.txt", "c\\u003ci") if name in told]
    assert whose[0] == "number,name"
    assert set(whose[1:]) == {
        "Owner 1,c<i>.txt", "Owner 2,sub", "Document 1,c<i>.txt", "Document 2,sub/a.txt", "Document 3,sub/b.txt",
    }  # fmt: skip
    assert Path("r.html.names.csv").stat().st_mode & 0o777 == 0o600
    for wrong in (("--title", "x"), ("--anonymous",), ("--anonymous", "--report", "-")):
        corpus("pairs", *wrong, status=2)
