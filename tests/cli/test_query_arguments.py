"""Arguments that contradict each other, or are out of range, are refused with a hint."""

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--min", "1.5"), "from 0 to 1"),
        (("--min", "-0.1"), "from 0 to 1"),
        (("--min", "nan"), "from 0 to 1"),
        (("--by", "shared", "--min", "-1"), "0 or more"),
        (("-w", "0"), "x>=1"),
        (("-w", "3"), "not narrower"),
        (("--top", "0"), "x>=1"),
        (("--smallest", "0"), "x>=1"),
        (("--max-df", "0"), "x>=1"),
        (("--max-ignored", "2"), "--max-df"),
        (("--by", "beauty"), "containment"),
        (("--kind", "novel"), "choose one of"),
        (("c", "--name", "x"), "--name"),
    ],
)
def test_wrong_usage(half_copied: Run, options: tuple[str, ...], hint: str) -> None:
    assert hint in half_copied("query", "draft.txt", *options, status=2).stderr
