"""The evidence for the measures of pairs, and their correction where a document has few fingerprints.

A containment by n fingerprints is an estimate: of texts that have half in common, one in four has both of two. So a
document of fewer than `few` hashes counts as if it had so many, of which the others are not shared. Where a pair seems
to be alike, and both texts can be read, all of their k-grams are compared instead: then no measure is larger than these
allow. Both only lower what the fingerprints say.

Certain without either are documents of which all k-grams are kept, hashes of the caller's own, and documents of the
same content.
"""

from collections import OrderedDict
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U8, U64, Bools, contains, sorted_distinct
from fpdb.fingerprint import Recipe, Symbols
from fpdb.fingerprint.marked_symbols import MarkedSymbols
from fpdb.pairs.compared_set import ComparedSet
from fpdb.pairs.measures import CountedPairs, Measures
from fpdb.regions.sources import Contents, read_document
from fpdb.storage.index_reader import IndexReader

CLAIM: Final = 0.5  # the larger containment, by fingerprints, from which texts are read
MAX_KGRAMS: Final = 1 << 22  # hashes of k-grams that stay in memory: 32 MB

Evidence = Literal["content", "texts", "fingerprints", "few"]
"""The source of the measures of a pair: the same content; all k-grams of both texts; fingerprints, enough of them; few
fingerprints, which count as if there were more."""

EVIDENCE: Final[tuple[Evidence, ...]] = ("content", "texts", "fingerprints", "few")
"""By number."""
CONTENT, TEXTS, FINGERPRINTS, FEW = range(4)


class TextFactors(NamedTuple):
    """Factors of the estimates where texts were compared: indices of pairs, factors (n, 3)."""

    indices: NDArray[np.intp]
    factors: F64


NO_FACTORS: Final = TextFactors(np.empty(0, np.intp), np.empty((0, 3)))


class EvidenceCheck:
    """Compare what is estimated of pairs with what is known of their documents."""

    def __init__(self, reader: IndexReader, contents: Contents | None, compared_set: ComparedSet, few: int) -> None:
        """Take the documents of a commit. contents: None if no text is to be read. few: 0 if all estimates hold."""
        self._compared_set, self._few = compared_set, few
        self._texts = None if contents is None else _KGramSets(reader, contents, compared_set)

    def compare_texts(self, pairs: CountedPairs, estimates: Measures, doubtful: Bools) -> TextFactors:
        """Compare the texts of those of the doubtful pairs that seem alike, if they can be read. Raises Corrupt.

        estimates: the measures by fingerprints, without weights.
        """
        found: dict[int, tuple[float, ...]] = {}
        if self._texts is not None:
            for index in np.flatnonzero(doubtful & (estimates.larger >= CLAIM)).tolist():
                exact = self._texts.compare(int(pairs.a[index]), int(pairs.b[index]))
                if exact is not None:
                    found[index] = tuple(
                        min(value / of[index], 1.0) for value, of in zip(exact, estimates, strict=True)
                    )
        return TextFactors(np.array([*found], np.intp), np.array([*found.values()]).reshape(-1, 3))

    def factors(self, pairs: CountedPairs, sizes: tuple[F64, F64]) -> tuple[Measures, U8]:
        """Return what the estimated measures are to be multiplied by, and the number of the evidence; shape (n,).

        sizes: the numbers of hashes that these were estimated from.
        """
        digests = self._compared_set.digests
        copies = (digests[pairs.a] == digests[pairs.b]).all(axis=1)
        known = self._compared_set.complete[pairs.a] | copies, self._compared_set.complete[pairs.b] | copies
        factors, certain = cautious_factors(known, sizes, pairs.shared, self._few)
        evidence = np.where(copies, CONTENT, np.where(certain, FINGERPRINTS, FEW)).astype(np.uint8)
        return factors, evidence


def cautious_factors(
    known: tuple[Bools, Bools], sizes: tuple[F64, F64], shared: NDArray[Any], few: int
) -> tuple[Measures, Bools]:
    """Return what estimates are to be multiplied by, and which of the pairs are certain; shape (n,).

    Args:
        known: True for the documents a, and b, of which nothing is estimated.
        sizes: Their numbers of hashes.
        shared: How many both have.
        few: The number of hashes that is enough.
    """
    certain = (known[0] | (sizes[0] >= few)) & (known[1] | (sizes[1] >= few))
    cases = (known[0], sizes[0]), (known[1], sizes[1]), (certain, sizes[0] + sizes[1] - shared)
    return Measures(*(_factor(sure, size, few) for sure, size in cases)), certain


def _factor(sure: Bools, sizes: NDArray[Any], few: int) -> F64:
    if sure.all() or sizes.min() >= few:
        return np.ones(len(sure))
    return np.where(sure, 1.0, np.minimum(sizes / max(few, 1), 1.0))


def counted_hashes(recipe: Recipe, kind: str, symbols: Symbols, boilerplate: U64) -> U64:
    """Return the stored hashes of all k-grams of a document that count; shape (n,)."""
    kgrams = recipe.hash_kgrams(kind, symbols)
    if not len(boilerplate):
        return kgrams
    discarded = contains(boilerplate, kgrams)
    k = recipe.rule_for(kind)[1].k
    marks = MarkedSymbols.of(np.flatnonzero(discarded), k)
    return kgrams[~(discarded | marks.covers_most(np.arange(len(kgrams)), k))]


def compare_kgrams(of_a: U64, of_b: U64) -> tuple[float, float, float] | None:
    """Return both containments and the resemblance of sorted, distinct k-grams; None if there are none of one."""
    if not len(of_a) or not len(of_b):
        return None
    shared = int(contains(of_b, of_a).sum())
    return shared / len(of_a), shared / len(of_b), shared / (len(of_a) + len(of_b) - shared)


class _KGramSets:
    """The k-grams of documents, or owners, that can be read."""

    def __init__(self, reader: IndexReader, contents: Contents, compared_set: ComparedSet) -> None:
        self._reader, self._contents, self._compared_set = reader, contents, compared_set
        self._boilerplate = reader.boilerplate()
        self._sets: OrderedDict[int, U64 | None] = OrderedDict()
        self._kgrams = 0

    def compare(self, a: int, b: int) -> tuple[float, float, float] | None:
        """Return both containments and the resemblance of two ranks; None if one cannot be read. Raises Corrupt."""
        of_a, of_b = self._of(a), self._of(b)
        return None if of_a is None or of_b is None else compare_kgrams(of_a, of_b)

    def _of(self, rank: int) -> U64 | None:
        """Return the distinct hashes of all k-grams of a rank, without boilerplate; None if it cannot be read."""
        if rank not in self._sets:
            self._sets[rank] = self._read(rank)
            self._kgrams += _size(self._sets[rank])
            while self._kgrams > MAX_KGRAMS and len(self._sets) > 2:
                self._kgrams -= _size(self._sets.popitem(last=False)[1])
        self._sets.move_to_end(rank)
        return self._sets[rank]

    def _read(self, rank: int) -> U64 | None:
        parts = []
        for document_id in self._compared_set.document_ids(rank).tolist():
            document = read_document(self._reader, self._contents.recipe, document_id, self._contents.sources)
            if document.original is None:
                return None
            kind, symbols = document.original.fingerprints.kind, document.original.text.symbols
            parts.append(counted_hashes(self._contents.recipe, kind, symbols, self._boilerplate))
            parts.append(self._compared_set.short_contents.of_document(document_id))
        return sorted_distinct(np.concatenate(parts))


def _size(kgrams: U64 | None) -> int:
    return 1 if kgrams is None else len(kgrams) + 1
