"""Koala's collection: real documents and relatives of some of them, and the searches for each pair.

Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996), 2, 7.
"""

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fpdb
from bench.papers import texts
from bench.papers.relations import RELATIONS, relate
from fpdb.fingerprint import Recipe
from fpdb.fingerprint.selection import Purpose

SIZES = range(30_000, 500_000)  # of a real document, in bytes
STRANGE = 8  # of so many real documents one is held back, to take strange text from
SCANS = ("remember00palm.txt", "remembermeorholy00palm.txt")
SCAN = "two scans"

COMMIT = 10  # documents, where each commit changes what is rare


class CorpusDocument(NamedTuple):
    """A document. relation and base: how and from which document it was made; the second scan's base is the first."""

    name: str
    content: bytes
    relation: str = ""
    base: str = ""

    @property
    def real(self) -> bool:
        """Return True if the document is one of the collection's own: neither made nor a scan."""
        return not self.relation and self.name not in SCANS


class SearchHit(NamedTuple):
    """A document that a search found, and the measure."""

    query: str
    name: str
    ratio: float
    shared: int


@dataclass(frozen=True)
class SearchSetting:
    """Recipes to store and to search with. cut: characters to cut off first, for schemes that skip none."""

    store: Recipe
    search: Recipe
    cut: int = 0

    @classmethod
    def koala(cls, *, caps: bool = True, **changes: Any) -> "SearchSetting":
        """Return the preset with changes."""
        recipe = Recipe.preset("koala").with_(**changes)
        recipe = recipe if caps else replace(recipe, max_df=None, max_ignored=None)
        return cls(recipe, recipe)


def gather(shrink: int = 1, pairs: int = 12, scans: Path | None = None) -> tuple[CorpusDocument, ...]:
    """Return the collection by name: a `shrink`th of the real documents, and `pairs` documents of each relation.

    Each related document is made of a different real one, so that no document has more than one. scans: a folder that
    holds the two scans.
    """
    real = [CorpusDocument(name, content) for name, content in texts.documents("prose") if len(content) in SIZES]
    real.sort(key=lambda text: hashlib.sha256(text.name.encode()).digest())
    strange, real = real[: len(real) // STRANGE], real[len(real) // STRANGE :]
    real = real[: max(len(real) // shrink, pairs * len(RELATIONS))]
    chosen = iter(real)
    made: list[CorpusDocument] = []
    for relation in RELATIONS:
        for number in range(pairs):
            base = next(chosen)
            other = strange[len(made) % len(strange)].content.decode(errors="replace")
            content = relate(relation, base.content.decode(errors="replace"), other, number).encode()
            made.append(CorpusDocument(f"{base.name} {relation}", content, relation, base.name))
    return tuple(sorted([*real, *made, *_scans(scans)]))


def _scans(folder: Path | None) -> Iterator[CorpusDocument]:
    if folder is None:
        return
    for name in SCANS:
        (path,) = folder.rglob(name)
        second = name == SCANS[1]
        yield CorpusDocument(name, path.read_bytes(), SCAN if second else "", SCANS[0] if second else "")


def fingerprints(
    documents: Sequence[CorpusDocument], recipe: Recipe, purpose: Purpose, cut: int = 0
) -> list[NDArray[np.uint64]]:
    """Return the hashes of each document, for that purpose."""
    content: Iterator[bytes | str] = (text.content for text in documents)
    if cut:
        content = (text.content.decode(errors="replace")[cut:] for text in documents)
    return [recipe.fingerprint(one, purpose=purpose).hashes for one in content]


def match(
    documents: Sequence[CorpusDocument], setting: SearchSetting, by: str = "reverse_containment"
) -> list[SearchHit]:
    """Search for each document among all of them, itself included."""
    stored = fingerprints(documents, setting.store, "store", setting.cut)
    search = fingerprints(documents, setting.search, "search", setting.cut)
    hits = []
    with tempfile.TemporaryDirectory() as folder, fpdb.open(f"{folder}/c.fpdb", "x", recipe=setting.store) as db:
        with db.batch() as batch:
            for text, hashes in zip(documents, stored, strict=True):
                batch.add_fingerprints(text.name, hashes)
        for text, hashes in zip(documents, search, strict=True):
            for found_match in db.query_fingerprints(hashes, by=by).matches:
                hits.append(SearchHit(text.name, found_match.name, getattr(found_match, by), found_match.shared))
    return hits


def match_by_corpus(documents: Sequence[CorpusDocument], recipe: Recipe) -> list[SearchHit]:
    """Search as `match` does, where rare means held by few documents of the database (end of section 6.1)."""
    hits = []
    with tempfile.TemporaryDirectory() as folder, fpdb.open(f"{folder}/c.fpdb", "x", recipe=recipe) as db:
        for first in range(0, len(documents), COMMIT):
            with db.batch() as batch:
                for text in documents[first : first + COMMIT]:
                    batch.add(text.name, text.content, rarity="corpus")
        for text in documents:
            for found_match in db.query(text.content, rarity="corpus", by="reverse_containment").matches:
                hits.append(SearchHit(text.name, found_match.name, found_match.reverse_containment, found_match.shared))
    return hits
