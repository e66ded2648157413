"""Results of comparisons of all documents with all, with what a cap left out of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from fpdb.pairs.advice import Advice

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class IgnoredHashes:
    """Hashes that a comparison left out, since max_df documents, or owners, or more hold them.

    Attributes:
        max_df: The cap; 0 for none.
        hashes: The number of these hashes.
        documents: The number of documents, or owners, that hold some of them; None if a query ignored them, which does
            not count these.
    """

    max_df: int
    hashes: int
    documents: int | None

    def text(self, noun: str = "document", option: str = "max_df") -> str:
        """Return a sentence that says it, without its full stop.

        noun: what was compared; option: the name of the cap.
        """
        hashes = "1 hash was" if self.hashes == 1 else f"{self.hashes:,} hashes were"
        text = f"{hashes} ignored as common ({option}: in {self.max_df:,} or more {noun}s)"
        if self.documents is None:
            return text
        return (
            f"{text}; {f'1 {noun} holds' if self.documents == 1 else f'{self.documents:,} {noun}s hold'} some of them"
        )


class Comparison(NamedTuple, Generic[T]):
    """Results that need no reader any more, and the hashes that were left out."""

    results: Iterator[T]
    ignored: IgnoredHashes
    advice: Advice | None = None


class Results(Iterator[T]):
    """Results in order. All is compared when the first one, or what was ignored, is asked for."""

    def __init__(self, compare: Callable[[], Comparison[T]]) -> None:
        """Take what compares, and needs no open snapshot afterwards."""
        self._compare = compare
        self._comparison: Comparison[T] | None = None

    def __next__(self) -> T:
        """Return the next result."""
        return next(self._done().results)

    @property
    def ignored(self) -> IgnoredHashes:
        """The hashes that were left out as common."""
        return self._done().ignored

    @property
    def advice(self) -> Advice | None:
        """The reason why nothing could be compared, or a doubt about owners; None if there is neither."""
        return self._done().advice

    def _done(self) -> Comparison[T]:
        if self._comparison is None:
            self._comparison = self._compare()
        return self._comparison
