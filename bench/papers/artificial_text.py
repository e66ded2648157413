"""Make text of four kinds as arrays of symbols: random, periodic, real, and two kinds made with knowledge of the key.

The text is deterministic for a given generator. The keyed hash of a recipe prevents the hostile kinds: without the
key, nobody can construct them.
"""

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U64
from fpdb.fingerprint import Recipe, hash_levels
from fpdb.fingerprint.hashing import GOLDEN, KGrams, derive, mix
from fpdb.readers.folding import fold_character

Letters = NDArray[np.uint32]

_MASK = 2**64 - 1
_HALF = np.uint64(32)


def _unfolded(first: int, end: int) -> Letters:
    """Return the letters of a range that no reader of text folds."""
    return np.array([code for code in range(first, end) if fold_character(chr(code)) == chr(code)], np.uint32)


# The first of the unified CJK ideographs. The more of them there are to choose
# from, the slower hashes can climb.
IDEOGRAPHS = _unfolded(0x4E00, 0x4E00 + 2048)
LATIN = _unfolded(ord("a"), ord("z") + 1)


def text_of(letters: Letters) -> str:
    """Return the document that has these symbols, if they are folded letters."""
    return letters.astype("<u4").tobytes().decode("utf-32-le")


def letters_of(content: bytes | str, recipe: Recipe, kind: str = "text") -> Letters:
    """Return the symbols of a document."""
    source = recipe.fingerprint(content, kind).source
    assert source is not None
    return source.values.astype(np.uint32)


def random(rng: np.random.Generator, length: int, letters: Letters = LATIN) -> Letters:
    """Return independent letters, all equally likely."""
    return letters[rng.integers(0, len(letters), length)]


def periodic(rng: np.random.Generator, length: int, period: int) -> Letters:
    """Return random letters that repeat after `period`."""
    return np.resize(random(rng, period), length)


def hostile(recipe: Recipe, rng: np.random.Generator, length: int, letters: Letters = IDEOGRAPHS) -> Letters:
    """Return text of which winnowing, also the robust kind, keeps nearly every k-gram.

    Each letter is followed by the one that makes the next k-gram's hash the smallest above the last one, as long as
    such a letter exists; then by the one with the greatest hash below it, down again; and so on. Where hashes climb,
    the first of a window is its minimum; where they fall, the last. All windows but those over a peak have a minimum of
    their own. A climb takes about len(letters) k-grams, and a peak costs w: the share kept is about 1 - w / (2
    len(letters)).
    """
    chain = _Chain(recipe, rng, letters)
    last, climbs = int(chain.offer()[0]), True
    while len(chain.made) < length:
        hashes = chain.offer()
        beyond = hashes > last if climbs else hashes < last
        if not beyond.any():
            climbs = not climbs
            continue
        masked = np.where(beyond, hashes, _MASK if climbs else 0)
        best = int(masked.argmin() if climbs else masked.argmax())
        last = int(hashes[best])
        chain.take(best)
    return np.array(chain.made[:length], np.uint32)


def unsampled(recipe: Recipe, rng: np.random.Generator, length: int, letters: Letters = LATIN) -> Letters:
    """Return random text without a k-gram of level 1 or above: only a distinct sample of level 0 contains any of it."""
    chain = _Chain(recipe, rng, letters)
    while len(chain.made) < length:
        odd = np.flatnonzero(chain.stored(chain.offer()) & np.uint64(1))
        chain.take(int(rng.choice(odd)) if odd.size else int(rng.integers(len(letters))))
    return np.array(chain.made[:length], np.uint32)


class _Chain:
    """Letters that grow by one, with the hash that each possible next letter would make; see `fingerprint.hashing`."""

    def __init__(self, recipe: Recipe, rng: np.random.Generator, letters: Letters) -> None:
        alphabet, rule = recipe.rule_for("text")
        self.k, self.letters, self._hashing = rule.k, letters.tolist(), derive(recipe.key, alphabet)
        self.made: list[int] = random(rng, self.k, letters).tolist()
        self._spread = [mix((self._hashing.spread + letter * GOLDEN) & _MASK) for letter in self.letters]
        self._addends = np.array(self._spread, np.uint64)
        self._of = dict(zip(self.letters, self._spread, strict=True))
        self._highest = pow(self._hashing.base, self.k, 2**64)
        self._rolling = 0
        for letter in self.made:
            self._rolling = (self._rolling + self._of[letter]) * self._hashing.base & _MASK

    def offer(self) -> U64:
        """Return the next k-gram's hash after each letter: (len(letters),) uint64."""
        rest = (self._rolling - self._of[self.made[-self.k]] * self._highest) & _MASK
        rolled = (self._addends + np.uint64(rest)) * np.uint64(self._hashing.base)
        mixed = (rolled ^ (rolled >> _HALF)) * np.uint64(self._hashing.multiplier)
        return mixed ^ (mixed >> _HALF)

    def stored(self, hashes: U64) -> U64:
        """Return the stored form of hashes."""
        return self._hashing.stored(hashes)

    def take(self, index: int) -> None:
        """Append a letter."""
        gone = self._of[self.made[-self.k]] * self._highest
        self._rolling = (self._rolling - gone + self._spread[index]) * self._hashing.base & _MASK
        self.made.append(self.letters[index])


def kgrams_of(letters: Letters, recipe: Recipe) -> KGrams:
    """Return the k-grams of letters under a recipe's rule for text."""
    alphabet, rule = recipe.rule_for("text")
    return KGrams(letters, rule.k, derive(recipe.key, alphabet, recipe.hash_bits))


def levels(letters: Letters, recipe: Recipe) -> NDArray[np.uint8]:
    """Return the level of each k-gram."""
    return hash_levels(kgrams_of(letters, recipe).stored)
