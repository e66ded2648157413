"""A report is one file that fetches and obeys nothing, shows what people wrote as text, and says what it left out."""

import pytest

import fpdb
from fpdb import columns
from fpdb.pairs.results import Comparison, HeldBack, Results
from fpdb.report import report
from tests.report.rendered_page import Page, fill, pairs_page, words


def test_the_same_bytes_for_the_same_documents_in_any_order(tmp_path) -> None:
    texts = {f"{at}.txt": words(10 * at, 60) for at in range(6)}
    pages = []
    for at, names in enumerate((sorted(texts), sorted(texts, reverse=True))):
        with fpdb.open(tmp_path / f"{at}.fpdb") as db:
            fill(db, {name: texts[name] for name in names})
            pages += [pairs_page(db, texts), pairs_page(db, texts)]
            assert db.check() == []
    assert len(set(pages)) == 1


def test_answers_of_several_queries_stand_on_one_page(db) -> None:
    texts = {"a": words(1, 60), "b": words(40, 60)}
    fill(db, texts)
    page = db.report(texts=lambda document: texts[document.name])
    for name, text in (("one", words(1, 30)), ("two", words(60, 30)), ("none", "too short")):
        page.add_answer(db.query(text, name=name, regions=True, texts=lambda document: texts[document.name]), text)
    found = Page(page.html())
    data = found.data()
    shown = [(data["sources"][row["a"]]["name"], data["sources"][row["b"]]["name"]) for row in data["rows"]]
    assert shown == [("one", "a"), ("two", "b")] or set(shown) >= {("one", "a"), ("two", "b")}
    assert all(row["regions"] for row in data["rows"])
    assert data["sides"] == ["query", "document"]


@pytest.mark.parametrize("by", ["containment", "weighted_resemblance"])
def test_owners_come_with_their_best_pairs_of_documents(db, by) -> None:
    """At most three a pair, those that share most first, a of owner A, with regions; owners have no sources."""
    texts = {"x/1": words(1, 60), "y/9": words(1, 60), "y/2": words(9, 60), "z": words(5000, 60) + words(40, 20)}
    texts |= {"x/5": words(30, 60), "a/1": words(31, 50), "a/2": words(9000, 40)}
    fill(db, texts)
    options = {"owners": "path:1", "by_owner": True}
    page = db.report(texts=lambda document: texts.get(document.name), by=by)
    listed = list(db.pairs(by=by, **options))
    page.add_pairs(listed, **options)
    found = Page(page.html())
    data = found.data()
    names = [source["name"] for source in data["sources"]]
    rows = [(names[row["a"]], names[row["b"]], row["regions"], row["score"]) for row in data["rows"]]
    heads = [at for at, row in enumerate(rows) if {row[0], row[1]} <= {"x", "y", "z", "a"} and not row[2]]
    assert [rows[at][:2] for at in heads] == [(pair.a, pair.b) for pair in listed]
    documents = sorted(db.pairs(by=by, owners="path:1"), key=lambda pair: -pair.shared)
    for pair, start, end in zip(listed, heads, [*heads[1:], len(rows)], strict=True):
        expected = [
            tuple(sorted([each.a, each.b], key=lambda name: name.split("/")[0] != pair.a))
            for each in documents
            if {each.a.split("/")[0], each.b.split("/")[0]} == {pair.a, pair.b}
        ]
        assert [row[:2] for row in rows[start + 1 : end]] == expected[:3]
        assert all(row[2] for row in rows[start + 1 : end])
    numbers = [cell for cell in found.cells if "." in cell and cell.replace(".", "").isdigit() and len(cell) == 3]
    assert "1.1" in numbers
    assert f"{len(listed)} pairs, ranked" in found.text
    assert all(source["state"] == "unavailable" for source in data["sources"] if source["name"] in ("x", "y", "a"))


@pytest.mark.parametrize("by", ["containment", "resemblance", "weighted_containment", "weighted_resemblance"])
def test_the_pair_of_documents_that_shares_most_is_not_left_out(db, by) -> None:
    """Small files that are alike as a whole do not push out a large one, of which a part was copied."""
    fill(db, {"x/large": words(1, 300) + words(9000, 900), "y/large": words(1, 300) + words(20000, 900)})
    for number in range(6):
        fill(db, {f"{owner}/{number}": words(5000 + 50 * number, 12) for owner in "xy"})
    (pair,) = db.pairs(by=by, owners="path:1", by_owner=True, document_pairs=3)
    page = db.report(by=by)
    page.add_pairs([pair], owners="path:1", by_owner=True)
    data = Page(page.html()).data()
    names = [source["name"] for source in data["sources"]]
    assert [(names[row["a"]], names[row["b"]]) for row in data["rows"]][:2] == [("x", "y"), ("x/large", "y/large")]
    assert [(each.a, each.b) for each in pair.document_pairs][:1] == [("x/large", "y/large")]


def test_owners_by_label_and_documents_without_one(db) -> None:
    for name, owner in (("b", "ann"), ("a", "bob"), ("c", None)):
        db.add(name, words(1, 60), labels={} if owner is None else {"owner": owner})
    page = db.report()
    page.add_pairs(db.pairs(by_owner=True), by_owner=True)
    data = Page(page.html()).data()
    names = [source["name"] for source in data["sources"]]
    rows = [(names[row["a"]], names[row["b"]]) for row in data["rows"]]
    assert rows == [("ann", "bob"), ("b", "a"), ("ann", "c"), ("b", "c"), ("bob", "c"), ("a", "c")]


def test_a_report_of_nothing(db) -> None:
    page = db.report()
    page.add_pairs(db.pairs())
    assert "Nothing is alike." in Page(page.html()).text


def test_signs_of_a_disguise_are_told(db) -> None:
    texts = {f"{at}": words(1, 60).replace("a", "а") for at in range(report.SIGNS + 2)}
    texts["honest"] = words(1, 60)
    fill(db, texts)
    page = pairs_page(db, texts)
    assert page.count("letters of another script that look Latin") == report.SIGNS
    assert "2 more documents have signs of a disguise." in page
    assert "disguise in honest" not in page
    answers = db.report(texts=lambda document: texts[document.name])
    answers.add_answer(db.query(texts["0"], name="essay", regions=True), texts["0"])
    assert "Signs of a disguise in essay: " in answers.html()


def test_what_tells_the_measures_is_said(db) -> None:
    """As the terminal does: a document of few fingerprints may be alike by chance; and pairs that are held back."""
    texts = {"a": words(1, 6), "b": words(1, 6) + words(50, 6), "c": words(4, 6), "d": words(1, 60)}
    fill(db, texts)
    pairs = db.pairs(texts=lambda document: texts[document.name])
    page = db.report(texts=lambda document: texts[document.name])
    listed = list(pairs)
    page.add_pairs(Results(lambda: Comparison(iter(listed), pairs.ignored, None, HeldBack(16, 2, 1))))
    found = Page(page.html())
    assert [row["evidence"] for row in found.data()["rows"]] == [
        columns.EVIDENCE_WORDS.get(pair.evidence, "") for pair in listed
    ]
    assert any(row["evidence"] for row in found.data()["rows"])
    assert "3 pairs of documents with fewer than 16 fingerprints were held back" in found.text
