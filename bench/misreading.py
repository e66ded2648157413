"""Make texts as bad as conversions with optical character recognition (OCR) leave them."""

import random

REPLACED, LOST = 0.7, 0.15
"""Shares of errors; in the rest, a letter comes in."""

ALIKE = {"a": "o", "b": "h", "c": "eo", "e": "c", "f": "t", "g": "q", "h": "b", "i": "l1j", "l": "1i", "m": "rn"} | {
    "n": "u", "o": "0ce", "r": "n", "s": "5", "t": "f", "u": "n", "v": "y", "y": "v", "0": "o", "1": "l",
}  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def misread(text: str, errors: float, rng: random.Random) -> str:
    """Return a text in which this share of the letters and digits is wrong."""
    return "".join(_replace(each, rng) if each.isalnum() and rng.random() < errors else each for each in text)


def _replace(letter: str, rng: random.Random) -> str:
    chance = rng.random()
    if chance < REPLACED:
        return rng.choice(ALIKE.get(letter.lower(), LETTERS))
    return "" if chance < REPLACED + LOST else letter + rng.choice("ilt1")
