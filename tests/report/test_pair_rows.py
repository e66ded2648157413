"""The rows of pairs have the regions that count, as far as sources and the database tell them."""

from functools import partial

import pytest

import fpdb
from fpdb.pairs import options as pair_options
from tests.report.rendered_page import Page, fill, pairs_page, words


def first_row(db, texts, read, **options):
    """Return the first pair of a report that can read the text of both documents, the first, the second or none."""
    hidden = {"both": [], "first": ["copy"], "second": ["0"], "none": list(texts)}[read]
    page = db.report(texts=lambda document: None if document.name in hidden else texts.get(document.name))
    page.add_pairs(db.pairs(top=1, **options), **options)
    (row,) = Page(page.html()).data()["rows"]
    return row


@pytest.mark.parametrize("read", ["both", "first", "second", "none"])
def test_regions_are_of_the_hashes_that_count(db, monkeypatch, read) -> None:
    """A passage that many documents have is left out of scores and regions alike, by max_df or by default."""
    texts = {f"{number}": words(1, 40) + words(1000 * (number + 1), 40) for number in range(5)}
    texts["copy"] = texts["0"] + words(9000, 20)
    fill(db, texts)
    row = partial(first_row, db, texts, read)
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
    row = partial(first_row, db, texts, read)
    assert row(max_df=1) == row(max_df=3) == row()
    pairs = {max_df: next(db.pairs(regions=True, max_df=max_df, texts=lambda _: None)) for max_df in (0, 1, 3)}
    assert pairs[0] == pairs[1] == pairs[3]
    spans = {max_df: list(db.spans(texts=lambda document: texts[document.name], max_df=max_df)) for max_df in (1, 9)}
    places = {max_df: {span.name: (span.start, span.end) for span in spans[max_df]} for max_df in spans}
    assert places[1] == {"copy": places[9]["copy"]} == {"copy": (0, len(texts["copy"].rstrip()))}


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
