"""Addresses carry names to the server and back, whatever they are."""

from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder

from fpdb.browse.site import fields_of, link

NAMES = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\udc80\udcff&=#?%+/\\\0\n"), min_size=1)


@given(st.dictionaries(st.sampled_from(["a", "b", "name"]), NAMES))
def test_fields_come_back(fields):
    path, _, query = link("/page", none=None, empty="", **fields).partition("?")
    assert path == "/page"
    assert fields_of(EnvironBuilder(path, query_string=query).get_request()) == fields
