"""Documents that cannot be read are reported with the reason, and the others are fingerprinted."""

import json

import pytest

import fpdb
from fpdb.errors import BadName, SparkFailure
from fpdb.spark import documents, fingerprints, pairs, problems
from fpdb.spark.failures import plain_errors

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


def test_duplicate_names(spark, tmp_path):
    """Take the first by file and place, and report the others."""
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
