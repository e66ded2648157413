"""Measure what is left of a text's containment once it is disguised, by preset: see `bench.disguise`.

The texts are the topics of Python's own help. The disguised text is asked for, and the mean of the containment in its
original is printed, with each version of the readers. The programs of the preset `code` are modules of the standard
library: their comments are disguised, and those of their names that stay names.
"""

import io
import keyword
import random
import re
import statistics
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pydoc_data import topics

import numpy as np

from bench.workloads.programs import installed_modules
from fpdb.fingerprint import Recipe

PRESETS = ("text", "web")
TEXTS = 40
SHORTEST, LONGEST = 2_000, 10_000

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


def disguise_program(disguise: Callable[[str, random.Random], str], program: str, rng: random.Random) -> str:
    """Disguise the comments of a program in Python, and the names that are names nonetheless."""
    lines = program.splitlines(keepends=True)
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(program).readline))):
        if token.type not in (tokenize.NAME, tokenize.COMMENT) or keyword.iskeyword(token.string):
            continue
        is_comment = token.type == tokenize.COMMENT
        disguised = f"#{disguise(token.string[1:], rng)}" if is_comment else disguise(token.string, rng)
        if is_comment or disguised.isidentifier():
            (row, start), (_, end) = token.start, token.end
            lines[row - 1] = lines[row - 1][:start] + disguised + lines[row - 1][end:]
    return "".join(lines)


def read_texts() -> list[str]:
    """Return the texts: topics of Python's own help."""
    return [text for text in topics.topics.values() if len(text) >= SHORTEST][:TEXTS]


def read_programs() -> list[str]:
    """Return the programs: modules of the standard library."""
    sources = (path.read_text("utf-8", "replace") for path in installed_modules())
    return list(islice((source for source in sources if SHORTEST <= len(source) <= LONGEST), TEXTS))


def find_left(disguise: Callable[[str, random.Random], str], recipe: Recipe, texts: list[str]) -> float:
    """Return the mean containment of disguised texts, or programs, in their originals."""
    is_code = "tokens" in recipe.rules
    shares = []
    for number, text in enumerate(texts):
        rng = random.Random(number)
        disguised = disguise_program(disguise, text, rng) if is_code else disguise(text, rng)
        copy, original = (
            recipe.fingerprint(each, "code" if is_code else "text", purpose=purpose, name="a.py")
            for each, purpose in ((disguised, "search"), (text, "store"))
        )
        shares.append(np.isin(np.unique(copy.hashes), original.hashes).mean())
    return statistics.mean(shares)


def rows(names: Iterable[str] = DISGUISES) -> Iterator[str]:
    """Yield the lines of the table, as Markdown, with the disguises of these names."""
    texts, programs = read_texts(), read_programs()
    recipes = {
        f"{preset}, reader_version={version}": Recipe.preset(preset).with_(reader_version=version)
        for preset in PRESETS
        for version in (1, 2)
    }
    yield f"| disguise | {' | '.join([*recipes, 'code'])} |"
    yield "|---|" + "---|" * (len(recipes) + 1)
    for name in names:
        shares = [find_left(DISGUISES[name], recipe, texts) for recipe in recipes.values()]
        shares.append(find_left(DISGUISES[name], Recipe.preset("code"), programs))
        yield f"| {name} | {' | '.join(f'{share:.0%}' for share in shares)} |"
