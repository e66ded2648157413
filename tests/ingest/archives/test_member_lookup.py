"""The way back to a member."""

import gzip
import warnings
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from fpdb.ingest.archives.member_lookup import MemberCache
from fpdb.regions.originals import read_original
from fpdb.regions.source_roots import SourceRoots, identify
from tests import crafted_archives as crafted
from tests.ingest.archives.made_archives import GOOD_TEXT, patient, written


def test_an_original_is_the_member_as_it_is_now(tmp_path: Path) -> None:
    path = written(tmp_path / "a!", crafted.zipped(("x!/y", GOOD_TEXT), ("bad", b"")))
    source = f"{path}!/x!/y"
    roots = SourceRoots([path])
    assert read_original(source, roots) == GOOD_TEXT
    assert read_original(source, SourceRoots([path], identify([path]))) == "unavailable"
    assert read_original(f"{path}!/x", roots) == "unavailable"
    assert read_original(f"{path}!/", roots) == "unavailable"
    assert read_original(f"{path}/x", roots) == "gone"
    written(tmp_path / "a!", crafted.tarred(("x!/y", b"another")))
    assert read_original(source, roots) == b"another"
    written(tmp_path / "a!", b"no archive")
    assert read_original(source, roots) == "unavailable"


@patient
@given(
    members=st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=20)), min_size=1, max_size=6),
    asked=st.lists(st.tuples(st.sampled_from([".tar", ".tgz", ".zip"]), st.sampled_from(["a", "b~2", "c", "d"]))),
    room=st.integers(0, 60),
)
def test_what_is_passed_changes_no_answer(
    tmp_path: Path, members: list[tuple[str, bytes]], asked: list[tuple[str, str]], room: int
) -> None:
    written(tmp_path / "x.tar", crafted.tarred(*members))
    written(tmp_path / "x.tgz", gzip.compress(crafted.tarred(*members)))
    with warnings.catch_warnings(action="ignore"):  # of names that are there twice
        written(tmp_path / "x.zip", crafted.zipped(*members))
    passed, roots = MemberCache(room), SourceRoots([str(tmp_path)])
    for form, label in asked:
        source = f"{tmp_path}/x{form}!/{label}"
        assert read_original(source, roots, passed) == read_original(source, roots)
