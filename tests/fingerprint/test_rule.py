"""A rule says what is wrong with it, and widens its window."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_what_a_scheme_without_window_does_not_promise():
    for scheme in ("full", "mod", "smallest"):
        rule = Recipe.preset().with_(scheme=scheme).rules["characters"]
        assert (rule.window, rule.guarantee, rule.symbols_per_fingerprint) == (None, None, None)


@given(st.text("abc", min_size=1, max_size=60), st.tuples(*[st.text("abc", max_size=20)] * 4), st.integers(1, 6))
@settings(max_examples=200, deadline=None)
def test_equal_passages_share_as_many_fingerprints_as_they_must(passage, around, w):
    chosen = Recipe.preset().with_(k=4, w=w)
    rule = chosen.rules["characters"]
    assert rule.guarantee == 4 + w - 1
    one, other = (chosen.fingerprint(start + passage + end) for start, end in (around[:2], around[2:]))
    inside = (one.positions >= len(around[0])) & (one.positions + 4 <= len(around[0]) + len(passage))
    shared = sum(hash_ in other.hashes for hash_ in one.hashes[inside])
    if len(passage) >= rule.guarantee:
        assert shared >= 1
        assert len(passage) <= shared * rule.symbols_per_fingerprint
