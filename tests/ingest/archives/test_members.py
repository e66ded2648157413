"""Labels of members."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from fpdb.ingest.archives.members import MemberLabels
from tests import crafted_archives as crafted
from tests.ingest.archives.made_archives import GOOD_TEXT, found, patient, written


def test_names_are_labels(tmp_path: Path) -> None:
    names = found(written(tmp_path / "a.zip", crafted.zipped(*((name, GOOD_TEXT) for name in crafted.NAMES))))
    assert list(names) == [
        "../../etc/passwd",
        "etc/passwd",
        "C:\\Windows\\x.txt",
        "a\x1b[31m\u202egnp.txt",
        "a/b.txt",
        "a/b~2.txt",
        "..",
    ]


@patient
@given(st.lists(st.sampled_from(["a", "a.txt", "a~2.txt", "a~2", "./a", "", "b/", "b/.x", ".x", "../a"]), max_size=12))
def test_no_two_members_have_one_label(names: list[str]) -> None:
    labels = MemberLabels(100)
    given = [labels.label(name) for name in names]
    assert len(set(given)) == len(given)
    again = MemberLabels(100)
    assert given == [again.label(name) for name in names]
