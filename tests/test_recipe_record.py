"""Databases are compared by their recipes and by the place of their keys."""

import pytest

from fpdb.errors import BadKeyFile, RecipeMismatch
from fpdb.fingerprint import Recipe
from fpdb.keys import create
from fpdb.recipe_record import StoredRecipe, recipe_record

RECIPE = Recipe.preset()


def test_a_record_gives_the_recipe_back(tmp_path):
    assert StoredRecipe.from_record(recipe_record(RECIPE, None)) == StoredRecipe(RECIPE)
    file = tmp_path / "key"
    key = create(file)
    record = recipe_record(RECIPE, file)
    assert "key" not in record
    assert StoredRecipe.from_record(record).recipe == RECIPE.__class__(None, RECIPE.rules)
    assert StoredRecipe.from_record(record, "db", file).recipe.key == key.key
    create(tmp_path / "other")
    with pytest.raises(BadKeyFile, match="the key file of another database than 'db'"):
        StoredRecipe.from_record(record, "db", tmp_path / "other")


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (StoredRecipe(RECIPE), StoredRecipe(RECIPE), None),
        (StoredRecipe(RECIPE), StoredRecipe(RECIPE.with_(key=1)), "the key"),
        (StoredRecipe(RECIPE), StoredRecipe(RECIPE.with_(k=9)), "the rule for characters"),
        (StoredRecipe(RECIPE, "1"), StoredRecipe(RECIPE, "1"), None),
        (StoredRecipe(RECIPE, "1"), StoredRecipe(RECIPE, "2"), "the key file"),
        (StoredRecipe(RECIPE), StoredRecipe(Recipe(None, RECIPE.rules), "2"), "where the key is"),
    ],
)
def test_recipes_differ_for_a_reason(a, b, reason):
    if reason is None:
        a.check_same(b, "here", "there")
        return
    with pytest.raises(RecipeMismatch, match=f"'here' and 'there' have different recipes: {reason}"):
        a.check_same(b, "here", "there")


def test_a_database_is_opened_with_its_own_recipe():
    StoredRecipe(RECIPE).check_given(RECIPE, "db")
    StoredRecipe(RECIPE, "1").check_given(RECIPE.with_(key=7), "db")
    with pytest.raises(RecipeMismatch, match="'db' was created with another recipe"):
        StoredRecipe(RECIPE).check_given(RECIPE.with_(key=7), "db")
