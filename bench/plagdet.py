"""The measures of text alignment of Potthast and others (COLING 2010), by characters, as macro-averages.

A case is a passage that was copied, a detection is a region that was found: a passage of one document and one of
another. A detection *detects* a case if they have characters in common in both documents. Precision is the mean over
detections of the share of its characters that lie in cases it detects; recall is the mean over cases of the share of
its characters that lie in detections of it; granularity is the mean number of detections of a case that has any.
"""

from collections.abc import Collection, Iterable, Sequence
from math import log2
from statistics import mean
from typing import NamedTuple


class Passage(NamedTuple):
    """The characters [start, end) of two documents a and b of a pair; two passages of different pairs never overlap."""

    pair: int
    a_start: int
    a_end: int
    b_start: int
    b_end: int


class Figures(NamedTuple):
    """The measures; plagdet combines the other three."""

    recall: float
    precision: float
    granularity: float

    @property
    def plagdet(self) -> float:
        """F1, divided by log2(1 + granularity)."""
        total = self.recall + self.precision
        return 2 * self.recall * self.precision / total / log2(1 + self.granularity) if total else 0.0


def measure(cases: Sequence[Passage], detections: Sequence[Passage]) -> Figures:
    """Return the measures; granularity is 1 if no case is detected, recall or precision 1 if nothing is to be found."""
    found = [[detection for detection in detections if _detects(detection, case)] for case in cases]
    right = [[case for case in cases if _detects(detection, case)] for detection in detections]
    return Figures(
        mean(map(_share, cases, found)) if cases else 1.0,
        mean(map(_share, detections, right)) if detections else 1.0 if not cases else 0.0,
        mean([len(each) for each in found if each] or [1]),
    )


def _detects(detection: Passage, case: Passage) -> bool:
    in_a = detection.a_start < case.a_end and case.a_start < detection.a_end
    return detection.pair == case.pair and in_a and detection.b_start < case.b_end and case.b_start < detection.b_end


def _share(passage: Passage, others: Collection[Passage]) -> float:
    """Return the share of a passage's characters, of both documents, that lie in the others."""
    in_a = _covered(passage.a_start, passage.a_end, ((other.a_start, other.a_end) for other in others))
    in_b = _covered(passage.b_start, passage.b_end, ((other.b_start, other.b_end) for other in others))
    return (in_a + in_b) / (passage.a_end - passage.a_start + passage.b_end - passage.b_start)


def _covered(start: int, end: int, intervals: Iterable[tuple[int, int]]) -> int:
    covered = 0
    for first, last in sorted(intervals):
        covered += max(min(last, end) - max(first, start), 0)
        start = max(start, last)
    return covered
