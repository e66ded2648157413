"""Score and judge counted pairs, and rank those that pass.

Measures are Broder's (1997); weights are those of `rarity`.
"""

from typing import Final, NamedTuple, Self

import numpy as np

from fpdb.arrays import F64, U8, U32, Bools
from fpdb.pairs import _counting
from fpdb.pairs.compared_set import ComparedSet
from fpdb.pairs.duplicates import DuplicateGroups
from fpdb.pairs.evidence import FEW, NO_FACTORS, TEXTS, EvidenceCheck, TextFactors
from fpdb.pairs.measures import CountedPairs, Measures, common_sizes
from fpdb.pairs.options import PairOptions
from fpdb.pairs.results import HeldBack
from fpdb.storage import file_format

JUDGED: Final = 256  # pairs that are judged first, where the first ones are wanted; then as many as before, again


class JudgedPairs(NamedTuple):
    """Pairs with their measures, those with weights if they are asked for, and the number of their evidence; (n,)."""

    pairs: CountedPairs
    plain: Measures
    weighted: Measures | None
    evidence: U8


class CountedSizes(NamedTuple):
    """The sizes of documents by rank: their hashes, and what these weigh; whole, with those that are left out; (n,)."""

    counts: F64
    totals: F64
    whole_counts: U32
    whole_totals: F64

    @classmethod
    def of(cls, survey: _counting.Survey) -> Self:
        """Return the sizes that a survey of all posting lists counted."""
        whole = survey.sizes + survey.common_sizes, survey.totals + survey.common_totals
        return cls(survey.sizes.astype(np.float64), survey.totals, *whole)


def least_score(options: PairOptions) -> float:
    """Return the score from which pairs pass."""
    return min(float(options.min or 0), 2.0**32)


class PairScorer:
    """Tell the measures of counted pairs, and which of them pass."""

    def __init__(
        self,
        compared_set: ComparedSet,
        options: PairOptions,
        sizes: CountedSizes,
        duplicates: DuplicateGroups,
        evidence_check: EvidenceCheck,
    ) -> None:
        """Take what is known of the documents, see `PairCounter`."""
        self._compared_set, self._options, self._sizes = compared_set, options, sizes
        self._duplicates, self._evidence_check = duplicates, evidence_check
        self.sampled = bool((compared_set.shares != file_format.WHOLE).any())
        self._held_by_texts = self._held_unread = 0

    @property
    def held_back(self) -> HeldBack:
        """The pairs that passed by few fingerprints only, of those that were judged."""
        return HeldBack(self._options.few, self._held_by_texts, self._held_unread)

    def passing(self, pairs: CountedPairs) -> CountedPairs:
        """Return those of the pairs that pass, judged, and count those held back. Raises Corrupt."""
        judged = self.judge(pairs, self.compare_texts(pairs))
        passes = self.passes(judged.pairs)
        unread = int((judged.evidence[~passes] == FEW).sum())
        self._held_unread += unread
        self._held_by_texts += int((~passes).sum()) - unread
        return judged.pairs.take(passes)

    def passes(self, pairs: CountedPairs) -> Bools:
        """Return which pairs pass by their score; copies without hashes, as if they shared one; shape (n,)."""
        shared = np.where(self._compared_set.without_hashes[pairs.a], 1, pairs.shared)
        passes: Bools = (shared >= self._options.min_shared) & (pairs.score >= least_score(self._options))
        return passes

    def passing_duplicates(self) -> DuplicateGroups:
        """Return those of `duplicates` of which the pairs pass."""
        members = self._duplicates.members
        return self._duplicates.select(self._compared_set, self.passes(self.duplicate_pairs(members, members)))

    def duplicate_pairs(self, a: U32, b: U32) -> CountedPairs:
        """Return pairs of duplicates, scored."""
        return self.scored(a, b, np.zeros(len(a), np.uint32), np.zeros(len(a) if self._options.weighted else 0))

    def scored(self, a: U32, b: U32, shared: U32, weight: F64) -> CountedPairs:
        """Return pairs with the measure by their fingerprints. Duplicates share all hashes, whatever was counted."""
        if len(self._duplicates.sets):
            equal = self._duplicates.are_equal(a, b)
            shared = np.where(equal, self._sizes.whole_counts[a], shared)
            weight = np.where(equal, self._sizes.whole_totals[a], weight) if len(weight) else weight
        pairs = CountedPairs(a, b, shared, weight, shared.astype(np.float64))
        if self._options.by == "shared":
            return pairs
        return pairs._replace(score=self._estimate(pairs, weighted=self._options.weighted)[0].score(self._options.by))

    def compare_texts(self, pairs: CountedPairs) -> TextFactors:
        """Compare the texts of the pairs, as far as these tell more than the fingerprints. Raises Corrupt."""
        few = self._options.few
        short = (self._sizes.whole_counts[pairs.a] < few) | (self._sizes.whole_counts[pairs.b] < few)
        if not short.any():
            return NO_FACTORS
        estimates, sizes = self._estimate(pairs, weighted=False)
        doubtful = self._evidence_check.factors(pairs, sizes)[1] == FEW
        return self._evidence_check.compare_texts(pairs, estimates, doubtful & short)

    def judge(self, pairs: CountedPairs, texts: TextFactors) -> JudgedPairs:
        """Return pairs with measures that are no larger than is certain, see `pairs.evidence`.

        texts: what `compare_texts` says of these pairs.
        """
        plain, sizes = self._estimate(pairs, weighted=False)
        factors, evidence = self._evidence_check.factors(pairs, sizes)
        evidence[texts.indices] = TEXTS
        for factor, by_text in zip(factors, texts.factors.T, strict=True):
            factor[texts.indices] = by_text
        plain = plain.times(factors)
        weighted = self._estimate(pairs, weighted=True)[0].times(factors) if self._options.weighted else None
        if self._options.by != "shared":
            pairs = pairs._replace(score=(weighted or plain).score(self._options.by))
        return JudgedPairs(pairs, plain, weighted, evidence)

    def _estimate(self, pairs: CountedPairs, *, weighted: bool) -> tuple[Measures, tuple[F64, F64]]:
        """Return the measures of pairs by their fingerprints, and the sizes that these were computed from."""
        sizes = self._sizes.totals if weighted else self._sizes.counts
        value = pairs.weight if weighted else pairs.shared.astype(np.float64)
        size_a, size_b = sizes[pairs.a], sizes[pairs.b]
        if len(self._duplicates.sets):
            equal = self._duplicates.are_equal(pairs.a, pairs.b)
            value = np.where(equal & (value == 0), 1.0, value)
            size_a, size_b = np.where(equal, value, size_a), np.where(equal, value, size_b)
        if self.sampled:
            shares = self._compared_set.shares[pairs.a], self._compared_set.shares[pairs.b]
            size_a, size_b = common_sizes(value, (size_a, size_b), shares)
        return Measures.compute(value, (size_a, size_b)), (size_a, size_b)

    def ranked(self, pairs: CountedPairs) -> CountedPairs:
        """Return the first `top` pairs that pass, by the measure, then shared, both descending, then the names' bytes.

        Pairs are judged in this order of their estimates, until no other one can be among the first. Raises Corrupt.
        """
        top = self._options.top
        pairs = self._in_order(pairs)
        if top is None:
            return self._in_order(self.passing(pairs))
        first, start, end = CountedPairs.concatenate([]), 0, max(top, JUDGED)
        while start < len(pairs.a) and not (len(first.a) >= top and first.score[top - 1] > pairs.score[start]):
            judged = self.passing(pairs.take(slice(start, end)))
            first = self._in_order(CountedPairs.concatenate([first, judged])).take(slice(top))
            start, end = end, 2 * end
        return first

    def _in_order(self, pairs: CountedPairs) -> CountedPairs:
        order = self._compared_set.name_order
        ranking = np.lexsort((order[pairs.b], order[pairs.a], -pairs.shared.astype(np.int64), -pairs.score))
        return pairs.take(ranking)
