"""`fpdb rename` gives a document another name, and changes nothing else."""

import fpdb
from tests.cli.json_lines import objects
from tests.cli.prose import prose


def test_a_renamed_document_is_the_same(run, tmp_path):
    (tmp_path / "a.txt").write_text(prose(1, 200))
    (tmp_path / "b.txt").write_text(prose(1, 200)[:600])
    run("add", "a.txt", "b.txt", "--label", "k=v")
    (before,) = objects(run("show", "a.txt", "--format", "json").stdout)
    run("rename", "a.txt", "z/\udce9.txt")
    (after,) = objects(run("show", "z/\udce9.txt", "--format", "json").stdout)
    assert after == before | {"name": "z/\udce9.txt"}
    assert "no document is named 'a.txt'" in run("show", "a.txt", status=1).stderr
    assert [each["name"] for each in objects(run("list", "--format", "json").stdout)] == ["b.txt", "z/\udce9.txt"]
    (answer,) = objects(run("query", "b.txt", "--regions", "--format", "json").stdout)
    assert [(match["name"], match["source"]) for match in answer["matches"]] == [("z/\udce9.txt", "same")]
    assert "already" in run("rename", "b.txt", "z/\udce9.txt", status=1).stderr
    run("rename", "a.txt", "c.txt", status=1)
    run("rename", "b.txt", "", status=1)


def test_any_renames_are_those_of_a_dict(tmp_path):
    """Also of boilerplate, and of names that are too long to be keys."""
    names = ["a", "b", "b" * 1000, "c" * 600 + "1", "c" * 600 + "2"]
    with fpdb.open(tmp_path / "db") as db:
        for number, name in enumerate(names):
            db.add_fingerprints(name, [number, 100], boilerplate=name == "b")
        known = {name: number for number, name in enumerate(names)}
        for old, new in [("a", "aa"), ("b", "x" * 900), ("c" * 600 + "1", "c" * 600), ("aa", "a"), ("b" * 1000, "b")]:
            db.rename(old, new)
            known[new] = known.pop(old)
            assert [document.name for document in db.documents()] == sorted(known)
            assert {name: min(db.fingerprints(name)[0].tolist()) for name in known} == known
            assert db.check() == []
        db.compact()
        assert db.check() == []
