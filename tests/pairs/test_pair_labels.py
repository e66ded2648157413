"""Pairs tell the labels of their documents, if asked, however many pairs there are."""

import csv
import io
import json

import pytest

import fpdb
from tests.cli.json_lines import objects

LABELS = {"a": {"term": "2026", "who": "é\udce9"}, "b": {}, "c": {"term": "2025"}}


@pytest.mark.parametrize("batch", [1, 2, 5000])
def test_labels_are_those_of_the_documents(tmp_path, monkeypatch, batch):
    monkeypatch.setattr("fpdb.spool.BATCH", batch)
    monkeypatch.setattr("fpdb.pairs.pair_labels.BATCH", batch)
    with fpdb.open(tmp_path / "db") as db:
        for name, labels in LABELS.items():
            db.add_fingerprints(name, [1, 2, 3], [1, 2, 3], labels=labels)
        for options in ({}, {"by": "similarity"}, {"regions": True}):
            pairs = list(db.pairs(with_labels=True, **options))
            assert [(pair.labels_a, pair.labels_b) for pair in pairs] == [(LABELS[p.a], LABELS[p.b]) for p in pairs]
            told = [pair.to_dict() for pair in pairs]
            for each in told:
                del each["labels_a"], each["labels_b"]
            assert told == [pair.to_dict() for pair in db.pairs(**options)]
            assert pairs[0].swapped().labels_b == pairs[0].labels_a
        with pytest.raises(fpdb.BadQuery):
            db.pairs(with_labels=True, by_owner=True, owners="label:term")
        assert db.check() == []


def test_the_command_shows_them(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from fpdb.cli.program import cli

    monkeypatch.chdir(tmp_path)
    with fpdb.open("corpus.fpdb") as db:
        for name in "bc":
            db.add_fingerprints(name, [1, 2, 3], labels=LABELS[name])
        table = db.pairs(with_labels=True).to_arrow().to_pylist()
        assert [(row["labels_a"], row["labels_b"]) for row in table] == [([], [("term", "2025")])]
        assert db.check() == []

    def run(*options):
        result = CliRunner().invoke(cli, ["pairs", *options])
        assert result.exit_code == 0, result.output
        return result.stdout

    (pair,) = objects(run("--with-labels", "--format", "json"))
    assert (pair["labels_a"], pair["labels_b"]) == ({}, {"term": "2025"})
    (row,) = csv.DictReader(io.StringIO(run("--with-labels", "--format", "csv")))
    assert json.loads(row["labels_b"]) == {"term": "2025"}
    assert "term=2025" in run("--with-labels")
    assert "labels" not in run("--format", "csv")
    assert CliRunner().invoke(cli, ["pairs", "--with-labels", "--clusters"]).exit_code == 2
