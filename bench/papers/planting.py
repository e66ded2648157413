"""Passages planted in two documents of one kind of input, and whether a scheme finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.papers import inputs, texts
from bench.papers.inputs import Letters
from fpdb.fingerprint import Recipe
from fpdb.fingerprint.selection import Purpose

W, K, DELTA = 1000, 30, 0.01
V = W - K + 1  # a passage's k-grams
AROUND = 15_000  # symbols about a passage
POOL = 48_000  # symbols that hostile passages and their surroundings are cut from
PERIODS = (7, 50, 200, 600)
KINDS = ("random", "real", "periodic", "hostile")
UNSAMPLED, MIXED = "unsampled", "mixed 60"
U64 = NDArray[np.uint64]


class Pair(NamedTuple):
    """Two documents, and the passage that both hold."""

    first: Letters
    second: Letters
    passage: Letters


@dataclass(frozen=True)
class Scheme:
    """A scheme with its parameters, for K, under the name that stands in the tables."""

    name: str
    scheme: str
    parameters: Mapping[str, float]

    @property
    def recipe(self) -> Recipe:
        """The recipe text, but for this."""
        parameters: dict[str, Any] = dict(self.parameters)
        base = Recipe.preset("text")
        rule = base.rules["characters"].with_(K, self.scheme, **parameters)
        return Recipe(base.key, {"characters": rule})


def winnow_recipe() -> Recipe:
    """What hostile input is hostile to."""
    return Recipe.preset("text").with_(k=K)


class Plants:
    """Where pairs come from: pools of real and hostile text, of which passage and surroundings get a third each."""

    def __init__(self, megabytes: float, pool: int = POOL) -> None:
        rng, recipe = np.random.default_rng(1), winnow_recipe()
        wide = np.arange(0x4E00, 0x4E00 + 8192, dtype=np.uint32)
        folded = [inputs.letters_of(content, recipe) for _, content in texts.documents("prose", int(megabytes * 1e6))]
        self.pools = {
            "real": np.concatenate(folded),
            "hostile": inputs.hostile(recipe, rng, pool, wide),
            UNSAMPLED: inputs.unsampled(recipe, rng, pool),
        }

    def document(self, kind: str, rng: np.random.Generator, length: int) -> Letters:
        """A document of one kind, as long as asked for if the pool is. mixed: W random letters, W periodic ones, ..."""
        if kind == MIXED:
            halves = [[inputs.random(rng, W), inputs.periodic(rng, W, 60)] for _ in range(length // (2 * W))]
            return np.concatenate([part for pair in halves for part in pair])
        return self._cut(kind, rng, length, 0, 1)

    def pair(self, kind: str, rng: np.random.Generator, passage: Letters | None = None) -> Pair:
        """A passage of W symbols, of the same kind if none is given, and two documents that hold it somewhere."""
        if passage is None:
            passage = self._cut(kind, rng, W, 0, 3)
        sides = []
        for third in (1, 2):
            rest = self._cut(kind, rng, AROUND, third, 3)
            at = int(rng.integers(len(rest)))
            sides.append(np.concatenate([rest[:at], passage, rest[at:]]))
        return Pair(sides[0], sides[1], passage)

    def _cut(self, kind: str, rng: np.random.Generator, length: int, part: int, parts: int) -> Letters:
        if kind == "random":
            return inputs.random(rng, length)
        if kind.startswith("periodic"):
            period = int(kind.split()[1]) if " " in kind else int(rng.choice(PERIODS))
            return inputs.periodic(rng, length, period)
        share = len(self.pools[kind]) // parts
        piece = self.pools[kind][part * share : (part + 1) * share]
        at = int(rng.integers(max(len(piece) - length, 0) + 1))
        return piece[at : at + length]


class Found(NamedTuple):
    """The share of pairs whose passage was found, and what was stored: a k-gram of the document."""

    rate: float
    density: float


def detect(scheme: Scheme, pairs: list[Pair], search: Purpose = "search") -> Found:
    """The first of each pair is stored, the second is searched with; only k-grams of the passage count."""
    recipe, found, kept, kgrams = scheme.recipe, 0, 0, 0
    for first, second, passage in pairs:
        stored = recipe.fingerprint(inputs.text_of(first))
        asked = recipe.fingerprint(inputs.text_of(second), purpose=search)
        own = np.sort(inputs.kgrams_of(passage, recipe).stored)
        found += bool(_within(stored.hashes, own) & _within(asked.hashes, own))
        kept += len(stored.hashes)
        kgrams += stored.kgrams
    return Found(found / len(pairs), kept / kgrams)


def detect_grid(pairs: list[Pair]) -> Found:
    """What needs no hash to choose: every Vth k-gram is stored, and all are searched with."""
    recipe, found, kept, kgrams = winnow_recipe(), 0, 0, 0
    for first, second, passage in pairs:
        every, asked, own = (inputs.kgrams_of(letters, recipe).stored for letters in (first, second, passage))
        stored, own = every[::V], np.sort(own)
        found += bool(_within(stored, own) & _within(asked, own))
        kept += len(stored)
        kgrams += len(every)
    return Found(found / len(pairs), kept / kgrams)


def _within(hashes: U64, ordered: U64) -> set[int]:
    at = np.minimum(np.searchsorted(ordered, hashes), len(ordered) - 1)
    return set(hashes[ordered[at] == hashes].tolist())
