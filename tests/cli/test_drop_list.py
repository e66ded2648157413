"""`fpdb drop-list`: what it prints, and wrong usage of the commands that compare documents."""

import pytest

from tests.cli.conftest import Run
from tests.cli.json_lines import objects


def test_rows_say_what_is_kept_and_why(copies: Run) -> None:
    rows = objects(copies("drop-list", "--format", "json").stdout)
    assert [(row["name"], row["kept"], row["cluster"], row["size"], row["reason"]) for row in rows] == [
        ("b\nb", "a", "a", 3, "similar"),
        ("c", "a", "a", 3, "connected"),
        ("é", "d", "d", 2, "similar"),
    ]
    assert list(rows[0]) == ["name", "kept", "cluster", "size", "shared", "measure", "reason", "evidence"]
    direct = objects(copies("drop-list", "--direct", "--format", "json").stdout)
    assert [row["name"] for row in direct] == ["b\nb", "é"]
    longest = objects(copies("drop-list", "--direct", "--keep", "longest", "--format", "json").stdout)
    assert [(row["name"], row["kept"]) for row in longest] == [("a", "b\nb"), ("c", "b\nb"), ("é", "d")]
    french = objects(copies("drop-list", "--keep", "label:language=fr,en", "--format", "json").stdout)
    assert french[-1]["name"] == "d"
    lines = copies("drop-list").stdout.splitlines()
    assert lines[0].split()[:3] == ["#", "drop", "keep"]
    assert "b\\x0ab" in lines[1]
    assert lines[2].split()[-2:] == ["connected", "3"]
    assert "more document" in copies("drop-list", "--top", "1").stdout
    assert copies("drop-list", "--min", "1", "--by", "resemblance").stdout.startswith("nothing to drop")


@pytest.mark.parametrize(
    "arguments",
    [
        ("drop-list", "-0"),
        ("drop-list", "--names", "--format", "json"),
        ("drop-list", "--keep", "last"),
        ("drop-list", "--min", "7"),
        ("list", "-0"),
        ("spans", "--pad", "-1"),
        ("spans", "a", "--new", "language=fr"),
        ("common", "--min-df", "1"),
        ("common", "--mark", "a"),
        ("explain", "a", "a"),
        ("explain", "a", "c", "--since", "2026-01-01"),
        ("remove", "-0", "a"),
        ("remove",),
        ("pairs", "--keep", "first"),
        ("pairs", "--clusters", "--keep", "label:x"),
    ],
)
def test_wrong_usage(copies: Run, arguments: tuple[str, ...]) -> None:
    copies(*arguments, status=2)
