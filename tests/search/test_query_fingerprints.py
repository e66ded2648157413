"""The documents that are the query itself, by name and content."""

import numpy as np

import fpdb
from fpdb.search.options import ContentOptions
from fpdb.search.query_fingerprints import QueryDocument
from tests.made_up_prose import prose


def test_only_the_same_name_and_content_is_left_out(db):
    text = "the quick brown fox jumps over the lazy dog " * 9
    db.add("a", text)
    db.add("b", text)
    assert [match.name for match in db.query(text).matches] == ["a", "b"]
    assert [match.name for match in db.query(text, name="a").matches] == ["b"]
    assert [match.name for match in db.query(text, name="a", include_self=True).matches] == ["a", "b"]
    assert [match.name for match in db.query(text + "!", name="a").matches] == ["a", "b"]
    assert [match.name for match in db.query(text, name="none").matches] == ["a", "b"]
    digest = db.digest("b")
    assert [match.name for match in db.query_fingerprints([], name="b", digest=digest).matches] == []
    db.add("b", text, boilerplate=True)
    assert db.query(text, name="b").matches == []


def test_a_text_is_read_once_though_regions_need_all_of_its_fingerprints(db, monkeypatch):
    text = prose(np.random.default_rng(3), 400)
    db.add("a", text, keep_text=True)
    expected = db.query(text, regions=True).matches[0].regions
    calls = []
    fingerprint = fpdb.Recipe.fingerprint

    def noted(*args, **options):
        calls.append(options)
        return fingerprint(*args, **options)

    monkeypatch.setattr(fpdb.Recipe, "fingerprint", noted)
    answer = db.query(text, regions=True, window=90)
    assert answer.matches[0].regions[0].a == expected[0].a
    assert answer.query.fingerprints < db.document("a").fingerprints
    assert [options.get("window") for options in calls] == [90, None]  # the second one reads the document


def test_what_is_left_out_is_said(db):
    text = "the quick brown fox jumps over the lazy dog " * 9
    db.add("a", text)
    with db.searcher() as searcher:
        for name, include_self, omitted in (("a", False, [0]), ("a", True, []), ("b", False, [])):
            options = ContentOptions(include_self=include_self)
            ranked = searcher.rank_document(QueryDocument(name, text, "text"), options)
            assert list(ranked.query.omitted_ids) == omitted
