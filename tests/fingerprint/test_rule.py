"""A rule says what is wrong with it, and widens its window."""

import pytest

from fpdb.errors import BadRecipe
from fpdb.fingerprint import Recipe, Rule
from tests.fingerprint.test_recipe import TEXT


def test_a_query_may_widen_the_window():
    chosen = Recipe.preset().with_(k=5, w=10)
    own, same, wide = (chosen.fingerprint(TEXT * 9, window=window) for window in (None, 10, 25))
    assert own.hashes.tolist() == same.hashes.tolist()
    assert set(wide.hashes.tolist()) < set(own.hashes.tolist())
    with pytest.raises(BadRecipe, match="may be wider than the recipe's w=10, not narrower: 9"):
        chosen.fingerprint(TEXT, window=9)


def test_a_rule_has_all_parameters_of_its_scheme():
    rule = Rule(5, "safe-mod", {"w": 9})
    assert rule.parameters == {"w": 9, "p": 0}
    assert str(rule) == "k=5 safe-mod w=9 p=0"
    assert rule.with_(None, "winnow") == Rule(5, "winnow", {"w": 9})
    with pytest.raises(BadRecipe, match="scheme 'full' has no window to widen"):
        Rule(5, "full", {}).widen(10)
