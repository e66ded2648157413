"""Spans: what is cut is what others have too, merged and widened as asked."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.errors import BadArgument, BadQuery
from fpdb.pairs.passage_finder import Passage
from fpdb.pairs.spans import Cut, merge_passages
from tests.pairs.made_up_words import words

TEXT = "zero one-two café_3 vier e\u0301te"

passages = st.lists(
    st.tuples(st.integers(0, 28), st.integers(1, 9), st.sampled_from("abc"), st.integers(1, 5)).map(
        lambda one: Passage(one[0], min(one[0] + one[1], len(TEXT)), one[2], one[3])
    ),
    max_size=8,
)
cuts = st.builds(Cut, st.integers(1, 9), st.integers(0, 4), st.booleans())


def is_word(index):
    return TEXT[index].isalnum() or TEXT[index] in "_\u0301"


def plainly(found, cut):
    """Return the characters to cut, and the other document, by definition."""
    covered = set()
    for start, end in runs({at for one in found for at in range(one.start, one.end)}):
        if end - start < cut.shortest:
            continue
        start, end = max(start - cut.pad, 0), min(end + cut.pad, len(TEXT))
        while cut.snap and 0 < start < len(TEXT) and is_word(start) and is_word(start - 1):
            start -= 1
        while cut.snap and 0 < end < len(TEXT) and is_word(end) and is_word(end - 1):
            end += 1
        covered |= set(range(start, end))
    return covered


def runs(inside):
    """Maximal stretches; passages that touch are one."""
    starts = [at for at in sorted(inside) if at - 1 not in inside]
    ends = [at + 1 for at in sorted(inside) if at + 1 not in inside]
    return zip(starts, ends, strict=True)


@given(passages, cuts)
@settings(max_examples=80, deadline=None)
def test_spans_are_those_of_the_definition(found, cut):
    spans = list(merge_passages("x", TEXT, found, cut))
    assert {at for span in spans for at in range(span.start, span.end)} == plainly(found, cut)
    assert all(one.end < other.start for one, other in pairwise(spans))
    for span in spans:
        inside = [one for one in found if span.start <= one.start and one.end <= span.end]
        assert 1 <= span.documents <= len({one.other for one in inside})
        assert 1 <= span.shared <= sum(one.shared for one in inside if one.other == span.with_)


def test_of_each_pair_the_later_one_is_cut(db):
    shared, more = words(1, 60), words(2, 60)
    db.add("first", f"{words(3, 40)} {shared} {words(4, 40)}", keep_text=True)
    second = f"{shared} {words(5, 40)} {more}"
    db.add("second", second, keep_text=True, labels={"language": "en"})
    db.add("third", third := f"{words(6, 40)}, {shared}! {more}", keep_text=True)
    spans = {name: [span for span in db.spans() if span.name == name] for name in ("first", "second", "third")}
    assert spans["first"] == []
    (cut,) = spans["second"]
    assert second[cut.start : cut.end].startswith(shared)
    assert abs(cut.end - len(shared)) < 3  # letters that are equal by chance
    assert [(span.with_, span.documents) for span in spans["third"]] == [("first", 2), ("second", 1)]
    cut = next(span for span in db.spans(pad=1) if span.name == "third")  # which joins them: the second has both
    assert (third[cut.start : cut.end].strip(" ,"), cut.with_, cut.documents) == (f"{shared}! {more}", "second", 2)
    assert {span.name for span in db.spans(keep="label:language=en")} == {"first", "third"}
    longest = max(("first", "second", "third"), key=lambda name: db.document(name).symbols)
    assert {span.name for span in db.spans(keep="longest")} == {"first", "second", "third"} - {longest}
    assert list(db.spans(shortest=10_000)) == []
    db.remove("third")
    (cut,) = db.spans(f"{words(7, 30)} {more[:200]}", name="query", snap=True, min=0.1)
    assert (cut.name, cut.with_, cut.start) == ("query", "second", len(words(7, 30)) + 1)


def test_what_cannot_be_read_is_told(db):
    db.add("first", words(1, 100))
    db.add("second", words(1, 90))
    (span,) = db.spans()
    assert span.to_dict() == {
        "name": "second",
        "start": None,
        "end": None,
        "with": "first",
        "shared": span.shared,
        "documents": 1,
        "source": "not_kept",
    }
    (span,) = db.spans(texts=lambda document: words(1, 90) if document.name == "second" else None)
    assert (span.start, span.source) != (None, "same")


@pytest.mark.parametrize(
    "options", [{"pad": -1}, {"shortest": 0}, {"gap": True}, {"keep": "x"}, {"by_owner": True}, {"top": 3}, {"min": 2}]
)
def test_options_that_make_no_sense_are_refused(db, options):
    with pytest.raises((BadQuery, BadArgument)):
        list(db.spans(**options))
