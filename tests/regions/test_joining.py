"""Regions of real documents: characters and lines exact in the original, and honest where it is gone."""

import itertools
import json
import os

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.fingerprint import PRESETS, Symbols
from fpdb.regions.line_index import LineIndex, line_starts
from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace
from tests.reference_database import as_json

GUARANTEE = 50  # symbols: w + k - 1 of the preset "text"
SEPARATORS = ["\n", "\r\n", "\r", " ", "\t", "\f", "\v", "\x85", "\u2028", "\u2029", "", ", "]


def words(seed, count):
    """Words of no meaning in lower case; other seeds share no passage."""
    rng = np.random.default_rng(seed)
    return ["".join(map(chr, rng.integers(97, 123, rng.integers(2, 9)))) for _ in range(count)]


def folded(text):
    return "".join(filter(str.isalnum, text.casefold()))


def add(db, tmp_path, name, text):
    """Add a document whose source is a file."""
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    path = tmp_path / name
    path.write_bytes(content)
    db.add(name, content, source=str(path))
    return path


def match_of(db, content, **options):
    (match,) = db.query(content, regions=True, **options).matches
    return match


def plain_line(text, index):
    """Return the line of a character, counted from the first one."""
    line, at = 1, 0
    while at < index:
        if text[at] == "\n" or (text[at] == "\r" and text[at + 1 : at + 2] != "\n"):
            line += 1
        at += 1
    return line


@given(st.lists(st.sampled_from([*SEPARATORS, "a", "é", "\U0001d4d0", "\ud800"]), max_size=40).map("".join))
@example("")
@example("\r")
@example("\r\n\r\n\r")
@settings(max_examples=300)
def test_lines_are_counted_as_editors_do(text):
    starts = line_starts(text)
    assert [plain_line(text, index) for index in range(len(text))] == [
        int(np.searchsorted(starts, index, "right")) for index in range(len(text))
    ]
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()


def test_a_symbol_may_be_many_characters_and_lines():
    symbols = Symbols(np.zeros(2, np.uint8), lambda: np.array([1, 6]), "", "xab\ncdefg\n", lambda: np.array([6, 8]))
    assert LineIndex(symbols).locate(0, 1) == TextPlace(1, 6, 1, 2)
    assert LineIndex(symbols).locate(1, 2) == TextPlace(6, 8, 2, 2)


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\t", "\f", "\u2028"], ids=repr)
@pytest.mark.parametrize("letter", ["", "é", "\U0001d4d0", "𠀀"])
@pytest.mark.parametrize("final", [True, False])
def test_from_the_first_line_to_the_last(db, tmp_path, separator, letter, final):
    """A whole copy: from the first letter to the last, and so its lines, with a final newline and without."""
    lines = ["\t".join([letter, *words(seed, 5), letter]) for seed in range(12)]
    text = separator.join(lines) + separator * final
    add(db, tmp_path, "a", text)
    match = match_of(db, text.encode())
    start, end = (index(map(str.isalnum, text)) for index in (first, last))
    ends = 11 if separator in ("\n", "\r\n", "\r") else 0
    passage = TextPlace(start, end + 1, 1, 1 + ends)
    assert match.regions == [MatchedRegion(passage, passage, match_of(db, text).regions[0].shared)]
    assert (match.query_coverage, match.document_coverage, match.source) == (1, 1, "same")


def first(flags):
    return next(index for index, flag in enumerate(flags) if flag)


def last(flags):
    return max(index for index, flag in enumerate(flags) if flag)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_passage_is_found_to_its_last_letters(tmp_path_factory, data):
    """Whatever stands around it: the region is the longest equal stretch, and its lines are where it stands."""
    folder = tmp_path_factory.mktemp("regions")
    separators = st.lists(st.sampled_from(SEPARATORS), min_size=4, max_size=4)

    def text(seed, count):
        between = data.draw(separators)
        return "".join(word + between[at % 4] for at, word in enumerate(words(seed, count)))

    passage = text(1, data.draw(st.integers(40, 80)))
    query = data.draw(st.sampled_from(["", "\ufeff", "\U0001f600\r\n", text(2, 20)])) + passage + text(3, 20)
    document = (
        data.draw(st.sampled_from(["", "\n", "é\r", text(4, 20)])) + passage + data.draw(st.sampled_from(["", "\n"]))
    )
    with fpdb.open(folder / "t.fpdb") as db:
        add(db, folder, "a", document)
        (region,) = match_of(db, query).regions
        assert db.check() == []
    without_mark = document.removeprefix("\ufeff")
    for original, side in ((query, region.a), (without_mark, region.b)):
        assert folded(passage) in folded(original[side.start : side.end])
        assert original[side.start].isalnum()
        assert original[side.end - 1].isalnum()
        assert side.first_line == plain_line(original, side.start)
        assert side.last_line == plain_line(original, side.end - 1)
    here, there = (
        [folded(part) for part in (original[: side.start], original[side.start : side.end], original[side.end :])]
        for original, side in ((query, region.a), (without_mark, region.b))
    )
    assert here[1] == there[1]
    assert not here[0] or not there[0] or here[0][-1] != there[0][-1]
    assert not here[2] or not there[2] or here[2][0] != there[2][0]


def test_several_regions_on_one_line(db, tmp_path):
    parts = [" ".join(words(seed, 20)) for seed in range(5)]
    add(db, tmp_path, "a", "\n".join(parts))
    query = f"{parts[0]} {' '.join(words(90, 9))} {parts[3]} {' '.join(words(91, 9))} {parts[1]}"
    regions = match_of(db, query).regions
    assert [region.a.first_line for region in regions] == [1, 1, 1]
    assert [query[region.a.start :].startswith(parts[at][:20]) for region, at in zip(regions, (0, 3, 1), strict=True)]
    assert [region.b.first_line for region in regions] == [1, 4, 2]
    assert all(one.a.end <= other.a.start for one, other in itertools.pairwise(regions))


def test_every_passage_of_the_guarantee_is_covered(db, tmp_path, rng):
    """The winnowing guarantee, for regions: on a small alphabet, by comparing all symbols with all."""
    for trial in range(20):
        document = "".join(rng.choice(list("abcd"), 300))
        pieces = [document[at : at + 80] for at in rng.integers(0, 220, 3)]
        query = "".join(piece + "".join(rng.choice(list("abcd"), 40)) for piece in pieces)
        add(db, tmp_path, f"{trial}", document)
        (match,) = [match for match in db.query(query, regions=True).matches if match.name == f"{trial}"]
        inside = {at for region in match.regions for at in range(region.a.start, region.a.end)}
        starts = {document[at : at + GUARANTEE] for at in range(len(document) - GUARANTEE + 1)}
        for at in range(len(query) - GUARANTEE + 1):
            if query[at : at + GUARANTEE] in starts:
                assert len(inside & set(range(at, at + GUARANTEE))) >= 30
        for region in match.regions:
            here, there = region.a, region.b
            assert query[here.start : here.end] == document[there.start : there.end]


def test_small_gaps_are_bridged_if_asked(db, tmp_path):
    text = words(1, 100)
    add(db, tmp_path, "a", " ".join(text))
    changed = " ".join([*text[:50], "changed", *text[51:]])
    assert len(match_of(db, changed).regions) == 2
    (region,) = match_of(db, changed, gap=10).regions
    assert region.a.end == len(changed)
    assert region.shared == sum(region.shared for region in match_of(db, changed).regions)
    for gap in (-1, 1.5, True, "1"):
        with pytest.raises(fpdb.BadQuery):
            db.query(changed, regions=True, gap=gap)


# ---------------------------------------------------------------- repeats, coverage, order


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("times", [1, 3, 10, 30])
def test_a_block_that_repeats(db, tmp_path, times, kept):
    """As many regions as it stands, not squared; coverage in [0, 1] and the same from either side."""
    block = " ".join(words(1, 40))
    many = "\n".join(f"{block} {' '.join(words(100 + at, 12))}" for at in range(times))
    add(db, tmp_path, "many", many)
    add(db, tmp_path, "one", f"{' '.join(words(2, 30))} {block}")
    given = {} if kept else {"texts": lambda _: None}
    answers = {name: db.query(text, regions=True, **given) for name, text in (("many", many), ("one", block))}
    (one,) = [match for match in answers["many"].matches if match.name == "one"]
    (other,) = [match for match in answers["one"].matches if match.name == "many"]
    assert len(one.regions) == len(other.regions) == times
    for answer in answers.values():
        assert all(0 < share <= 1 for m in answer.matches for share in (m.query_coverage, m.document_coverage))
        assert max(match.query_coverage for match in answer.matches) > 0.85
    assert abs(one.query_coverage - other.document_coverage) < 0.02


def test_answers_do_not_depend_on_the_order_of_adding(tmp_path, rng):
    pool = [" ".join(words(seed, 30)) for seed in range(8)]
    texts = {f"{number}": "\n".join(rng.choice(pool, 6)) for number in range(9)}
    query = "\n".join(rng.choice(pool, 6))
    answers = set()
    for number in range(3):
        path = tmp_path / f"{number}.fpdb"
        with fpdb.open(path) as db:
            for name in rng.permutation(sorted(texts)):
                db.add(str(name), texts[name])
            for given in ({}, {"texts": lambda document: texts[document.name]}):
                answers.add((len(given), as_json(db.query(query, regions=True, **given))))
            assert db.check() == []
    assert len(answers) == 2


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("kept", [True, False])
def test_every_preset_has_regions(tmp_path, preset, kept):
    text = "\n".join(" ".join(words(seed, 12)) for seed in range(60))
    half = "\n".join(text.split("\n")[:30])
    with fpdb.open(tmp_path / "t.fpdb", recipe=fpdb.Recipe.preset(preset)) as db:
        path = add(db, tmp_path, "a", text)
        if not kept:
            path.unlink()
        match = match_of(db, half)
        assert match.source == ("same" if kept else "gone")
        assert bool(match.regions) == (kept or db.recipe.positions)
        assert 0 <= match.document_coverage <= match.query_coverage <= 1
        if kept:
            assert match.query_coverage > 0.9
        json.dumps(db.query(half, regions=True).to_dict())
        assert db.check() == []


@pytest.mark.parametrize("options", [{"window": 60}, {"smallest": 5}, {"max_df": 9}, {"top": 1}, {"min": 0.1}])
def test_regions_are_of_all_fingerprints_of_the_query(db, tmp_path, options):
    text = " ".join(words(1, 200))
    add(db, tmp_path, "a", text)
    query = " ".join([*words(2, 20), text])
    assert match_of(db, query, **options).regions == match_of(db, query).regions


# ---------------------------------------------------------------- boilerplate


def test_regions_have_no_boilerplate(db, tmp_path):
    """No region takes a whole k-gram of a template in, not even by extension."""
    template, own = " ".join(words(1, 60)), " ".join(words(2, 60))
    db.add("template", template, boilerplate=True)
    text = f"{own}\n{template}\n{' '.join(words(3, 60))}"
    add(db, tmp_path, "a", text)
    add(db, tmp_path, "b", template)
    match = match_of(db, text)
    own_part, rest = match.regions
    assert own_part.a.start == 0
    assert len(folded(text[own_part.a.end : rest.a.start])) > len(folded(template)) - 2 * GUARANTEE
    assert match.query_coverage < 0.9
    assert db.query(template, regions=True).matches == []


def test_ignored_hashes_part_regions(db, tmp_path):
    common, own = " ".join(words(1, 60)), " ".join(words(2, 60))
    for number in range(5):
        add(db, tmp_path, f"{number}", " ".join([common, *words(10 + number, 20)]))
    text = f"{own}\n{common}"
    add(db, tmp_path, "a", text)
    assert {match.name: len(match.regions) for match in db.query(text, max_df=3, regions=True).matches} == {"a": 1}
    match = match_of(db, text, max_df=3)
    assert match.query_coverage < 0.75
    assert db.query(text, regions=True).matches[0].query_coverage == 1


# ---------------------------------------------------------------- where the original is


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
    assert region.shared == before.regions[0].shared
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
    db.add("a", f"{text} and more", source=str(path))
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


def test_the_caller_may_have_the_texts(db):
    text = " ".join(words(1, 60))
    db.add("a", text)
    assert match_of(db, text).source == "not_kept"
    assert match_of(db, text, texts=lambda document: {"a": text}[document.name]).source == "same"
    assert match_of(db, text, texts=lambda _: text.encode()).source == "same"
    assert match_of(db, text, texts=lambda _: text + "!").source == "changed"
    assert match_of(db, text, texts=lambda _: None).source == "unavailable"


def test_what_is_no_readable_file_is_unavailable(db, tmp_path):
    """A pipe is not waited for, and the database's own files are not opened: closing them would drop its locks."""
    text = " ".join(words(1, 60))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    there = [tmp_path, tmp_path / "pipe", db.path, f"{db.path}-lock", f"{db.path}-writer", "/dev/zero"]
    there += [tmp_path / "loop", "/a\0b", "/" + "x" * 9999]
    elsewhere = ["", "a\0b", "http://example.org/a", "archive.zip/a", "x" * 9999]
    gone = [tmp_path / "a", tmp_path / "pipe" / "a"]
    for state, sources in (("unavailable", there), ("not_kept", elsewhere), ("gone", gone)):
        for source in map(str, sources):
            db.add("a", text, source=source)
            assert match_of(db, text).source == state
    db.add("b", " ".join(words(2, 60)))  # the writer's lock is still held as it should be


def test_without_asking_there_are_none(db, tmp_path):
    text = " ".join(words(1, 60))
    add(db, tmp_path, "a", text)
    (match,) = db.query(text).matches
    assert (match.regions, match.source, match.query_coverage, match.document_coverage) == (None,) * 4
    assert list(db.query(text).to_dict()["matches"][0]) == [
        "name", "shared", "containment", "reverse_containment", "resemblance",
    ]  # fmt: skip


def test_hashes_of_the_callers_own_have_positions_only(db):
    text = " ".join(words(1, 60))
    found = db.recipe.fingerprint(text)
    db.add_fingerprints("a", found.hashes, found.positions)
    match = match_of(db, text, texts=lambda _: text)
    assert match.source == "unavailable"
    assert len(match.regions) == 1
    assert 0 < match.document_coverage <= 1


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\n\f", "\n\t# \u2028 \U0001d4d0\n"], ids=repr)
def test_lines_of_code(tmp_path, separator):
    """From the first line to the last, without a final newline; tokens are whole."""
    lines = ["def f(a):", "\tx = a + 1", "\ty = 'é\U0001d4d0' + g(x, a)", "\treturn x if y else h(a * 2)"] * 6
    code = separator.join(["#!/usr/bin/env python3", *lines])
    recipe = fpdb.Recipe(1, {"tokens": fpdb.Rule(8, "robust-winnow", {"w": 4})})
    with fpdb.open(tmp_path / "t.fpdb", recipe=recipe) as db:
        db.add("a.py", code, kind="code")
        match = match_of(db, code, kind="code", texts=lambda _: code)
        (region,) = match.regions
        last_line = 25 + 24 * ("#" in separator)  # a line more after each of the 24
        assert (region.a.first_line, region.a.last_line) == (2 + ("#" in separator), last_line)
        assert code[region.a.start : region.a.end] == separator.join(lines)
        assert region.b == region.a
        assert db.check() == []


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\n\f", "\n\t", "\n\u2028", "\x85\n"], ids=repr)
def test_lines_of_html(db, separator):
    lines = ["<p>alpha beta &amp; gamma delta epsilon</p>", "<p>\teta theta \U0001d4d0 iota lambda &eacute;</p>"] * 3
    page = separator.join(lines)
    db.add("a", page, kind="html")
    (region,) = match_of(db, page, kind="html", texts=lambda _: page).regions
    assert region.a == region.b == TextPlace(3, len(page) - len("</p>"), 1, 6)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_characters_are_those_of_the_decoded_original(db, tmp_path, encoding):
    text = "\r\n".join("é " + " ".join(words(seed, 10)) for seed in range(9))
    add(db, tmp_path, "a", text.encode(encoding))
    (region,) = match_of(db, text).regions
    assert region.a == region.b == TextPlace(0, len(text), 1, 9)
