"""Spans: what is cut is what others have too, merged and widened as asked; longest passages by brute force."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.errors import BadQuery
from fpdb.pairs.spans import Cut, Passage, merge_passages
from fpdb.regions.longest_common import longest_common

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


@given(st.binary(max_size=40), st.binary(max_size=40), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_the_longest_common_stretch(one, other, letters):
    one, other = (bytes(byte % (letters + 1) for byte in part) for part in (one, other))
    longest = max(n for n in range(len(one) + 1) for at in range(len(one) - n + 1) if one[at : at + n] in other)
    assert longest_common(np.frombuffer(one, np.uint8), np.frombuffer(other, np.uint8)) == longest


def words(seed, count):
    rng = random.Random(seed)
    return " ".join("".join(rng.choices("abcdefghij", k=rng.randint(3, 9))) for _ in range(count))


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
    with pytest.raises(BadQuery):
        list(db.spans(**options))


# ------------------------------------------------------------ what many documents hold


def test_common_passages_are_found_and_can_be_discarded(db):
    header, footer = words(1, 40), words(2, 60)
    for number in range(6):
        own = words(10 + number, 60)
        db.add(f"{number}", f"{header}. {own}." if number == 5 else f"{header}. {own}. {footer}", keep_text=True)
    db.add("gone", f"{footer} {words(20, 30)}", keep_text=True)
    db.remove("gone")
    first, second = db.common(min_df=4)
    assert [(one.documents, one.name, one.source) for one in (first, second)] == [(6, "0", "same"), (5, "0", "same")]
    assert first.text in header
    assert len(first.text) > len(header) - 60
    assert second.text in f"{words(10, 60)}. {footer}"
    assert db.original("0")[second.start : second.end] == second.text
    assert [one.documents for one in db.common(min_df=4, top=1)] == [6]
    assert list(db.common(min_df=7)) == []
    assert len(list(db.pairs(min_shared=3))) == 15
    db.add_fingerprints("frame", np.concatenate([first.hashes, second.hashes]), boilerplate=True)
    assert list(db.pairs(min_shared=3)) == []
    assert list(db.common(min_df=4)) == []


def test_common_hashes_without_a_text(db):
    for number in range(3):
        db.add_fingerprints(f"{number}", [1, 2, 2, 10 + number])
    (passage,) = db.common(min_df=3)
    assert (passage.documents, passage.fingerprints, passage.name, passage.text) == (3, 2, "0", None)
    assert passage.hashes.tolist() == [1, 2]
    with pytest.raises(BadQuery):
        list(db.common(min_df=1))


# ------------------------------------------------------------ why two documents are a pair, or not


def codes(found):
    return [reason.code for reason in found.reasons]


def test_measures_are_those_of_pairs(db):
    rng = random.Random(3)
    held = {f"{number}": rng.sample(range(40), rng.randint(5, 20)) for number in range(7)}
    for name, hashes in held.items():
        db.add_fingerprints(name, hashes)
    db.add_fingerprints("template", [1, 2, 3], boilerplate=True)
    for by in ("containment", "weighted_containment", "weighted_resemblance", "shared"):
        for options in ({}, {"max_df": 6}):
            for pair in db.pairs(by=by, **options):
                found = db.explain(pair.a, pair.b, by=by, **options)
                assert (found.shared, found.containment_a, found.containment_b, found.resemblance) == (
                    pair.shared,
                    pair.containment_a,
                    pair.containment_b,
                    pair.resemblance,
                )
                assert found.similar
                if by.startswith("weighted"):
                    each = [pair.weighted_containment_a, pair.weighted_containment_b]
                    expected = pair.weighted_resemblance if by.endswith("resemblance") else max(each)
                    assert found.measure == pytest.approx(expected, abs=1e-12)
            known = {(pair.a, pair.b) for pair in db.pairs(by=by, min=3 if by == "shared" else 0.3, **options)}
            for a in held:
                for b in held:
                    if a < b:
                        found = db.explain(a, b, by=by, min=3 if by == "shared" else 0.3, **options)
                        assert found.similar == ((*sorted((a, b), key=str.encode),) in known)


def test_each_reason(db):
    text = words(1, 200)
    db.add("long", text, keep_text=True, labels={"owner": "ann"})
    db.add("copy", text, keep_text=True)
    db.add("short", "too short", keep_text=True)
    db.add("part", text[:300] + words(2, 200), keep_text=True, labels={"owner": "ann"})
    db.add("other", words(3, 200), keep_text=True)
    db.add("template", words(4, 50), boilerplate=True, keep_text=True)
    db.add("filled", words(4, 50), keep_text=True)
    db.add_fingerprints("numbers", [1, 2, 3])
    assert codes(db.explain("long", "copy")) == ["similar", "same_content"]
    assert codes(db.explain("long", "part")) == ["same_owner"]
    assert codes(db.explain("copy", "part", min=0.9)) == ["below_min"]
    assert codes(db.explain("copy", "part", min_shared=10_000)) == ["below_min_shared"]
    assert codes(db.explain("copy", "short")) == ["too_short"]
    assert codes(db.explain("copy", "numbers")) == ["other_alphabet", "nothing_shared"]
    assert codes(db.explain("template", "filled")) == [
        "same_content",
        "boilerplate_document",
        "all_boilerplate",
        "shared_boilerplate",
    ]
    assert "all_common" in codes(db.explain("long", "copy", max_df=1))
    found = db.explain("copy", "other")
    assert codes(found) == ["nothing_shared"]
    assert found.longest == brute(text, words(3, 200))
    assert (found.k, found.surely_found) == (30, 50)
    assert "no fingerprint" in found.reasons[0].text
    given = db.explain("copy", "draft", contents={"draft": text[:500]}, min=0.5)
    assert codes(given) == ["similar"]
    assert not given.b.in_database
    assert given.containment_b == db.query(text[:500]).matches[0].containment
    with pytest.raises(BadQuery):
        db.explain("long", "long")
    with pytest.raises(fpdb.NoSuchDocument):
        db.explain("long", "nowhere")


def brute(one, other):
    one, other = one.replace(" ", ""), other.replace(" ", "")
    return max(n for n in range(30) if any(one[at : at + n] in other for at in range(len(one) - n)))
