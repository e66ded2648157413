"""Answers, pairs and the catalogue go into Arrow, and from there into pandas; what goes in comes out."""

import pandas as pd
import pyarrow as pa
import pytest

import fpdb
from tests.cli.prose import prose

TEXT = prose(1, 300)


@pytest.fixture
def db(tmp_path):
    with fpdb.open(tmp_path / "corpus.fpdb") as database:
        database.add("a", TEXT, labels={"term": "2024"}, keep_text=True)
        database.add("b", TEXT + prose(2, 300), keep_text=True)
        database.add_fingerprints("c", [1, 2], [1, 2])
        yield database
        assert database.check() == []


def rows_of(table):
    return [{key: value for key, value in row.items() if value is not None} for row in table.to_pylist()]


def test_answers_become_tables(db):
    for options in ({}, {"by": "similarity"}, {"regions": True}, {"by": "query_coverage", "top": 1}):
        answer = db.query(TEXT, name="q", **options)
        ranked = [{"query": "q", "rank": rank} | match.to_dict() for rank, match in enumerate(answer, 1)]
        assert rows_of(answer.to_arrow()) == ranked
    answer = db.query_fingerprints([1, 2], [0, 1], regions=True)
    assert rows_of(answer.to_arrow())[0]["regions"] == answer[0].to_dict()["regions"]
    tables = [db.query(text).to_arrow() for text in (TEXT, "nothing like it")]
    assert set(tables[1].schema) < set(tables[0].schema)
    assert pa.concat_tables(tables, promote_options="default").num_rows == 2


def test_pairs_and_other_results_become_tables(db):
    for options in ({}, {"by": "similarity"}, {"regions": True}):
        assert rows_of(db.pairs(**options).to_arrow()) == [pair.to_dict() for pair in db.pairs(**options)]
    assert db.pairs(min_shared=1000).to_arrow().schema == db.pairs(by="containment").to_arrow().schema
    for results in (db.clusters, db.drop_list, db.spans):
        expected = [{**each.to_dict()} for each in results()]
        assert results().to_arrow().num_rows == len(expected) > 0
        assert set(results().to_arrow().column_names) == set(expected[0])


def test_the_catalogue_becomes_a_table(db):
    rows = db.documents().to_arrow().to_pylist()
    for row, document in zip(rows, db.documents(), strict=True):
        assert row["labels"] == list(document.labels.items())
        for name in ("name", "kind", "digest", "added", "symbols", "text_bytes"):
            assert row[name] == getattr(document, name)
    assert db.documents("a*").to_arrow().num_rows == 1
    assert db.documents("no*").to_arrow().schema == db.documents().to_arrow().schema


def test_other_libraries_take_results_as_they_are(db):
    assert pa.table(db.query(TEXT)) == db.query(TEXT).to_arrow()
    assert pa.table(db.pairs()).num_rows == 1
    frame = db.documents().to_arrow().to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame["name"].tolist() == ["a", "b", "c"]


def test_polars_takes_results_as_they_are(db):
    import polars

    assert polars.DataFrame(db.query(TEXT))["name"].to_list() == ["a", "b"]
    assert polars.DataFrame(db.documents())["name"].to_list() == ["a", "b", "c"]


def test_names_that_are_not_utf8_are_refused(db):
    db.add("\udce9", TEXT)
    with pytest.raises(fpdb.BadName, match="udce9"):
        db.query(TEXT).to_arrow()
