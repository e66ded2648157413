"""The examples of docs/guide/spark.md do what they say."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import fpdb
from fpdb.cli.program import cli

PATHS = {"corpus.jsonl", "corpus.parquet", "dropped", "built", "fingerprints", "pairs", "drop", "folder"}
PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "spark.md").read_text()


@pytest.fixture
def corpus(spark, collection, here, tmp_path, monkeypatch):
    """Write the input of the examples into an empty folder."""
    monkeypatch.chdir(tmp_path)
    rows = [{"name": name, "text": text} for name, text, _ in collection]
    Path("corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    spark.createDataFrame(rows, "name string, text string").coalesce(1).write.parquet(here("corpus.parquet"))
    return collection


@pytest.fixture
def here(tmp_path):
    """Make the paths in an example absolute: Spark has a working folder of its own."""
    return lambda word: str(tmp_path / word) if word in PATHS else word


@pytest.fixture
def expected(corpus):
    """Return the pairs and the drop list that a database finds."""
    with fpdb.open("corpus.fpdb") as db:
        with db.batch() as batch:
            for name, text, _ in corpus:
                batch.add(name, text)
        pairs = [pair.to_dict() for pair in db.pairs(min=0.5)]
        return pairs, [drop.to_dict() for drop in db.drop_list(keep="longest")]


def test_commands(spark, expected, here):
    pairs, dropped = expected
    examples = re.findall(r"^    \$ fpdb (spark .*)$", PAGE, re.M)
    assert len(examples) == 3
    words = [[word if at == 1 else here(word) for at, word in enumerate(shlex.split(example))] for example in examples]
    done = [CliRunner().invoke(cli, arguments) for arguments in words]
    assert [each.exit_code for each in done] == [0, 0, 0], [each.output for each in done]
    assert [json.loads(line) for line in done[0].stdout.splitlines()] == pairs
    assert dropped
    found = spark.read.parquet(here("dropped"))
    assert found.columns == list(dropped[0])
    assert sorted(map(tuple, found.collect())) == sorted(tuple(row.values()) for row in dropped)
    assert Path("built/_SUCCESS").exists()


def test_python(spark, expected, here):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    example = re.sub(r'"([\w.]+)"', lambda word: repr(here(word[1])), example)
    exec(example, {})  # noqa: S102 (our own page)
    assert spark.read.parquet(here("pairs")).count() == len(expected[0])
    assert spark.read.parquet(here("drop")).count() == len(expected[1])
    assert Path("folder/_SUCCESS").exists()
