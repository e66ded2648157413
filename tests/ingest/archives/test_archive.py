"""Compressed files are archives of one member."""

import gzip
from pathlib import Path

import pytest

from tests.ingest.archives.made_archives import GOOD_TEXT, found, written


@pytest.mark.parametrize(
    ("name", "label"), [("a.txt.gz", "a.txt"), ("prog.c.gz", "prog.c"), ("x.SVGZ", "x.svg"), ("y.tgz", "y.tar")]
)
def test_a_compressed_file_has_one_member(tmp_path: Path, name: str, label: str) -> None:
    path = written(tmp_path / name, gzip.compress(GOOD_TEXT[:9]) + gzip.compress(GOOD_TEXT[9:]))
    assert found(path) == {label: GOOD_TEXT}
