"""A pair is shown with the measures that are counted, or given."""

import pytest

import fpdb
from tests.report.rendered_page import fill, words


@pytest.mark.parametrize("by", ["similarity", "weighted_containment", "weighted_resemblance", "mean_containment"])
def test_measures_are_counted_or_given(db, by) -> None:
    texts = {f"{at}": words(at, 40) for at in range(0, 60, 10)}
    fill(db, texts)
    for pair in db.pairs(by=by):
        given, counted = (db.pair_view(pair.a, pair.b, by=by, pair=one).to_dict() for one in (pair, None))
        assert given == counted
        assert given["rows"][0]["score"] == round(pair.score(by), 6)
    with pytest.raises(fpdb.NoSuchDocument):
        db.pair_view("0", "nobody")


def test_without_jinja2_it_says_what_to_install(db, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(fpdb.MissingPackage, match=r"pip install 'fpdb\[report\]'"):
        db.report()
