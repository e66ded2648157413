"""Recipes to start from, by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fpdb.fingerprint.rule import Rule


@dataclass(frozen=True)
class Preset:
    """The rules and other fields of a recipe, and a line on its purpose."""

    about: str
    rules: Mapping[str, Rule]
    fields: Mapping[str, Any] = field(default_factory=dict)


_TEXT = Rule(30, "robust-winnow", {"w": 21})

# k: from 8 to 16 pairs of programs rank as well (docs/guide/quality.md), and the longest has the fewest hits by chance.
# w: finds each shared passage of 20 tokens. With 8, the ranks of small programs depended on the key.
_CODE = Rule(16, "robust-winnow", {"w": 5})

PRESETS: Mapping[str, Preset] = {
    "text": Preset(
        "essays and articles: every shared passage of 50 letters and digits is found, and where it is",
        {"characters": _TEXT},
    ),
    "answers": Preset(
        "short answers of some 50 to 500 words: every shared passage of 20 letters and digits is found, also if most "
        "words were changed",
        {"characters": Rule(16, "robust-winnow", {"w": 5})},
    ),
    "ocr": Preset(
        "texts from optical character recognition: every shared passage of 20 letters and digits is found, and "
        "half of the fingerprints are left if 5% of the letters are wrong",
        {"characters": Rule(14, "robust-winnow", {"w": 7})},
    ),
    "cjk": Preset(
        "Chinese and Japanese texts, where a sentence has some 17 characters: every shared passage of 17 is found",
        {"characters": Rule(12, "robust-winnow", {"w": 6})},
    ),
    "code": Preset(
        "programs: every shared passage of 20 tokens is found, whatever its names, comments and layout",
        {"tokens": _CODE, "characters": _TEXT},
    ),
    "web": Preset(  # as in the winnowing paper's experiments (section 5.1)
        "very many web pages: a quarter of the room, and shared passages of 149 letters and digits are found",
        {"characters": Rule(50, "robust-winnow", {"w": 100})},
    ),
    "koala": Preset(
        "millions of long, noisily converted documents: 100 fingerprints each, to find which are related, not where",
        {"consonants": Rule(20, "koala", {"search": 1000, "stored": 100, "skip": 1000})},
        # 1000 looked up among 100 of each of a million documents: 10^11 / 2^38 hits by chance, one in three searches.
        {"hash_bits": 38, "positions": False, "max_df": 4, "max_ignored": 10},
    ),
    "sample": Preset(
        "near-duplicates of whole documents: 400 fingerprints each, resemblance to within 5%",
        {"characters": Rule(30, "smallest", {"n": 400})},
    ),
}
