"""The folder that Spark builds holds what a database holds that got the same documents, in the same order."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fpdb
from fpdb.errors import BadQuery
from fpdb.spark import build, fingerprints

COLUMNS = {
    "ordinal": pa.int64(),
    "name": pa.string(),
    "kind": pa.string(),
    "digest": pa.binary(),
    "symbols": pa.int64(),
    "kgrams": pa.int64(),
    "fingerprints": pa.int64(),
    "share": pa.int64(),
    "note": pa.string(),
    "added": pa.int64(),
    "source": pa.string(),
    "contact": pa.string(),
    "labels": pa.map_(pa.string(), pa.string()),
}


def table(folder):
    """All files, in the order of their first rows: those of their names."""
    return pa.concat_tables([pq.read_table(path) for path in sorted(Path(folder).glob("*.parquet"))])


def written(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def postings_of(collection, recipe):
    """(hash ^ 2**63 as signed, ordinal, position), each once, sorted."""
    found = set()
    for ordinal, (_, text, _) in enumerate(collection):
        prints = recipe.fingerprint(text)
        hashes = (prints.hashes ^ np.uint64(2**63)).view(np.int64).tolist()
        positions = prints.positions.tolist() if recipe.positions else [None] * len(hashes)
        found |= {(each, ordinal, position) for each, position in zip(hashes, positions, strict=True)}
    return sorted(found, key=lambda row: (row[0], row[1], -1 if row[2] is None else row[2]))


def test_folder(found, settings, collection, local, tmp_path):
    """A database that adopts it is the one that got the documents one after the other, and says the same."""
    settings(adaptive=False, partitions=3)
    folder, recipe = tmp_path / "folder", fpdb.Recipe.preset()
    build(found, folder, recipe, files=5, added=1234)
    assert written(folder) == ["_SUCCESS", "documents", "postings", "recipe.json"]
    assert json.loads((folder / "recipe.json").read_text()) == recipe.to_record()
    assert {"_SUCCESS"} <= set(written(folder / "documents")) & set(written(folder / "postings"))
    postings = table(folder / "postings")
    assert postings.schema.names == ["hash", "document", "position"]
    assert list(zip(*(column.to_pylist() for column in postings.columns), strict=True)) == postings_of(
        collection, recipe
    )
    described = table(folder / "documents")
    assert dict(zip(described.schema.names, described.schema.types, strict=True)) == COLUMNS
    rows = described.to_pylist(maps_as_pydicts="strict")
    assert [row["ordinal"] for row in rows] == list(range(len(collection)))
    for row, document in zip(rows, local.documents(), strict=True):
        expected = {name: getattr(document, name) for name in COLUMNS if hasattr(document, name)} | {"added": 1234}
        assert {name: row[name] or {} if name == "labels" else row[name] for name in expected} == expected
    assert sum(row["fingerprints"] for row in rows) == len(postings)
    with fpdb.open(tmp_path / "adopted.fpdb") as db:
        assert db.adopt(folder)["added"] == len(collection)
        assert db.check() == []
        assert [pair.to_dict() for pair in db.pairs()] == [pair.to_dict() for pair in local.pairs()]
        for name, text, _ in collection[::9]:
            answers = [each.query(text, name=name, regions=True).to_dict() for each in (db, local)]
            assert answers[0] == answers[1]
        assert [document.added.timestamp() for document in db.documents()] == [1234] * len(collection)


def test_without_positions(samples, sampled, collection, tmp_path):
    build(samples, tmp_path / "folder", sampled, files=2)
    postings = table(tmp_path / "folder" / "postings")
    assert list(zip(*(column.to_pylist() for column in postings.columns), strict=True)) == postings_of(
        collection, sampled
    )


def test_key_in_a_file(spark, tmp_path):
    """The folder has the digest of the key file, and the key nowhere."""
    secret = fpdb.Recipe.preset().with_(key=987654321987654321)
    one = spark.createDataFrame([("a", "some text that is long enough to have a fingerprint or two")], ["name", "text"])
    build(fingerprints(one, secret), tmp_path / "folder", secret, files=1, key_digest="0" * 32)
    record = json.loads((tmp_path / "folder" / "recipe.json").read_text())
    assert record["key_digest"] == "0" * 32
    assert "key" not in record


def test_what_is_finished_stays(found, tmp_path):
    """A folder that was not finished is written anew, one that was is left alone."""
    few, recipe = found.limit(5), fpdb.Recipe.preset()
    (tmp_path / "folder" / "postings").mkdir(parents=True)
    (tmp_path / "folder" / "postings" / "part-00009.parquet").write_bytes(b"left by a job that failed")
    build(few, tmp_path / "folder", recipe, files=1)
    assert len(written(tmp_path / "folder" / "postings")) == 2
    with pytest.raises(BadQuery, match="finished already"):
        build(few, tmp_path / "folder", recipe)
    with pytest.raises(BadQuery, match="files"):
        build(few, tmp_path / "other", recipe, files=0)
