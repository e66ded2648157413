"""Measure what is left of a text's containment once it is disguised, by preset: see `bench.disguise`.

The texts are the topics of Python's own help. The disguised text is asked for, and the mean of the containment in its
original is printed, with each version of the readers.
"""

import random
import re
import statistics
from collections.abc import Callable, Mapping
from pydoc_data import topics

import numpy as np

from fpdb.fingerprint import Recipe

PRESETS = ("text", "web")
TEXTS = 40
SHORTEST = 2_000

CYRILLIC = str.maketrans("aceopxyABCEHKMOPTXy", "асеорхуАВСЕНКМОРТХу")
GREEK = str.maketrans("aoviuptkABEHIKMOPTXZ", "αονιυρτκΑΒΕΗΙΚΜΟΡΤΧΖ")
ARMENIAN = str.maketrans("hnougq", "հոօսցզ")
CHEROKEE = str.maketrans("ABCDEGHJKLMPRSTVWZ", "ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ")
SMALL_CAPITALS = str.maketrans("abcdefghijklmnoprstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ")
LATIN = str.maketrans("odliag", "øđłıɑɡ")


def between(inserted: str) -> Callable[[str, random.Random], str]:
    """Return the disguise that puts characters between all letters."""
    return lambda text, rng: re.sub(r"(?<=\w)(?=\w)", lambda _: rng.choice(inserted), text)


def translated(table: Mapping[int, int]) -> Callable[[str, random.Random], str]:
    """Return the disguise that replaces characters."""
    return lambda text, _: text.translate(table)


def change_words(every: int) -> Callable[[str, random.Random], str]:
    """Return the disguise that replaces one word in so many."""

    def change(text: str, rng: random.Random) -> str:
        words = text.split(" ")
        words[::every] = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in words[::every]]
        return " ".join(words)

    return change


DISGUISES: Mapping[str, Callable[[str, random.Random], str]] = {
    "none": lambda text, _: text,
    "zero-width characters between letters": between("\u200b\u200d\u2060\u00ad"),
    "Hangul fillers between letters": between("\u3164\u115f\uffa0"),
    "U+02BC, an apostrophe that is a letter, between letters": between("\u02bc"),
    "raised digits between letters": between("¹²³⁴"),
    "Cyrillic а for a": translated(str.maketrans("a", "а")),
    "all Cyrillic look-alikes": translated(CYRILLIC),
    "all Greek look-alikes": translated(GREEK),
    "all Armenian look-alikes": translated(ARMENIAN),
    "Cherokee look-alikes, in capitals": lambda text, _: text.upper().translate(CHEROKEE),
    "small capitals": lambda text, _: text.lower().translate(SMALL_CAPITALS),
    "ø đ ł ı ɑ ɡ": translated(LATIN),
    "0 for o, 1 for l": translated(str.maketrans("ol", "01")),
    "capital I for l": translated(str.maketrans("l", "I")),
    "raised letters between letters": between("ʰⁿˣ"),
    "rn for m": lambda text, _: text.replace("m", "rn"),
    "Greek capital Ν for N": translated(str.maketrans("Nn", "ΝΝ")),
    "one word in twelve changed": change_words(12),
    "one word in six changed": change_words(6),
}


def find_left(disguise: Callable[[str, random.Random], str], recipe: Recipe) -> float:
    """Return the mean containment of disguised texts in their originals."""
    shares = []
    for number, text in enumerate([text for text in topics.topics.values() if len(text) >= SHORTEST][:TEXTS]):
        disguised = np.unique(recipe.fingerprint(disguise(text, random.Random(number)), purpose="search").hashes)
        shares.append(np.isin(disguised, recipe.fingerprint(text).hashes).mean())
    return statistics.mean(shares)


def print_table() -> None:
    """Print the table, as Markdown."""
    recipes = {
        f"{preset}, reader_version={version}": Recipe.preset(preset).with_(reader_version=version)
        for preset in PRESETS
        for version in (1, 2)
    }
    print(f"| disguise | {' | '.join(recipes)} |")
    print("|---|" + "---|" * len(recipes))
    for name, disguise in DISGUISES.items():
        print(f"| {name} | {' | '.join(f'{find_left(disguise, recipe):.0%}' for recipe in recipes.values())} |")
