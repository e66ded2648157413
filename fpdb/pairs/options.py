"""Options of comparisons of all documents with all."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from numbers import Real
from typing import Final, get_args

from fpdb.errors import BadQuery
from fpdb.options import PairMeasure
from fpdb.pairs.owners import DEFAULT, OwnerRule
from fpdb.subset import Subset
from fpdb.validation import check_integer

Watch = Callable[[str, str, int, int], None]
"""A callback for progress: the stage, the noun of what is counted in it, of which an s makes the plural, how many are
done, and how many there are."""

CONNECTED: Final = 0.5  # the measure from which a pair connects its documents, by default
REGIONAL: Final = ("coverage",)
"""Measures that regions tell."""

MEASURES: Final = get_args(PairMeasure)
ENOUGH: Final = 16
"""Hashes of a document by which its containment is certain enough: within 0.1 of the truth, of 19 texts in 20."""

SMALL: Final = 10_000  # documents up to which no hash is common
COMMON: Final = 1_000  # documents that make a hash common in a larger collection


@dataclass(frozen=True, slots=True)
class PairOptions:
    """Options that select and rank pairs. Raises BadQuery when made from invalid values.

    Attributes:
        min_shared: The fewest hashes that a pair shares.
        by: The measure to rank by, one of MEASURES. Similarity is the mean of both weighted containments,
            mean_containment that of both containments; containment, weighted_containment and coverage are the larger
            of both directions. Only pairs of documents can be ranked by coverage: the regions of all that share enough
            hashes are found, which takes longer the more there are.
        min: The least measure, inclusive.
        top: The most pairs to return.
        max_df: Leave out hashes that this many documents hold, on both sides, unless both hold the same hashes; 0 for
            none. By default 0 up to 10,000 documents (SMALL), and 1,000 (COMMON) above.
        new: A label (KEY, VALUE) that one document of each pair must have.
        since: The time at which one document of each pair, the same one, was added, or later.
        owners: "label:KEY" or "path:N", the first N parts of the name; documents of one owner are never paired.
        by_owner: Find pairs of owners, whose documents count as one.
        labels, names, exclude_names: See `subset.Subset`: compare these documents only, as if there were no others.
        few: Documents of fewer hashes are certain by their texts only, see `pairs.evidence`; 0 if all are certain.
    """

    min_shared: int = 1
    by: str = "containment"
    min: float | None = None
    top: int | None = None
    max_df: int | None = None
    new: tuple[str, str] | None = None
    since: datetime | None = None
    owners: str = DEFAULT
    by_owner: bool = False
    labels: Mapping[str, str] | None = None
    names: str | Sequence[str] | None = None
    exclude_names: str | Sequence[str] | None = None
    few: int = ENOUGH

    def __post_init__(self) -> None:
        """Check the values."""
        if self.by not in MEASURES:
            raise BadQuery(f"by must be one of {', '.join(MEASURES)}, not {self.by!r}")
        check_integer(self.min_shared, "min_shared", 1, error=BadQuery)
        check_integer(self.few, "few", 0, error=BadQuery)
        for name, minimum in (("max_df", 0), ("top", 1)):
            if getattr(self, name) is not None:
                check_integer(getattr(self, name), name, minimum, error=BadQuery)
        limit = math.inf if self.by == "shared" else 1
        if self.min is not None and not (isinstance(self.min, Real) and 0 <= self.min <= limit):
            raise BadQuery(f"min must lie in [0, 1] for {self.by}, not {self.min!r}")
        Subset.of(self.labels, self.names, self.exclude_names)
        self._check_new()
        if self.since is not None and not isinstance(self.since, datetime):
            raise BadQuery(f"since must be a datetime, not {self.since!r}")
        if not isinstance(self.by_owner, bool):
            raise BadQuery(f"by_owner must be True or False, not {self.by_owner!r}")
        if not isinstance(self.owners, str):
            raise BadQuery(f"owners must be a rule, such as 'label:student', not {self.owners!r}")
        OwnerRule.parse(self.owners)
        if self.by_owner:
            self.told_by_hashes()

    def _check_new(self) -> None:
        new = self.new
        if new is not None and not (isinstance(new, tuple) and list(map(type, new)) == [str, str]):
            raise BadQuery(f"new must be a label, a tuple of its key and its value, not {new!r}")

    @property
    def subset(self) -> Subset:
        """The documents that are compared."""
        return Subset.of(self.labels, self.names, self.exclude_names)

    @property
    def weighted(self) -> bool:
        """True if hashes weigh by their rarity."""
        return self.by == "similarity" or self.by.startswith("weighted_")

    @property
    def regional(self) -> bool:
        """True if regions tell the measure."""
        return self.by in REGIONAL

    def of_all(self) -> "PairOptions":
        """Return the options for all pairs, by a measure that hashes tell."""
        return replace(self, by="containment", min=None, top=None)

    def told_by_hashes(self) -> "PairOptions":
        """Return the same options. Raises BadQuery if regions tell the measure."""
        if self.regional:
            raise BadQuery(f"only pairs of documents can be ranked by {self.by}: give another measure")
        return self

    def connecting(self) -> "PairOptions":
        """Return the options for pairs that connect documents: `min` is CONNECTED, if not given and not a count."""
        return replace(self, min=CONNECTED) if self.min is None and self.by != "shared" else self

    def frequency_cap(self, documents: int) -> int:
        """Return the df from which hashes are left out among so many documents; 0 for none."""
        return (COMMON if documents > SMALL else 0) if self.max_df is None else self.max_df
