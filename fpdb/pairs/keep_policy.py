"""The rule that says which of several similar documents is kept, and the order that it gives."""

from typing import Literal, NamedTuple, Self

import numpy as np

from fpdb.arrays import I64
from fpdb.errors import BadQuery
from fpdb.pairs.compared_set import NONE, ComparedSet
from fpdb.storage.document_table import DocumentTable
from fpdb.storage.index_reader import IndexReader


class KeepRule(NamedTuple):
    """Keep the document added first, the longest one, or the one whose label has the earliest of some values."""

    kind: Literal["first", "longest", "label"]
    label: str = ""
    values: tuple[str, ...] = ()

    @classmethod
    def parse(cls, rule: str) -> Self:
        """Return the rule "first", "longest" or "label:KEY=VALUE,VALUE2,...". Raises BadQuery."""
        if rule == "first":
            return cls("first")
        if rule == "longest":
            return cls("longest")
        kind, _, rest = rule.partition(":")
        label, equals, values = rest.partition("=")
        if kind == "label" and label and equals:
            return cls("label", label, tuple(values.split(",")))
        raise BadQuery(f"what is kept is told by first, longest or label:KEY=VALUE,VALUE2,..., not {rule!r}")

    def preferences(self, table: DocumentTable) -> I64:
        """Return the number of each document, of which the kept one has the least; shape (n,)."""
        if self.kind == "longest":
            return -table.counts[:, 0]
        places: dict[str | None, int] = {value: self.values.index(value) for value in self.values}
        return np.array([places.get(value, len(self.values)) for value in table.labels[self.label]], np.int64)


def keep_order(reader: IndexReader, compared_set: ComparedSet, rule: KeepRule) -> I64:
    """Return the place of each rank's document in the order in which documents are kept; shape (n,).

    Documents that are not new come before new ones; ties go to the one added first. Raises Corrupt.
    """
    count = len(compared_set)
    preference = np.zeros(count, np.int64)
    if rule.kind != "first":
        table = reader.catalogue.table([rule.label] if rule.label else [])
        found = compared_set.ranks.look_up(table.ids)
        compared = found != NONE
        preference[found[compared]] = rule.preferences(table)[compared]
    ranks = np.arange(count)
    places = np.empty(count, np.int64)
    places[np.lexsort((ranks, preference, ranks < compared_set.new))] = ranks
    return places
