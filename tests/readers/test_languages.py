"""Languages are told by the extension of a name."""

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from fpdb.readers import languages


@given(st.text("aA.ö/ ", max_size=12))
def test_extensions_are_those_of_paths(name):
    assert languages.get_extension(name) == posixpath.splitext(name)[1][1:].lower()
