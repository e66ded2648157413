"""Each way to relate a document to another keeps as much of it, in such an order, as it guarantees."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
SEEDS = range(5)
SHORT = st.lists(st.sampled_from(["one", "two. Three", "four\n\nfive", "", "\n", "six?"]), max_size=8).map(" ".join)


@pytest.fixture(scope="module")
def relations():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from bench.papers import relations

        yield relations


def words(rng, count):
    return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(count)]


def document(seed):
    """40 paragraphs of five sentences of ten words, all of them different in all likelihood."""
    rng = Random(seed)
    return "\n\n".join(" ".join(" ".join(words(rng, 10)) + "." for _ in range(5)) for _ in range(40))


TEXT, OTHER = document("text"), document("other")


def in_order(parts, whole):
    """Return True if all the parts occur in the whole, one after the other."""
    at = 0
    for part in parts:
        at = whole.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def share_of(kept, every):
    return sum((Counter(kept) & Counter(every)).values()) / len(every)


def test_the_same_seed_gives_the_same_document_and_another_seed_another(relations):
    for relation in relations.RELATIONS:
        made = {relations.relate(relation, TEXT, OTHER, seed) for seed in SEEDS}
        assert made == {relations.relate(relation, TEXT, OTHER, seed) for seed in SEEDS}
        assert len(made) == (1 if relation == "identical" else len(SEEDS))


@pytest.mark.parametrize("seed", SEEDS)
def test_small_edits_touch_one_word_in_a_hundred(relations, seed):
    made = relations.edited(TEXT, OTHER, relations.seeded(seed))
    assert made != TEXT
    assert share_of(made.split(), TEXT.split()) >= 1 - relations.EDITED
    assert abs(len(made.split()) - len(TEXT.split())) <= relations.EDITED * len(TEXT.split())


@pytest.mark.parametrize("seed", SEEDS)
def test_reorganised_has_the_same_paragraphs_in_another_order(relations, seed):
    made = relations.paragraphs(relations.reorganised(TEXT, OTHER, relations.seeded(seed)))
    assert made != relations.paragraphs(TEXT)
    assert sorted(made) == sorted(relations.paragraphs(TEXT))


@pytest.mark.parametrize("seed", SEEDS)
def test_revised_keeps_three_paragraphs_in_five(relations, seed):
    made = relations.paragraphs(relations.revised(TEXT, OTHER, relations.seeded(seed)))
    every = relations.paragraphs(TEXT)
    assert len(made) == len(every)
    assert share_of(made, every) == pytest.approx(1 - 2 * relations.REVISED)
    assert share_of(made, relations.paragraphs(OTHER)) == pytest.approx(relations.REVISED, abs=0.1)


@pytest.mark.parametrize("seed", SEEDS)
def test_condensed_keeps_two_sentences_in_five_in_order(relations, seed):
    made = relations.sentences(relations.condensed(TEXT, OTHER, relations.seeded(seed)))
    assert len(made) == round(relations.CONDENSED * len(relations.sentences(TEXT)))
    assert in_order(made, TEXT)


@pytest.mark.parametrize("seed", SEEDS)
def test_expanded_holds_all_of_it_in_order_and_more(relations, seed):
    made = relations.expanded(TEXT, OTHER, relations.seeded(seed))
    assert in_order(relations.paragraphs(TEXT), made)
    assert len(made) >= (1 + relations.EXPANDED) * len(TEXT)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_excerpt_is_a_passage_of_so_many_words_in_the_other_document(relations, seed):
    made = relations.excerpted(TEXT, OTHER, relations.seeded(seed))
    passage = relations.passage_of(TEXT, relations.seeded(seed), relations.EXCERPT)
    assert len(passage.split()) == relations.EXCERPT
    assert passage in TEXT
    assert passage in made
    assert made.replace(passage, "").split() == OTHER.split()


def test_noise_has_its_rates(relations):
    def noisy(**rates):
        noise = relations.Noise(**{"misread": 0, "joined": 0, "split": 0, **rates})
        return relations.scanned(TEXT, relations.seeded(1), noise)

    def unbroken(text):
        return re.sub(r"-?\n", "", text)

    count = len(TEXT.split())
    assert unbroken(noisy()).split() == TEXT.split()
    assert max(map(len, noisy().split("\n"))) <= relations.LINE + 1
    assert len(unbroken(noisy(joined=0.1)).split()) == pytest.approx(0.9 * count, abs=1)
    assert len(unbroken(noisy(split=0.1)).split()) == pytest.approx(1.1 * count, rel=0.02)
    letters = sum(letter.isalpha() for letter in TEXT)
    lines = noisy(misread=0.01)
    wrong = sum((Counter(TEXT.split()) - Counter(unbroken(lines).split())).values())
    assert 0.008 * letters < wrong <= 0.01 * letters


@given(SHORT, SHORT, st.integers(0, 9))
def test_any_text_will_do(relations, text, other, seed):
    for relation in relations.RELATIONS:
        assert isinstance(relations.relate(relation, text, other, seed), str)
