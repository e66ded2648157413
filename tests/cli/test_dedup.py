"""`fpdb dedup`: what it writes is what `drop-list --write` writes, with no database left behind."""

import json
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Run
from tests.cli.json_lines import objects
from tests.cli.prose import prose
from tests.cli.test_rewriting import records


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "csv", "parquet"])
def test_records_are_those_of_the_drop_list(run: Run, temporary: Path, form: str) -> None:
    path = records("in", form)
    done = run("dedup", path, "-o", f"out.{form}", "--dropped", f"dropped.{form.removesuffix('.gz')}")
    assert not Path("corpus.fpdb").exists()
    assert list(temporary.iterdir()) == []
    run("add", f"--{form.split('.')[0]}", path)
    expected = run("drop-list", f"--{form.split('.')[0]}", path, "--write", f"expected.{form}", "--format", "csv")
    assert Path(f"out.{form}").read_bytes() == Path(f"expected.{form}").read_bytes()
    assert done.stderr == expected.stderr.replace("expected", "out")
    if form == "csv":
        assert Path("dropped.csv").read_text() == expected.stdout
    elif form == "parquet":
        assert pq.read_table("dropped.parquet")["name"].to_pylist() == ["b", "d"]
    else:
        assert [row["name"] for row in objects(Path("dropped.jsonl").read_text())] == ["b", "d"]


def test_a_database_that_is_named_stays_and_is_compared_with(run: Run, temporary: Path) -> None:
    path = records("in", "jsonl")
    Path("new.jsonl").write_text(
        "".join(
            json.dumps({"id": name, "text": text}) + "\n" for name, text in {"x": prose(3, 300), "y": prose(9)}.items()
        )
    )
    run("--db", "corpus.fpdb", "dedup", path, "-o", "out.jsonl")
    totals = run("--db", "corpus.fpdb", "dedup", "new.jsonl", "-o", "new-out.jsonl", "--format", "json").stdout
    assert json.loads(totals)["dropped"] == 1
    assert [row["id"] for row in objects(Path("new-out.jsonl").read_text())] == ["y"]
    assert run("list", "--names").stdout.split() == ["a", "b", "c", "d", "e", "x", "y"]
    assert list(temporary.iterdir()) == []


def test_a_folder_of_documents(run: Run, temporary: Path) -> None:
    Path("in/deep").mkdir(parents=True)
    Path("in/deep/a.csv").write_text(prose(1))
    Path("in/b.txt").write_text(prose(1) + " more")
    Path("in/c").write_bytes(b"\0" * 99)
    done = run("dedup", "in", "-o", "out", "--keep", "longest")
    assert [str(path) for path in Path("out").rglob("*") if path.is_file()] == ["out/b.txt"]
    assert done.stderr.count("skipped in/c") == 1
    assert list(temporary.iterdir()) == []


def test_short_records_are_compared_by_their_texts(run: Run, temporary: Path) -> None:
    text = prose(1, 30)
    rows = {"a": text, "b": text + "!", "c": prose(2, 30)}
    Path("in.jsonl").write_text("".join(json.dumps({"id": each, "text": rows[each]}) + "\n" for each in rows))
    done = run("dedup", "in.jsonl", "-o", "-")
    assert [row["id"] for row in objects(done.stdout)] == ["a", "c"]
    assert list(temporary.iterdir()) == []


def test_names_that_come_twice_are_told(run: Run, temporary: Path) -> None:
    Path("in.jsonl").write_text("".join(json.dumps({"id": 1, "text": prose(number % 3)}) + "\n" for number in range(6)))
    done = run("dedup", "in.jsonl", "-o", "out.jsonl")
    assert "5 records of a name that came before: only the last of each name is compared" in done.stderr
    assert len(Path("out.jsonl").read_text().splitlines()) == 5
    run("dedup", "in.jsonl", "-o", "all.jsonl", "--name-field", "-")
    assert len(Path("all.jsonl").read_text().splitlines()) == 3
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [("in/in.jsonl",), ("-", "-o", "out"), ("in", "-o", "in/x"), ("in/in.jsonl", "-o", "-", "--format", "json")],
)
def test_wrong_usage(run: Run, temporary: Path, arguments: tuple[str, ...]) -> None:
    records("in", "jsonl")
    run("dedup", *arguments, status=2)
    run("dedup", "nowhere.jsonl", "-o", "out.jsonl", status=1)
    assert list(temporary.iterdir()) == []
