"""Contents come from the kept text, the file or the caller; else the answer says why there is none."""

import pytest

import fpdb
from fpdb.regions.places import SymbolPlace, TextPlace
from tests.regions.documents import add, match_of, words


def test_a_source_that_changed_or_went_is_said(db, tmp_path):
    text = "\n".join(" ".join(words(seed, 10)) for seed in range(20))
    path = add(db, tmp_path, "a", text)
    before = match_of(db, text)
    assert before.source == "same"
    path.write_text(text + "!")
    changed = match_of(db, text)
    path.unlink()
    gone = match_of(db, text)
    assert (changed.source, gone.source) == ("changed", "gone")
    assert changed.regions == gone.regions
    (region,) = gone.regions
    assert isinstance(region.b, SymbolPlace)
    assert isinstance(region.a, TextPlace)
    assert region.matched_fingerprints == before.regions[0].matched_fingerprints
    assert 0 <= region.b.first_symbol < region.b.last_symbol < db.document("a").symbols


PAGE = "<!doctype html><meta charset=latin-1><p>é</p>" + "".join(f"<p>{' '.join(words(at, 9))} é" for at in range(20))


FORMS = {
    "a string": ("text", " ".join(words(1, 60))),
    "a string with a mark": ("text", "\ufeff\ufeff" + " ".join(words(1, 60))),
    "a string with half a pair": ("text", "\ud800 é " + " ".join(words(1, 60))),
    "bytes": ("text", " ".join(words(1, 60)).encode()),
    "bytes with a mark": ("text", "é ".encode("utf-8-sig") + " ".join(words(1, 60)).encode()),
    "bytes in UTF-16": ("text", ("é " + " ".join(words(1, 60))).encode("utf-16")),
    "bytes of no encoding": ("text", b"\xe9\xff " + " ".join(words(1, 60)).encode()),
    "a page as a string that claims an encoding": ("html", PAGE),
    "a page in another encoding": ("html", PAGE.encode("latin-1")),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_kept_text_is_read_as_it_was_given(db, form):
    """Whatever its form, each place in it is the one in the query, which is the same content."""
    kind, content = FORMS[form]
    db.add("a", content, kind=kind, keep_text=True)
    match = match_of(db, content, kind=kind)
    assert (match.source, match.query_coverage, match.document_coverage) == ("same", 1, 1)
    assert match.regions
    assert all(region.a == region.b for region in match.regions)
    assert db.original("a") == content


def test_a_kept_text_comes_before_the_file(db, tmp_path):
    text = " ".join(words(1, 60))
    path = add(db, tmp_path, "a", text)
    assert db.add("a", text, source=str(path), keep_text=True) == "updated"
    for change in (lambda: path.write_text("another"), path.unlink, lambda: path.mkdir()):
        change()
        assert match_of(db, text).source == "same"
        assert db.original("a") == text
    db.add("a", f"{text} and more", source=str(path), keep_text=False)
    assert match_of(db, text).source == "unavailable"
    with pytest.raises(fpdb.Unreadable, match="the source cannot be read"):
        db.original("a")
    path.rmdir()
    with pytest.raises(fpdb.Unreadable, match="the source is gone, and the text was not kept"):
        db.original("a")
    path.write_text("another")
    with pytest.raises(fpdb.ContentChanged, match="the source has changed"):
        db.original("a")
    path.write_text(f"{text} and more")
    assert db.original("a") == f"{text} and more".encode()
