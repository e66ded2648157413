"""Names as a page shows them: without what all begin with, or as numbers."""

from hypothesis import given
from hypothesis import strategies as st

from fpdb.report.contents import PageContents, PageSource, Row
from fpdb.report.heading import anonymise, short_names

NAMES = st.lists(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4).map("/".join), unique=True)


@given(NAMES)
def test_short_names_are_the_ends_of_names(names):
    shown = [short.whole for short in short_names([PageSource(name, "same") for name in names])]
    beginnings = {name[: len(name) - len(short)] for name, short in zip(names, shown, strict=True)}
    assert [name[len(name) - len(short) :] for name, short in zip(names, shown, strict=True)] == shown
    assert len(beginnings) <= 1
    assert all(begin == "" or begin.endswith("/") for begin in beginnings)
    assert all(shown)


@given(NAMES.filter(lambda names: len(names) > 1), st.data())
def test_an_anonymous_page_has_numbers_in_the_place_of_names(names, data):
    indices = st.integers(0, len(names) - 1)
    drawn = data.draw(st.lists(st.tuples(indices, indices), min_size=1))
    sources = [PageSource(name, "same", owner=name.partition("/")[0]) for name in names]
    rows = [Row(a, b, 1.0, []) for a, b in drawn]
    contents = PageContents("Pairs", "pair", ("A", "B"), "shared", "containment", (), rows=rows, sources=sources)
    anonymous, listed = anonymise(contents)
    told = dict(listed)
    assert len(told) == len(listed)
    for (a, b), row in zip(drawn, anonymous.rows, strict=True):
        for index, source in ((a, anonymous.sources[row.a]), (b, anonymous.sources[row.b])):
            assert (told[source.name], told[source.owner]) == (names[index], names[index].partition("/")[0])
    assert not {source.name for source in anonymous.sources} & set(names)
