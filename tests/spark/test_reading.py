"""What cannot be read is told with its reason, and the rest goes on; duplicate names and bad options are refused."""

import json
from datetime import date

import pytest
from click.testing import CliRunner

import fpdb
from fpdb.cli.program import cli
from fpdb.errors import BadName, BadQuery, MissingPackage, SparkFailure
from fpdb.ingest.record_fields import Fields
from fpdb.spark import documents, fingerprints, pairs, problems
from fpdb.spark.failures import plain_errors
from fpdb.spark.session import check_java

TEXT = "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness."
BROKEN = [
    (b'{"name": "cut', "not JSON"),
    (b'{"name": "a"}', 'no "text"'),
    (b'{"text": "a"}', 'no "name"'),
    (b'{"name": "null", "text": null}', '"text" is null'),
    (b'{"name": "latin", "text": "\xe9"}', "not UTF-8"),
    (b'{"name": "", "text": "a"}', "must not be empty"),
    (b'{"name": "odd", "text": "a", "kind": "tape"}', "tape"),
    (b'{"name": "half \\ud800", "text": "a"}', "surrogate"),
]
RECIPE = fpdb.Recipe.preset()


@pytest.fixture
def broken(tmp_path):
    """Write a file of good and broken lines, and an empty one."""
    good = [json.dumps({"name": f"good {number}", "text": f"{number} {TEXT}"}).encode() for number in range(3)]
    path = tmp_path / "broken.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join([*good, b"", *(line for line, _ in BROKEN)]) + b"\n")
    return path


def test_broken_lines(spark, broken):
    found = fingerprints(documents(spark, [str(broken)], "jsonl"), RECIPE)
    told = [(row["file"], row["error"]) for row in problems(found).collect()]
    assert len(told) == len(BROKEN)
    for _, reason in BROKEN:
        assert sum(reason in error for _, error in told) == 1, reason
    assert all(file.endswith("broken.jsonl") for file, _ in told)
    assert {row["a"] for row in pairs(found).collect()} == {"good 0", "good 1"}


def test_strict(spark, broken):
    with pytest.raises(SparkFailure, match=r"broken.jsonl: .*not JSON"), plain_errors():
        fingerprints(documents(spark, [str(broken)], "jsonl"), RECIPE, strict=True)


def test_nulls_and_bytes(spark):
    rows = [("a", TEXT.encode(), {"k": None}), (None, b"x", None), ("b", None, None), ("c", TEXT.encode(), {"k": "v"})]
    frame = spark.createDataFrame(rows, "name string, text binary, labels map<string,string>")
    found = fingerprints(frame, RECIPE)
    told = {(row["name"], row["error"]) for row in problems(found).collect()}
    assert told == {("a", "a label has no value"), (None, "it has no name"), ("b", "it has no text")}


def test_fields(spark, tmp_path):
    """Those of JSON Lines and of Parquet are named alike, and read alike."""
    schema = "id long, body string, lang string, site string, meta struct<day: date>"
    frame = spark.createDataFrame([(7, TEXT, "en", None, (date(2026, 1, 31),)), (8, None, "en", "x", None)], schema)
    frame.write.parquet(str(tmp_path / "p"))
    frame.write.json(str(tmp_path / "j"))
    fields = Fields(None, "body", ("lang", "site", "meta.day"))
    for folder, form in (("p", "parquet"), ("j", "jsonl")):
        read = documents(spark, [str(tmp_path / folder)], form, fields=fields).orderBy("name").collect()
        good, bad = [row for row in read if not row["error"]], [row["error"] for row in read if row["error"]]
        labels = {"lang": "en", "meta.day": "2026-01-31"}
        assert [(row["name"], row["text"], row["labels"]) for row in good] == [("7", TEXT, labels)]
        assert len(bad) == 1
        assert "body" in bad[0]
    with pytest.raises(BadQuery, match="no column 'text'; there are: id, body, lang, site, meta"):
        documents(spark, [str(tmp_path / "p")], "parquet")
    with pytest.raises(BadQuery, match="need a field"):
        documents(spark, [str(tmp_path / "j")], "jsonl", fields=Fields("-"))
    with pytest.raises(BadQuery, match="need a column 'text'"):
        fingerprints(frame.withColumnRenamed("id", "name"), RECIPE)
    with pytest.raises(BadQuery, match="holds bigint"):
        fingerprints(frame.withColumnsRenamed({"id": "text", "body": "name"}), RECIPE)


def test_duplicate_names(spark, tmp_path):
    """The first by file and place; the others are told."""
    for number in range(2):
        lines = [json.dumps({"name": "twice", "text": f"{number} {place} {TEXT}"}) for place in range(2)]
        (tmp_path / f"{number}.jsonl").write_text("\n".join(lines))
    read = documents(spark, [str(tmp_path)], "jsonl")
    with pytest.raises(BadName, match="the same name: 'twice';"):
        fingerprints(read, RECIPE)
    found = fingerprints(read, RECIPE, duplicates="first")
    kept = [row for row in found.collect() if row["error"] is None]
    assert [row["digest"] for row in kept] == [fpdb.fingerprint.content_digest(f"0 0 {TEXT}")]
    assert problems(found).count() == 3


@pytest.mark.parametrize(
    "options", [{"since": 1}, {"by_owner": True}, {"by": "luck"}, {"min": 2}, {"owners": "nobody"}], ids=str
)
def test_bad_options(found, options):
    with pytest.raises(BadQuery):
        pairs(found, **options)


def test_wrong_commands(spark, lines, tmp_path):  # noqa: ARG001 (the commands find the session)
    run = CliRunner()
    for wrong in (["pairs", lines], ["pairs", lines, "--jsonl", "--format", "parquet"]):
        assert run.invoke(cli, ["spark", *wrong]).exit_code == 2
    missing = run.invoke(cli, ["spark", "pairs", str(tmp_path / "none"), "--parquet"])
    assert missing.exit_code == 1
    assert "none" in missing.stderr
    assert missing.stderr.count("\n") == 1


def test_java_is_missed_before_spark_starts(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingPackage, match="JAVA_HOME"):
        check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPackage, match="Java 17"):
        check_java()
