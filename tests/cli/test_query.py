"""`fpdb query`: the answer for programs, options, and bad input."""

import csv
import io
import json
from pathlib import Path

import fpdb
from tests.cli.conftest import Run
from tests.cli.json_lines import objects
from tests.cli.prose import prose


def test_json_is_the_contract(half_copied: Run) -> None:
    result = half_copied("query", "draft.txt", "c/b.txt", "--format", "json")
    assert result.stdout.isascii()
    first, second = map(json.loads, result.stdout.splitlines())
    assert list(first) == ["query", "matches"]
    assert list(first["query"]) == [
        "name",
        "kind",
        "fingerprints",
        "looked_up",
        "ignored_boilerplate",
        "ignored_common",
    ]
    assert (first["query"]["name"], first["query"]["kind"]) == ("draft.txt", "text")
    (match,) = first["matches"]
    assert list(match) == ["name", "shared", "containment", "reverse_containment", "resemblance"]
    assert match["name"] == "c/a.txt"
    assert 0.4 < match["containment"] < 0.6
    assert second["matches"] == []


def test_json_goes_alone_to_standard_output(half_copied: Run) -> None:
    result = half_copied("query", "draft.txt", "missing", "--format", "json", status=1)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == "skipped missing: no such file or directory\n"


def test_csv(half_copied: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(half_copied("query", "draft.txt", "--format", "csv").stdout)))
    assert [(row["query"], row["rank"], row["name"]) for row in rows] == [("draft.txt", "1", "c/a.txt")]
    assert 0.4 < float(rows[0]["containment"]) < 0.6


def test_weighted_measures_are_added(half_copied: Run) -> None:
    def rows(by: str) -> list[dict[str, str]]:
        return list(
            csv.DictReader(io.StringIO(half_copied("query", "draft.txt", "--by", by, "--format", "csv").stdout))
        )

    for by, heading in (("weighted-containment", "weighted"), ("similarity", "similarity")):
        (row,) = rows(by)
        name = by.replace("-", "_")
        assert 0 < float(row[name]) < 1
        match = json.loads(half_copied("query", "draft.txt", "--by", by, "--format", "json").stdout)
        assert {name: str(value) for name, value in match["matches"][0].items()}.items() <= row.items()
        header, first = half_copied("query", "draft.txt", "--by", by).stdout.splitlines()[1:3]
        assert header.split()[-1] == heading
        assert f"{float(row[name]):.3f}" in first
        assert (
            half_copied("query", "draft.txt", "--by", by, "--min", "0.99")
            .stdout.splitlines()[-1]
            .startswith("no match: the most alike, ")
        )
    assert half_copied("query", "draft.txt", "--by", "weighted-resemblance", status=2).stdout == ""
    assert "weighted" not in half_copied("query", "draft.txt", "--format", "csv").stdout


def test_a_folder_is_a_query_for_each_file(half_copied: Run) -> None:
    Path("c/binary").write_bytes(b"\0")
    result = half_copied("query", "c", "--format", "json")
    names = [json.loads(line)["query"]["name"] for line in result.stdout.splitlines()]
    assert names == ["c/a.txt", "c/b.txt", "c/c.txt"]
    assert "skipped c/binary: binary" in result.stderr
    half_copied("query", "c/binary", status=1)


def test_the_query_itself_is_left_out_unless_asked_for(half_copied: Run) -> None:
    assert json.loads(half_copied("query", "c/a.txt", "--format", "json").stdout)["matches"] == []
    answer = json.loads(half_copied("query", "c/a.txt", "--include-self", "--format", "json").stdout)
    assert answer["matches"][0]["name"] == "c/a.txt"
    answer = json.loads(half_copied("query", "c/a.txt", "--name", "other", "--format", "json").stdout)
    assert answer["matches"][0]["resemblance"] == 1


def test_standard_input(half_copied: Run) -> None:
    answer = json.loads(half_copied("query", "-", "--format", "json", stdin=prose(1).encode()).stdout)
    assert (answer["query"]["name"], answer["matches"][0]["name"]) == ("-", "c/b.txt")


def test_options_reach_the_query(half_copied: Run) -> None:
    def answer(*options: str) -> dict[str, dict[str, int]]:
        return json.loads(half_copied("query", "draft.txt", "--format", "json", *options).stdout)  # type: ignore[no-any-return]

    everything = answer()
    assert answer("--min", "1")["matches"] == []
    assert answer("--smallest", "5")["query"]["looked_up"] == 5
    assert answer("--window", "60")["query"]["looked_up"] < everything["query"]["looked_up"]
    assert answer("--max-df", "1")["query"]["ignored_common"] > 3
    assert answer("--max-df", "1", "--max-ignored", "3")["query"]["ignored_common"] == 3
    assert answer("--by", "shared", "--min", "2")["matches"]
    half_copied("add", "c/a.txt", "--boilerplate", "--name", "template")
    assert answer()["query"]["ignored_boilerplate"] > 3


def test_without_a_database(run: Run) -> None:
    Path("a.txt").write_text(prose(1))
    result = run("query", "a.txt", status=1)
    assert result.stderr.startswith("fpdb: ")
    assert "corpus.fpdb" in result.stderr
    assert not Path("corpus.fpdb").exists()


def test_a_stored_document_is_a_query(run: Run) -> None:
    for name, text in {"a.txt": prose(1, 200), "b.txt": prose(1, 200)[:600], "c.txt": prose(3, 100)}.items():
        Path(name).write_text(text)
    run("add", "a.txt", "b.txt", "c.txt")
    with fpdb.open("corpus.fpdb") as db:
        db.add_fingerprints("own", db.fingerprints("a.txt")[0])
    for options in ([], ["--regions"], ["--include-self"], ["--by", "resemblance", "--top", "1"]):
        stored = objects(run("query", "--stored", "a.txt", *options, "--format", "json").stdout)
        assert stored == objects(run("query", "a.txt", *options, "--format", "json").stdout)
    assert run("query", "--stored", "a.txt", "--regions").stdout == run("query", "a.txt", "--regions").stdout
    own, page = objects(run("query", "--stored", "own", "c.txt", "--format", "json").stdout)
    assert [match["name"] for match in own["matches"]] == ["a.txt", "b.txt"]
    assert own["query"]["kind"] == "hashes"
    assert page["query"]["name"] == "c.txt"
    Path("a.txt").unlink()  # its stored hashes are asked for
    (answer,) = objects(run("query", "--stored", "a.txt", "--format", "json").stdout)
    assert [match["name"] for match in answer["matches"]] == ["own", "b.txt"]
    assert "gone" in run("query", "--stored", "a.txt", "--regions", status=1).stderr
    assert "no document is named" in run("query", "--stored", "x", status=1).stderr
    run("query", status=2)
    run("query", "--db", "corpus.fpdb", "--db", "other.fpdb", "--stored", "a.txt", status=2)


def test_labels_and_the_same_content_are_told(run: Run) -> None:
    for name in ("a.txt", "copy of a.txt"):
        Path(name).write_text(prose(1, 200))
    run("add", "a.txt", "--label", "term=2026")
    shown = run("query", "copy of a.txt", "--with-labels").stdout.splitlines()
    assert shown[1].split()[-1] == "labels"
    assert "term=2026" in shown[2]
    assert shown[2].endswith("the same content")
    (answer,) = objects(run("query", "copy of a.txt", "--with-labels", "--format", "json").stdout)
    assert [(match["identical"], match["labels"]) for match in answer["matches"]] == [(True, {"term": "2026"})]
    (row,) = csv.DictReader(io.StringIO(run("query", "copy of a.txt", "--with-labels", "--format", "csv").stdout))
    assert json.loads(row["labels"]) == {"term": "2026"}
    assert "labels" not in run("query", "copy of a.txt", "--format", "csv").stdout
