"""A recipe in words: what counts, and which passages are found."""

from collections.abc import Iterator
from typing import Final

from fpdb.fingerprint import Recipe, Rule, find_scheme

_COMPARED: Final = {
    "characters": ("Texts", "letters and digits; case, spacing and punctuation do not count", "letters and digits"),
    "consonants": ("Texts", "consonants; vowels, digits, spacing and punctuation do not count", "consonants"),
    "tokens": ("Programs", "tokens; names, comments and layout do not count", "tokens"),
}


def recipe_words(recipe: Recipe) -> Iterator[str]:
    """Yield a sentence or two on each rule of a recipe."""
    for alphabet, rule in recipe.rules.items():
        documents, compared, symbols = _COMPARED[alphabet]
        yield f"{documents} are compared by their {compared}. {_found(rule, symbols)}"


def _found(rule: Rule, symbols: str) -> str:
    never = f"Passages of fewer than {rule.k:,} never match."
    if rule.guarantee is None:
        return f"{never} Of longer ones, a sample is compared: {find_scheme(rule.scheme).about}."
    return f"Every shared passage of {rule.guarantee:,} {symbols} is found. {never}"
