"""Plant passages in two documents of one kind of input, and measure whether a scheme finds them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bench.papers import artificial_text, texts
from bench.papers.artificial_text import Letters
from fpdb.arrays import U64
from fpdb.fingerprint import Recipe
from fpdb.fingerprint.selection import Purpose

W, K, DELTA = 1000, 30, 0.01
V = W - K + 1  # a passage's k-grams
AROUND = 15_000  # symbols about a passage
POOL = 48_000  # symbols that hostile passages and their surroundings are cut from
PERIODS = (7, 50, 200, 600)
KINDS = ("random", "real", "periodic", "hostile")
UNSAMPLED, MIXED = "unsampled", "mixed 60"


class Pair(NamedTuple):
    """Two documents, and the passage that both hold."""

    first: Letters
    second: Letters
    passage: Letters


@dataclass(frozen=True)
class Scheme:
    """A scheme with its parameters, for K, under its name in the tables."""

    name: str
    scheme: str
    parameters: Mapping[str, float]

    @property
    def recipe(self) -> Recipe:
        """Return the recipe text with this scheme."""
        parameters: dict[str, Any] = dict(self.parameters)
        base = Recipe.preset("text")
        rule = base.rules["characters"].with_(K, self.scheme, **parameters)
        return Recipe(base.key, {"characters": rule})


def winnow_recipe() -> Recipe:
    """Return the recipe that hostile input attacks."""
    return Recipe.preset("text").with_(k=K)


class Plants:
    """Pools of real and hostile text to cut pairs from; the passage and both surroundings get a third each."""

    def __init__(self, megabytes: float, pool: int = POOL) -> None:
        """Read `megabytes` of real text, and make `pool` symbols of each hostile kind."""
        rng, recipe = np.random.default_rng(1), winnow_recipe()
        wide = np.arange(0x4E00, 0x4E00 + 8192, dtype=np.uint32)
        folded = [
            artificial_text.letters_of(content, recipe) for _, content in texts.documents("prose", int(megabytes * 1e6))
        ]
        self.pools = {
            "real": np.concatenate(folded),
            "hostile": artificial_text.hostile(recipe, rng, pool, wide),
            UNSAMPLED: artificial_text.unsampled(recipe, rng, pool),
        }

    def document(self, kind: str, rng: np.random.Generator, length: int) -> Letters:
        """Return a document of one kind, with `length` symbols if the pool has as many.

        The kind mixed alternates W random letters and W periodic ones.
        """
        if kind == MIXED:
            halves = [
                [artificial_text.random(rng, W), artificial_text.periodic(rng, W, 60)] for _ in range(length // (2 * W))
            ]
            return np.concatenate([part for pair in halves for part in pair])
        return self._cut(kind, rng, length, 0, 1)

    def pair(self, kind: str, rng: np.random.Generator, passage: Letters | None = None) -> Pair:
        """Return a passage of W symbols, by default of the same kind, and two documents that hold it somewhere."""
        if passage is None:
            passage = self._cut(kind, rng, W, 0, 3)
        sides = []
        for third in (1, 2):
            rest = self._cut(kind, rng, AROUND, third, 3)
            position = int(rng.integers(len(rest)))
            sides.append(np.concatenate([rest[:position], passage, rest[position:]]))
        return Pair(sides[0], sides[1], passage)

    def _cut(self, kind: str, rng: np.random.Generator, length: int, part: int, parts: int) -> Letters:
        if kind == "random":
            return artificial_text.random(rng, length)
        if kind.startswith("periodic"):
            period = int(kind.split()[1]) if " " in kind else int(rng.choice(PERIODS))
            return artificial_text.periodic(rng, length, period)
        share = len(self.pools[kind]) // parts
        piece = self.pools[kind][part * share : (part + 1) * share]
        position = int(rng.integers(max(len(piece) - length, 0) + 1))
        return piece[position : position + length]


class Detection(NamedTuple):
    """The share of pairs whose passage was found, and the fingerprints stored for each k-gram."""

    rate: float
    density: float


def detect(scheme: Scheme, pairs: list[Pair], search: Purpose = "search") -> Detection:
    """Store the first document of each pair and search with the second; only k-grams of the passage count."""
    recipe, found_pairs, stored_count, kgrams = scheme.recipe, 0, 0, 0
    for first, second, passage in pairs:
        stored = recipe.fingerprint(artificial_text.text_of(first))
        query = recipe.fingerprint(artificial_text.text_of(second), purpose=search)
        own = np.sort(artificial_text.kgrams_of(passage, recipe).stored)
        found_pairs += bool(_within(stored.hashes, own) & _within(query.hashes, own))
        stored_count += len(stored.hashes)
        kgrams += stored.kgrams
    return Detection(found_pairs / len(pairs), stored_count / kgrams)


def detect_grid(pairs: list[Pair]) -> Detection:
    """Store every Vth k-gram, which needs no hash to choose, and search with all k-grams."""
    recipe, found_pairs, stored_count, kgrams = winnow_recipe(), 0, 0, 0
    for first, second, passage in pairs:
        document, query, own = (
            artificial_text.kgrams_of(letters, recipe).stored for letters in (first, second, passage)
        )
        stored, own = document[::V], np.sort(own)
        found_pairs += bool(_within(stored, own) & _within(query, own))
        stored_count += len(stored)
        kgrams += len(document)
    return Detection(found_pairs / len(pairs), stored_count / kgrams)


def _within(hashes: U64, ordered: U64) -> set[int]:
    places = np.minimum(np.searchsorted(ordered, hashes), len(ordered) - 1)
    return set(hashes[ordered[places] == hashes].tolist())
