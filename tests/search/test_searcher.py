"""Boilerplate: nothing of a template is reported, wherever it stands and whatever stands beside it."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb

GUARANTEE = 50  # symbols: w + k - 1 of the preset "text"
RECIPES = ["text", "code"]
SUFFIX = {"text": ".txt", "code": ".py"}


def prose(rng):
    """Words of letters that were drawn."""
    return " ".join("".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 6)) for _ in range(6))


def program(rng):
    """Return a statement with random operators."""
    return f"value = first {' '.join(f'{operator} other' for operator in rng.choice(list('+-*/%&|^'), 6))}"


def lines_of(preset, seed, count):
    rng = np.random.default_rng(seed)
    lines = [(prose if preset == "text" else program)(rng) for _ in range(count)]
    if preset == "text":  # not even the letter that a k-gram has beyond a template is that of another
        lines[0], lines[-1] = chr(0x4E00 + seed) + lines[0], lines[-1] + chr(0x4E00 + seed)
    return lines


def joined(*parts):
    return "\n".join(itertools.chain.from_iterable(parts)) + "\n"


@pytest.fixture(params=RECIPES)
def preset(request):
    return request.param


@pytest.fixture
def course(preset, path):
    with fpdb.open(path, recipe=fpdb.Recipe.preset(preset)) as db:
        yield db
        assert db.check() == []


def add(db, preset, texts, **options):
    with db.batch() as batch:
        for name, text in texts.items():
            batch.add(name + SUFFIX[preset], text, kind="auto", **options)


def matches(db, preset, texts, name):
    """Return a document's matches, with regions."""
    return db.query(
        texts[name],
        name=name + SUFFIX[preset],
        kind="auto",
        regions=True,
        texts=lambda document: texts[document.name.partition(".")[0]],
    ).matches


def is_nothing(preset, found):
    """No pair or match; of programs, where different work begins with the same few tokens, next to none."""
    found = list(found)
    shares = [max(getattr(each, "containment", 0), getattr(each, "containment_a", 0)) for each in found]
    return not found if preset == "text" else max(shares, default=0) < 0.1


def test_the_texts_of_these_tests_are_found_without_boilerplate(course, preset):
    shared = lines_of(preset, 1, 12)
    texts = {"a": joined(shared, lines_of(preset, 2, 12)), "b": joined(lines_of(preset, 3, 12), shared)}
    add(course, preset, texts)
    (match,) = matches(course, preset, texts, "a")
    assert 0.3 < match.containment < 0.7


def test_three_templates_at_once(course, preset):
    """Whatever own work stands before, between and behind them, in any order."""
    templates = [lines_of(preset, seed, 12) for seed in (1, 2, 3)]
    texts = {}
    for number, order in enumerate(itertools.permutations(range(3))):
        own = [lines_of(preset, 10 + 5 * number + at, 9) for at in range(4)]
        parts = [own[0], *itertools.chain.from_iterable((templates[order[at]], own[at + 1]) for at in range(3))]
        texts[f"{number}"] = joined(*parts)
    add(course, preset, texts)
    assert min(pair.containment_a for pair in course.pairs(min_shared=20)) > 0.3
    add(course, preset, {f"template {seed}": joined(lines) for seed, lines in enumerate(templates)}, boilerplate=True)
    assert is_nothing(preset, course.pairs())
    assert all(is_nothing(preset, matches(course, preset, texts, name)) for name in texts)
    course.remove("template 1" + SUFFIX[preset])
    assert len(list(course.pairs(by="containment", min=0.1))) == 15


def test_a_template_without_one_of_its_lines(course, preset):
    """Only k-grams that straddle the cut are new: one student's are nobody else's."""
    template = lines_of(preset, 1, 30)
    texts = {"whole": joined(template, lines_of(preset, 2, 9))}
    for cut in (7, 15, 22):
        texts[f"cut{cut}"] = joined(template[:cut], template[cut + 1 :], lines_of(preset, 10 + cut, 9))
    add(course, preset, {"template": joined(template)}, boilerplate=True)
    add(course, preset, texts)
    assert is_nothing(preset, course.pairs())
    assert all(is_nothing(preset, matches(course, preset, texts, name)) for name in texts)


def test_two_who_left_out_the_same_line_do_not_share_what_straddles_it(course, preset):
    """All symbols there lie in k-grams of the template."""
    template = lines_of(preset, 1, 30)
    texts = {
        name: joined(template[:15], template[16:], lines_of(preset, seed, 9)) for name, seed in (("a", 2), ("b", 3))
    }
    add(course, preset, {"template": joined(template)}, boilerplate=True)
    add(course, preset, texts)
    assert matches(course, preset, texts, "a") == []
    assert list(course.pairs()) == []


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_no_region_has_a_passage_of_a_template(tmp_path_factory, data):
    """On a small alphabet, with passages of the template anywhere in what two students share."""
    letters = st.text("ab", min_size=30, max_size=120)
    template, passage = data.draw(letters), data.draw(letters)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(template))] * 2)))
    shared = passage + template[start:end] + data.draw(letters)
    query, text = data.draw(letters) + shared + data.draw(letters), data.draw(letters) + shared + data.draw(letters)
    with fpdb.open(tmp_path_factory.mktemp("boilerplate") / "t.fpdb") as db:
        db.add("template", template, boilerplate=True)
        db.add("a", text)
        pieces = [
            query[region.a.start : region.a.end]
            for match in db.query(query, regions=True, texts=lambda _: text).matches
            for region in match.regions
        ]
        assert db.check() == []
    for piece in pieces:
        assert not any(template[at : at + GUARANTEE] in piece for at in range(len(template) - GUARANTEE + 1))


def test_nothing_but_template(course, preset):
    template = lines_of(preset, 1, 20)
    texts = {"only": joined(template), "other": joined(template, lines_of(preset, 2, 9))}
    add(course, preset, texts)
    add(course, preset, {"template": joined(template)}, boilerplate=True)
    answer = course.query(texts["only"], name="new" + SUFFIX[preset], kind="auto")
    assert (answer.matches, answer.query.looked_up) == ([], 0)
    assert answer.query.note == "all of its fingerprints are boilerplate"
    assert list(course.pairs()) == []
    only, other = (name + SUFFIX[preset] for name in texts)
    assert course.only_boilerplate() == [only]
    assert course.boilerplate_in(only) == course.document(only).hashes
    assert 0 < course.boilerplate_in(other) < course.document(other).hashes
    course.remove("template" + SUFFIX[preset])
    assert course.only_boilerplate() == []
    assert course.query(texts["other"], kind="auto", name="new" + SUFFIX[preset]).query.note is None


def test_a_template_shorter_than_a_k_gram_discards_nothing(course, preset):
    texts = {"a": joined(lines_of(preset, 1, 20))}
    add(course, preset, {"name": "x = 1\n"}, boilerplate=True)
    add(course, preset, texts)
    assert course.info()["boilerplate_documents"] == 1
    assert course.query(texts["a"], kind="auto", name="b" + SUFFIX[preset]).matches[0].containment == 1
