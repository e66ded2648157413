"""Make documents related to real ones, in the ways that Koala's section 2 lists, and with noise like that of scans.

Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996), 2, 5. Each way is a function of the document, another
document to take unrelated text from, and a generator: the same seed gives the same document. Knows nothing of
fingerprints.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

EDITED = 0.01  # of the words
REVISED = 0.2  # of the paragraphs each: dropped, rewritten, added
CONDENSED = 0.4  # of the sentences stay
EXPANDED = 1.5  # times as much text is added
EXCERPT = 600  # words
SECTION = 8  # paragraphs that stay together in a reorganised document
LINE = 66  # letters of a scanned line

LETTERS = "abcdefghijklmnopqrstuvwxyz"
# What scanners take for what, one letter for one.
LOOKALIKES = {
    "e": "c",
    "c": "e",
    "l": "1",
    "i": "l",
    "o": "0",
    "n": "u",
    "u": "n",
    "h": "b",
    "b": "h",
    "s": "5",
    "f": "t",
}


def paragraphs(text: str) -> list[str]:
    """Split text at blank lines."""
    return [part for part in re.split(r"\n[ \t\r]*\n\s*", text) if part.strip()]


def sentences(text: str) -> list[str]:
    """Split text at full stops, question and exclamation marks before white space, and at ends of paragraphs."""
    return [part for part in re.split(r"(?<=[.!?])\s+|\n[ \t\r]*\n\s*", text) if part.strip()]


def identical(text: str, _other: str, _rng: Random) -> str:
    """Return the document itself."""
    return text


def edited(text: str, other: str, rng: Random, share: float = EDITED) -> str:
    """Drop a share of the words, replace them, or insert a word before them, at random; the rest stays."""
    parts = re.split(r"(\s+)", text)
    places = [index for index, part in enumerate(parts) if part and not part.isspace()]
    other_words = other.split() or ["word"]
    for index in rng.sample(places, round(share * len(places))):
        word = rng.choice(other_words)
        parts[index] = rng.choice(("", word, f"{word} {parts[index]}"))
    return "".join(parts)


def reorganised(text: str, _other: str, rng: Random, section: int = SECTION) -> str:
    """Return the same paragraphs, with sections of `section` paragraphs in another order."""
    own = paragraphs(text)
    parts = [own[index : index + section] for index in range(0, len(own), section)]
    rng.shuffle(parts)
    return "\n\n".join(paragraph for part in parts for paragraph in part)


def revised(text: str, other: str, rng: Random, share: float = REVISED) -> str:
    """Drop a share of the paragraphs, rewrite as many, and add as many unrelated ones.

    Rewriting replaces every fifth word by an unrelated one, on average.
    """
    own, other_paragraphs = paragraphs(text), paragraphs(other) or ["Another paragraph."]
    number = round(share * len(own))
    chosen = rng.sample(range(len(own)), 2 * number)
    dropped, rewritten = set(chosen[:number]), set(chosen[number:])
    left = [
        edited(paragraph, other, rng, 0.2) if index in rewritten else paragraph
        for index, paragraph in enumerate(own)
        if index not in dropped
    ]
    return "\n\n".join(_mixed(left, [rng.choice(other_paragraphs) for _ in range(number)], rng))


def condensed(text: str, _other: str, rng: Random, share: float = CONDENSED) -> str:
    """Return a share of the sentences, in order, each chosen by itself; real abstracts keep longer passages."""
    own = sentences(text)
    return "\n\n".join(own[index] for index in sorted(rng.sample(range(len(own)), round(share * len(own)))))


def expanded(text: str, other: str, rng: Random, times: float = EXPANDED) -> str:
    """Return all paragraphs, in order, with `times` as much unrelated text between them."""
    own, other_paragraphs = paragraphs(text), paragraphs(other) or ["Another paragraph."]
    added: list[str] = []
    characters_left = times * len(text)
    while characters_left > 0:
        added.append(other_paragraphs[len(added) % len(other_paragraphs)])
        characters_left -= len(added[-1])
    return "\n\n".join(_mixed(own, added, rng))


def excerpted(text: str, other: str, rng: Random, words: int = EXCERPT) -> str:
    """Return the other document, with a passage of `words` words of this one between two of its paragraphs."""
    passage = passage_of(text, rng, words)
    host = paragraphs(other)
    index = rng.randrange(len(host) + 1)
    return "\n\n".join([*host[:index], passage, *host[index:]])


def passage_of(text: str, rng: Random, words: int) -> str:
    """Return `words` consecutive words, or the whole text if it has fewer."""
    ends = [match.span() for match in re.finditer(r"\S+", text)]
    first = rng.randrange(max(len(ends) - words, 0) + 1)
    return text[ends[first][0] : ends[min(first + words, len(ends)) - 1][1]] if ends else ""


@dataclass(frozen=True)
class Noise:
    """Shares of letters that are misread, of word spaces that vanish, and of words that fall apart."""

    misread: float
    joined: float
    split: float


def scanned(text: str, rng: Random, noise: Noise) -> str:
    """Return the text as a scanner might read it: misread letters, wrong word spaces, and hyphenated lines.

    A misread letter becomes one that looks like it, if there is one, or any; one in four is lost or doubled instead.
    """
    letters = list(" ".join(text.split()))
    places = [index for index, letter in enumerate(letters) if letter.isalpha()]
    spaces = [index for index, letter in enumerate(letters) if letter == " "]
    chosen = rng.sample(places, round((noise.misread * len(places)) + noise.split * len(spaces)))
    misread = round(noise.misread * len(places))
    for index in chosen[:misread]:
        letters[index] = _misread(letters[index], rng)
    for index in chosen[misread:]:
        letters[index] += " "
    for index in rng.sample(spaces, round(noise.joined * len(spaces))):
        letters[index] = ""
    return _hyphenated("".join(letters))


def _misread(letter: str, rng: Random) -> str:
    if rng.random() < 0.25:
        return rng.choice(("", letter * 2))
    return LOOKALIKES.get(letter.lower()) or rng.choice([other for other in LETTERS if other != letter.lower()])


def _hyphenated(text: str) -> str:
    """Break text into lines of LINE letters, with a hyphen in words that do not fit."""
    lines, start = [], 0
    while start < len(text):
        end = start + LINE
        broken = text[end - 1 : end].isalpha() and text[end : end + 1].isalpha()
        lines.append(text[start:end] + ("-" if broken else ""))
        start = end
    return "\n".join(lines)


def _mixed(first: Sequence[str], second: Sequence[str], rng: Random) -> list[str]:
    """Interleave both lists, each in its order."""
    places = set(rng.sample(range(len(first) + len(second)), len(second)))
    from_first, from_second = iter(first), iter(second)
    return [next(from_second if index in places else from_first) for index in range(len(first) + len(second))]


LIGHT = Noise(misread=0.005, joined=0.01, split=0.005)
HEAVY = Noise(misread=0.02, joined=0.05, split=0.02)

Way = Callable[[str, str, Random], str]

# In the paper's order: the first five classes are to be found with very high probability, excerpts mostly.
RELATIONS: Mapping[str, Way] = {
    "identical": identical,
    "edited": edited,
    "reorganised": reorganised,
    "revised": revised,
    "condensed": condensed,
    "expanded": expanded,
    "excerpted": excerpted,
    "scanned, light noise": lambda text, _, rng: scanned(text, rng, LIGHT),
    "scanned, heavy noise": lambda text, _, rng: scanned(text, rng, HEAVY),
}
TOLERATED = ("excerpted", "scanned, heavy noise")  # where some may be missed


def relate(relation: str, text: str, other: str, seed: int) -> str:
    """Return a document of that relation to `text`, with unrelated text from `other`."""
    return RELATIONS[relation](text, other, seeded(f"{relation} {seed}"))


def seeded(seed: int | str) -> Random:
    """Return a generator for documents, not for secrets."""
    return Random(seed)
