"""The hostile inputs of the papers' experiments do what they are made for."""

from pathlib import Path

import numpy as np
import pytest

from fpdb.fingerprint import Recipe

ROOT = Path(__file__).parents[2]
LENGTH = 5_000


@pytest.fixture
def artificial_text(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.papers import artificial_text

    return artificial_text


def density(recipe, text):
    found = recipe.fingerprint(text)
    return len(found.hashes) / found.kgrams


@pytest.mark.parametrize("preset", ["text", "web"])
def test_winnowing_keeps_nearly_every_k_gram(artificial_text, preset):
    """Robust winnowing is no help: the hashes differ. Another key is."""
    recipe = Recipe.preset(preset)
    hostile = artificial_text.text_of(artificial_text.hostile(recipe, np.random.default_rng(1), LENGTH))
    assert recipe.fingerprint(hostile).symbols == LENGTH
    assert density(recipe, hostile) > 0.9
    assert density(recipe.with_(scheme="winnow"), hostile) > 0.9
    expected = 2 / (recipe.rules["characters"].parameters["w"] + 1)
    assert density(recipe.with_(key=2), hostile) < 1.3 * expected


def test_plain_letters_suffice_for_several_times_the_fingerprints(artificial_text):
    recipe = Recipe.preset("text")
    hostile = artificial_text.hostile(recipe, np.random.default_rng(2), LENGTH, artificial_text.LATIN)
    assert density(recipe, artificial_text.text_of(hostile)) > 5 * 2 / 22


def test_text_can_be_made_that_no_distinct_sample_sees(artificial_text):
    recipe = Recipe.preset("text").with_(scheme="distinct", guarantee=1_000)
    letters = artificial_text.unsampled(recipe, np.random.default_rng(3), LENGTH)
    levels = artificial_text.levels(letters, recipe)
    assert np.all(levels[1:] == 0)
    assert recipe.fingerprint(artificial_text.text_of(letters)).level > 0
    assert len(recipe.fingerprint(artificial_text.text_of(letters)).hashes) <= 1
