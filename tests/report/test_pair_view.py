"""The view of one pair is that of a page with this pair alone, whatever else the database holds."""

from tests.report.rendered_page import Page, fill, pairs_page, words


def test_the_view_of_a_pair_is_its_row_of_a_report(db) -> None:
    texts = {"a": words(1, 60), "b": words(20, 60), "c": words(30, 60)}
    fill(db, texts)
    given = {"texts": lambda document: texts[document.name]}
    page = Page(pairs_page(db, texts))
    names = [source["name"] for source in page.data()["sources"]]
    for row in page.data()["rows"]:
        a, b = names[row["a"]], names[row["b"]]
        view = db.pair_view(a, b, **given).to_dict()
        assert [source["name"] for source in view["sources"]] == [a, b]
        assert view["rows"] == [row | {"number": "1", "a": 0, "b": 1}]
        assert view["texts"] == {0: page.data(f"t{row['a']}"), 1: page.data(f"t{row['b']}")}
        assert Page(db.pair_view(a, b, **given).html()).data()["rows"] == view["rows"]


def test_what_does_not_count_is_told(db) -> None:
    """Boilerplate, and what so many documents hold that it is common."""
    template, common = words(900, 30), words(700, 30)
    texts = {f"{at}": f"{words(100 * at, 20)}{template}{words(50 * at, 20)}{common}" for at in range(1, 7)}
    with db.batch() as batch:
        batch.add("template", template, boilerplate=True)
        for name, text in texts.items():
            batch.add(name, text)
    for max_df, passages in ((0, [template]), (5, [template, common])):
        view = db.pair_view("1", "2", max_df=max_df, texts=lambda document: texts[document.name]).to_dict()
        text, flat = view["texts"][0]["text"], view["texts"][0]["discarded"]
        told = {at for start, end in zip(flat[::2], flat[1::2], strict=True) for at in range(start, end)}
        expected = {at for passage in passages for at in range(text.index(passage), text.index(passage) + len(passage))}
        assert len(told ^ expected) < 0.1 * len(expected)
