"""Presets are recipes, and find what they promise."""

import pytest

from fpdb.fingerprint import DEFAULT_KEY, Recipe
from fpdb.fingerprint.presets import PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_recipe_under_the_public_key(name):
    recipe = Recipe.preset(name)
    assert (recipe.key, recipe.rules) == (DEFAULT_KEY, PRESETS[name].rules)
    assert {field: getattr(recipe, field) for field in PRESETS[name].fields} == PRESETS[name].fields


@pytest.mark.parametrize(("name", "alphabet", "length"), [("text", "characters", 50), ("web", "characters", 149)])
def test_the_length_of_a_passage_is_that_of_its_description(name, alphabet, length):
    """Winnowing finds passages of t = w + k - 1."""
    rule = PRESETS[name].rules[alphabet]
    assert rule.k + rule.parameters["w"] - 1 == length
    assert str(length) in PRESETS[name].about
