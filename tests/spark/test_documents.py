"""Fields of JSON Lines and of Parquet have the same names, and are read in the same way."""

from datetime import date

import pytest

import fpdb
from fpdb.errors import BadQuery
from fpdb.ingest.record_fields import Fields
from fpdb.spark import documents, fingerprints

TEXT = "It was the best of times."
RECIPE = fpdb.Recipe.preset()


def test_fields(spark, tmp_path):
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
