"""A report is one file that fetches and obeys nothing, shows what people wrote as text, and says what it left out."""

import re

import pytest

import fpdb
from fpdb import columns
from fpdb.pairs import options as pair_options
from fpdb.pairs.results import Comparison, HeldBack, Results
from fpdb.report import report
from fpdb.report.contents import Limits
from fpdb.report.escaping import escaped_json
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


def test_regions_are_where_the_texts_are_alike(db) -> None:
    """In UTF-16 units, as a browser counts: characters beyond them come before the passage."""
    passage = words(500, 30)
    texts = {"a": "😀😀 astral\n" + words(1, 5) + passage, "b": words(50, 9) + passage + words(70, 3)}
    fill(db, texts)
    page = Page(pairs_page(db, texts))
    (row,) = page.data()["rows"]
    (region,) = row["regions"]
    for side, name in ((0, "a"), (1, "b")):
        units = texts[name].encode("utf-16-le")
        held = units[2 * region[2 * side] : 2 * region[2 * side + 1]].decode("utf-16-le")
        assert passage.strip() in held
        assert len(held) < len(passage) + 20


@pytest.mark.parametrize("read", ["both", "first", "second", "none"])
def test_regions_are_of_the_hashes_that_count(db, monkeypatch, read) -> None:
    """A passage that many documents have is left out of scores and regions alike, by max_df or by default."""
    texts = {f"{number}": words(1, 40) + words(1000 * (number + 1), 40) for number in range(5)}
    texts["copy"] = texts["0"] + words(9000, 20)
    fill(db, texts)
    hidden = {"both": [], "first": ["copy"], "second": ["0"], "none": list(texts)}[read]

    def row(**options):
        page = db.report(texts=lambda document: None if document.name in hidden else texts.get(document.name))
        page.add_pairs(db.pairs(top=1, **options), **options)
        (row,) = Page(page.html()).data()["rows"]
        return row

    (everything,) = row()["regions"]
    (counted,) = row(max_df=3)["regions"]
    (pair,) = db.pairs(max_df=3, min_shared=1)
    assert counted[0] > everything[0]
    assert counted[1] == everything[1]
    assert counted[4] == pair.shared < everything[4]
    monkeypatch.setattr(pair_options, "SMALL", 5)
    monkeypatch.setattr(pair_options, "COMMON", 3)
    assert row()["regions"] == [counted]
    assert row(max_df=0)["regions"] == [everything]


@pytest.mark.parametrize("read", ["both", "first", "second", "none"])
def test_regions_of_copies_are_of_all_hashes(db, read) -> None:
    """Whatever is left out as common: copies are compared as if nothing was."""
    texts = {f"{number}": words(1, 60) + words(1000 * (number + 1), 40) for number in range(5)}
    texts["copy"] = texts["0"]
    fill(db, texts)
    hidden = {"both": [], "first": ["copy"], "second": ["0"], "none": list(texts)}[read]

    def row(**options):
        page = db.report(texts=lambda document: None if document.name in hidden else texts.get(document.name))
        page.add_pairs(db.pairs(top=1, **options), **options)
        (row,) = Page(page.html()).data()["rows"]
        return row

    assert row(max_df=1) == row(max_df=3) == row()
    pairs = {max_df: next(db.pairs(regions=True, max_df=max_df, texts=lambda _: None)) for max_df in (0, 1, 3)}
    assert pairs[0] == pairs[1] == pairs[3]
    spans = {max_df: list(db.spans(texts=lambda document: texts[document.name], max_df=max_df)) for max_df in (1, 9)}
    places = {max_df: {span.name: (span.start, span.end) for span in spans[max_df]} for max_df in spans}
    assert places[1] == {"copy": places[9]["copy"]} == {"copy": (0, len(texts["copy"].rstrip()))}


def named_rows(page):
    """Rows, whose sources are numbered in the order in which they are needed, with the names of these."""
    names = [source["name"] for source in page.data()["sources"]]
    return [row | {"a": names[row["a"]], "b": names[row["b"]]} for row in page.data()["rows"]]


def test_limits_are_kept_and_said(db) -> None:
    texts = {f"{at}.txt": words(at, 60) for at in range(6)}
    fill(db, texts)
    whole = Page(pairs_page(db, texts))
    assert len(whole.data()["rows"]) == 15
    assert "There are more" not in whole.text
    few = Page(pairs_page(db, texts, limits=Limits(rows=4)))
    assert named_rows(few) == named_rows(whole)[:4]
    assert "There are more: only the first 4 are listed here." in few.text
    exact = Page(pairs_page(db, texts, limits=Limits(rows=15)))
    assert "There are more" not in exact.text
    small = Page(pairs_page(db, texts, limits=Limits(text=4000)))
    states = [source["state"] for source in small.data()["sources"]]
    held = [attributes["id"] for _, attributes, _ in small.blocks if re.fullmatch(r"t\d+", attributes.get("id") or "")]
    assert 0 < len(held) < 6
    assert states.count("omitted") == 6 - len(held)
    assert sum(len(escaped_json(small.data(name)["text"])) for name in held) <= 4000
    assert f"{6 - len(held)} texts left out" in small.text
    assert [row["regions"] for row in small.data()["rows"]] == [row["regions"] for row in whole.data()["rows"]]


def test_a_source_that_is_gone_or_changed_has_positions_only(db) -> None:
    texts = {"a": words(1, 60), "b": words(20, 60), "c": words(30, 60)}
    fill(db, texts)
    page = Page(pairs_page(db, {"b": texts["b"], "c": "other"}))
    data = page.data()
    states = {source["name"]: source["state"] for source in data["sources"]}
    assert states == {"a": "unavailable", "b": "same", "c": "changed"}
    names = [source["name"] for source in data["sources"]]
    for row in data["rows"]:
        sides = names[row["a"]], names[row["b"]]
        assert row["symbols"] == [name != "b" for name in sides]
        assert row["regions"]
    assert "unknown" not in page.cells
    held = [attributes["id"] for _, attributes, _ in page.blocks if attributes.get("id") not in (None, "data")]
    assert held == [f"t{names.index('b')}"]


def test_positions_of_two_unread_sources_are_those_of_read_ones(db) -> None:
    """But for the ends, which only sources can tell; in texts of one symbol a character."""
    passage = "".join(f"{n * 7919 % 1009:03x}x{n * n % 997:03x}" for n in range(60))
    texts = {"a": "q" * 40 + passage, "b": "r" * 90 + passage + "s" * 30}
    fill(db, texts)
    (read,) = Page(pairs_page(db, texts)).data()["rows"]
    (unread,) = Page(pairs_page(db, {})).data()["rows"]
    assert unread["symbols"] == [True, True]
    assert len(unread["regions"]) == len(read["regions"]) == 1
    for (near, far), (start, end) in zip(
        ((40, 40 + len(passage)), (90, 90 + len(passage))),
        zip(*[iter(unread["regions"][0][:4])] * 2, strict=True),
        strict=True,
    ):
        assert near <= start < near + 60
        assert far - 60 < end <= far


def test_what_the_store_does_not_tell_is_unknown(path) -> None:
    texts = {"a": words(1, 60), "b": words(20, 60)}
    with fpdb.open(path, recipe=fpdb.Recipe.preset().with_(positions=False)) as db:
        fill(db, texts)
        page = Page(pairs_page(db, {}))
        (row,) = page.data()["rows"]
        assert row["regions"] == []
        assert "unknown" in page.cells
        assert db.check() == []


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


def test_without_jinja2_it_says_what_to_install(db, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(fpdb.MissingPackage, match=r"pip install 'fpdb\[report\]'"):
        db.report()


def test_a_report_of_nothing(db) -> None:
    page = db.report()
    page.add_pairs(db.pairs())
    assert "Nothing is alike." in Page(page.html()).text


def test_rows_tell_how_much_is_covered(db) -> None:
    """As pairs and matches do; it is unknown of a document that is gone; rows of owners have no such columns."""
    texts = {"a": words(1, 40), "b": words(20, 60), "c": words(300, 40) + words(1, 5)}
    given = {"texts": lambda document: texts[document.name]}
    fill(db, texts)
    pairs, page = list(db.pairs(regions=True, **given)), db.report(**given)
    page.add_pairs(pairs)
    assert last_cells(page) == [
        [f"{len(pair.regions or ())}", f"{pair.coverage_a:.1%}", f"{pair.coverage_b:.1%}"] for pair in pairs
    ]
    answer, page = db.query(texts["b"], regions=True, **given), db.report(**given)
    page.add_answer(answer, texts["b"])
    assert last_cells(page) == [
        [f"{len(match.regions or ())}", f"{match.query_coverage:.1%}", f"{match.document_coverage:.1%}"]
        for match in answer.matches
    ]
    db.remove("a")
    page = db.report(**given)
    page.add_pairs(pairs)
    assert [row == ["unknown"] * 3 for row in last_cells(page)] == ["a" in (pair.a, pair.b) for pair in pairs]
    page = db.report(**given)
    page.add_pairs(db.pairs(by_owner=True), by_owner=True)
    assert "covered" not in Page(page.html()).text


def last_cells(page: fpdb.Report) -> list[list[str]]:
    """Return the last three cells of each row before that for the review."""
    cells, width = Page(page.html()).cells, 12
    assert len(cells) % width == 0
    return [cells[end - 4 : end - 1] for end in range(width, len(cells) + 1, width)]


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
