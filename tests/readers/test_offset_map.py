"""Symbols of a text put together from parts lead to the slices they stand for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.readers.folding import fold
from fpdb.readers.offset_map import MappedText

LETTERS = st.text("abé ﬁ", max_size=6)


@given(st.lists(st.tuples(LETTERS, LETTERS | st.none()), max_size=9))
def test_each_symbol_leads_to_its_slice(slices):
    """Slices of the original, each with the text that replaces it, if any."""
    sources = [source for source, _ in slices]
    parts = [source if text is None else text for source, text in slices]
    lengths = np.array([len(source) for source in sources], np.int64)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    symbols = MappedText("".join(sources), parts, lambda: (starts, ends)).fold("", "characters")
    expected = []
    for source, part, start in zip(sources, parts, starts.tolist(), strict=True):
        folded = fold(part)
        if len(part) == len(source):
            expected += [(start + offset, start + offset + 1) for offset in folded.offsets.tolist()]
        else:
            expected += [(start, start + len(source))] * len(folded)
    assert list(zip(symbols.offsets.tolist(), symbols.ends.tolist(), strict=True)) == expected
