"""Damage is named and nothing is made up."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.regions.originals import read_original
from fpdb.regions.source_roots import SourceRoots
from tests.ingest.archives.made_archives import MAKERS, changed, content, patient


@pytest.mark.parametrize("made", sorted(MAKERS))
@patient
@given(data=st.data())
def test_damage_is_named_and_nothing_is_made_up(tmp_path: Path, made: str, data: st.DataObject) -> None:
    """Wherever some bytes are changed or the end is cut off: what is given is what was there, or is named."""
    tree = {f"{at}.txt": f"{at} ".encode() * 900 for at in range(5)}
    path = tmp_path / made
    MAKERS[made](path, tree)
    whole = path.read_bytes()
    cut = data.draw(st.integers(1, len(whole)))
    at = data.draw(st.integers(0, len(whole) - 1))
    path.write_bytes(changed(whole, at, *data.draw(st.binary(max_size=8)))[:cut])
    given = list(discover([str(path)]))
    read = [content(one) for one in given if isinstance(one, InputDocument) and one.path is None]
    wrong = [data for data in read if isinstance(data, bytes) and data not in tree.values()]
    if made.endswith("zip"):
        assert wrong == []
    elif not made.endswith(".tar"):  # which has checksums of its headers alone
        assert not wrong or any(isinstance(one, Skipped) and one.name == str(path) for one in given)
    for one in given:
        if isinstance(one, InputDocument) and one.path is None and isinstance(content(one), bytes):
            assert read_original(one.source, SourceRoots([str(path)])) == one.content
