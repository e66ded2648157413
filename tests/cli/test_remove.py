"""`fpdb remove`: by name, by pattern and from a list; all or nothing."""

from pathlib import Path

import fpdb
from tests.cli.conftest import Run


def test_what_is_listed_can_be_removed(with_template: Run) -> None:
    Path("names").write_text(with_template("list", "--label", "term=1", "--names").stdout)
    assert "removed 2 documents" in with_template("remove", "--from", "names").stderr


def test_remove(with_template: Run) -> None:
    assert "removed 2 documents" in with_template("remove", "c/a.txt", "template", "c/a.txt").stderr
    assert with_template("list").stdout.splitlines()[1].split()[0] == "c/b.txt"
    assert "removed 1 document\n" in with_template("remove", "--glob", "c/*").stderr


def test_remove_is_all_or_nothing(with_template: Run) -> None:
    error = with_template("remove", "c/a.txt", "missing", "gone", status=1).stderr
    assert "missing" in error
    assert "gone" in error
    assert "--glob" not in error
    for pattern in ("c/*", "c/?.txt", "c/[ab].txt"):
        assert with_template("remove", pattern, status=1).stderr.endswith("nothing was removed; patterns need --glob\n")
    assert len(with_template("list").stdout.splitlines()) == 4
    assert "no document" in with_template("remove", "--glob", "x*", status=1).stderr
    with_template("remove", status=2)


def test_names_are_removed_from_a_pipe(copies: Run) -> None:
    assert "-0" in copies("drop-list", "--names", status=1).stderr
    names = copies("drop-list", "--names", "-0").stdout_bytes
    assert names == "b\nb\0c\0é\0".encode()
    assert copies("remove", "--from", "-", "-0", stdin=names).stderr == "removed 3 documents\n"
    assert copies("pairs", "--min", "0.5", "--format", "json").stdout == ""
    Path("list").write_bytes(copies("drop-list", "--names").stdout_bytes + b"a\n\nd\n")
    copies("remove", "--from", "list")
    with fpdb.open("corpus.fpdb", "r") as db:
        assert len(db) == 0


def test_a_list_that_names_what_is_not_there_removes_nothing(copies: Run) -> None:
    assert "nothing was removed" in copies("remove", "a", "--from", "-", stdin=b"d\nz\n", status=1).stderr
    with fpdb.open("corpus.fpdb", "r") as db:
        assert len(db) == 5
