"""Documents of a chunk that cannot be prepared do not touch the others."""

from dataclasses import replace
from pathlib import Path

import fpdb
from fpdb.ingest.files import InputDocument
from fpdb.ingest.loading import load
from fpdb.ingest.records import record_chunks
from tests.ingest.record_files import text, written


def test_texts_are_skipped_where_the_recipe_does_not_read_them(tmp_path: Path) -> None:
    """Each gets its error, of what is added and of what is asked; what else there is goes on."""
    tokens = {"tokens": fpdb.Recipe.preset("code").rules["tokens"]}
    with fpdb.open(tmp_path / "x.fpdb", recipe=replace(fpdb.Recipe.preset("code"), rules=tokens)) as db:
        program = InputDocument("b.py", content="def f(x):\n" + "    x = x + 1\n" * 20, kind="code")
        report = load(db, [InputDocument("a", content=text(1)), program, InputDocument("c", content=text(2))], jobs=1)
        assert (report.added, report.skips) == (1, 2)
        found = db.queries([("a", text(1)), (None, text(2))])
        assert [type(one) for one in found] == [fpdb.UnknownKind] * 2
        assert db.check() == []


def test_a_record_with_a_bad_name_takes_no_fingerprints_of_others(tmp_path: Path) -> None:
    """Short texts are fingerprinted together; one that cannot be stored does not shift those after it."""
    rows = [{"name": name, "text": text(number)} for number, name in enumerate(["a", "", "b", "x" * 70_000, "c"])]
    path = written(tmp_path, rows, ".jsonl")
    with fpdb.open(tmp_path / "x.fpdb") as db:
        assert (summary := load(db, record_chunks([path]), jobs=1)).added == 3
        assert summary.skips == 2
        for row in (rows[0], rows[2], rows[4]):
            assert [match.name for match in db.query(row["text"], min=1.0).matches] == [row["name"]]
