"""The documents that are the query itself, by name and content."""

import numpy as np
import pytest

import fpdb
from fpdb.search.options import ContentOptions
from fpdb.search.query_fingerprints import QueryDocument, QueryFingerprints
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
    counted = [db.query(text, name="a", include_self=own, with_total=True, top=1) for own in (True, False)]
    assert [answer.total for answer in counted] == [2, 1]
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


def test_short_texts_are_fingerprinted_as_the_options_say(db):
    """Alone, and together with others."""
    text = " ".join(f"naïve {number}" for number in range(30))
    db.add("a", text)
    everything = db.query(text).query.fingerprints
    for options in ({"window": 60}, {"rarity": "corpus"}):
        alone = db.query(text, **options)
        assert db.queries([(None, text)] * 2, **options) == [alone] * 2
        assert (alone.query.fingerprints < everything) == ("window" in options)
    encoded = text.encode("utf-16-le")
    (match,) = db.query(encoded, encoding="utf-16-le", kind="text")
    assert match.containment == 1


RECIPES = {
    "text": fpdb.Recipe.preset("text"),
    "full": fpdb.Recipe.preset("text").with_(scheme="full"),
    "smallest": fpdb.Recipe.preset("text").with_(scheme="smallest", n=20),
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_many_queries_are_fingerprinted_as_each_alone(tmp_path, recipe):
    """Whatever their kinds and forms; one that cannot be read has an error in its place."""
    text = prose(1, 40)
    documents = [
        ("a", text),
        ("\ud800", text),
        ("broken.docx", b"PK\3\4"),
        ("", text),
        ("neither UTF-8 nor ASCII", b"\xe9\xff " + text.encode()),
        ("long", prose(2, 12_000)),
        ("page.html", f"<html><p>{text}</p>{prose(3, 40)}"),
        ("empty", ""),
        ("b", prose(3, 40) + text),
    ]
    with fpdb.open(tmp_path / "t.fpdb", recipe=RECIPES[recipe]) as db:
        db.add("stored", f"{text} {prose(4, 90)}")
        db.add("a", text)
        answers = db.queries(documents, kind="auto")
        for (name, content), answer in zip(documents, answers, strict=True):
            if isinstance(answer, fpdb.Error):
                with pytest.raises(type(answer)):
                    db.query(content, name=name)
            else:
                assert answer == db.query(content, name=name)
        assert [isinstance(answer, fpdb.Error) for answer in answers] == [0, 1, 1, 1, 0, 0, 0, 0, 0]
        assert [match.name for match in answers[0]] == ["stored"]
        assert {match.name for match in answers[4]} == {match.name for match in answers[8]} == {"a", "stored"}
        assert db.check() == []


def test_a_query_of_hashes_leaves_itself_out_unless_asked() -> None:
    query = QueryFingerprints(np.array([1], np.uint64), "a", "hashes", own_ids=[3])
    assert list(query.omitted_ids) == [3]
    assert list(query._replace(include_self=True).omitted_ids) == []
