"""Results of comparisons of all documents with all, with what a cap left out of them."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from html import escape
from itertools import islice
from typing import Any, Final, Generic, NamedTuple, NoReturn, TypeVar

from fpdb.arrow_table import ToArrow, import_arrow, table_of
from fpdb.columns import PAIR, html_table
from fpdb.pairs.advice import Advice

T = TypeVar("T")
PAIRS_SHOWN: Final = 20
"""Pairs in a table of a notebook."""


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

    def to_dict(self) -> dict[str, int | None]:
        """Return the numbers by name."""
        return asdict(self)

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


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Pairs that pass by the fingerprints alone, of which a document has too few, and were left out.

    Attributes:
        few: The number of hashes that is enough.
        by_texts: Their texts have less in common.
        unread: Their texts could not be read.
    """

    few: int
    by_texts: int
    unread: int

    def text(self, option: str = "few") -> str:
        """Return a sentence that says it, without its full stop. option: the name of the option for `few`."""
        total = self.by_texts + self.unread
        pairs = "1 pair" if total == 1 else f"{total:,} pairs"
        were = "was" if total == 1 else "were"
        unread = f"could not be read (keep them with the documents, or see {option})"
        if not self.unread:
            reason = "their texts have less in common"
        elif not self.by_texts:
            reason = f"their texts {unread}"
        else:
            reason = f"{self.by_texts:,} have less in common by their texts; the texts of {self.unread:,} {unread}"
        return f"{pairs} of documents with fewer than {self.few} fingerprints {were} held back: {reason}"


class Comparison(NamedTuple, Generic[T]):
    """Results that need no reader any more, and what was left out."""

    results: Iterator[T]
    ignored: IgnoredHashes
    advice: Advice | None = None
    held_back: HeldBack = HeldBack(0, 0, 0)


def _is_pair(result: object) -> bool:
    return hasattr(result, "containment_a")


class Results(Iterator[T], ToArrow):
    """Results in order. All is compared when the first one, or what was ignored, is asked for."""

    def __init__(self, compare: Callable[[], Comparison[T]]) -> None:
        """Take what compares, and needs no open snapshot afterwards."""
        self._compare = compare
        self._seen: deque[T] = deque()
        """Results that a table has shown, and that are still to come."""
        self._comparison: Comparison[T] | None = None

    def __next__(self) -> T:
        """Return the next result."""
        results = self._done().results
        return self._seen.popleft() if self._seen else next(results)

    def __repr__(self) -> str:
        """Return what the results are, and how to get them; nothing is compared for it."""
        return "<Results, compared when they are read: iterate over them, or make a list of them>"

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: results are read from the database. Raises TypeError."""
        raise TypeError("results are read as they are asked for: make a list of them, which can be pickled")

    def _repr_html_(self) -> str:
        """Return the next results, pairs as a table, for notebooks; iterating gives them nevertheless."""
        self._seen.extend(islice(self._done().results, PAIRS_SHOWN + 1 - len(self._seen)))
        pairs = list(islice(self._seen, PAIRS_SHOWN))
        if not pairs or not _is_pair(pairs[0]):
            return f"<pre>{'<br>'.join(escape(repr(result)) for result in pairs)}</pre>"
        more = f"the first {PAIRS_SHOWN} pairs" if len(self._seen) > PAIRS_SHOWN else "pairs"
        columns = tuple(column for column in PAIR if not column.group)
        return html_table(columns, pairs, more)

    def to_arrow(self) -> Any:
        """Return the results that are still to come as a table, see `ToArrow`; of no results that of no pairs."""
        results: list[Any] = list(self)
        if results and not _is_pair(results[0]):
            return import_arrow().Table.from_pylist([result.to_dict() for result in results])
        return table_of(PAIR, results)

    @property
    def ignored(self) -> IgnoredHashes:
        """The hashes that were left out as common."""
        return self._done().ignored

    @property
    def held_back(self) -> HeldBack:
        """The pairs that were left out since their fingerprints are too few."""
        return self._done().held_back

    @property
    def advice(self) -> Advice | None:
        """The reason why nothing could be compared, or a doubt about owners; None if there is neither."""
        return self._done().advice

    def _done(self) -> Comparison[T]:
        if self._comparison is None:
            self._comparison = self._compare()
        return self._comparison
