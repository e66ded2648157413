"""Keeping: which of some documents that are alike stays, and so the order in which documents are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from fpdb.arrays import I64
from fpdb.errors import BadQuery
from fpdb.pairs import _counting
from fpdb.pairs.corpus import Collection
from fpdb.storage.reader import Reader
from fpdb.storage.records import Record

FIRST: Final = "first"


def keep_order(view: Reader, documents: Collection, rule: str) -> I64:
    """When each rank's document is kept, 0 first of all; shape (n,). Documents that are not new come before new ones;
    ties go to the one added first. rule: see `keep_rule`. Raises BadQuery, Corrupt."""
    count = len(documents)
    preference = np.zeros(count, np.int64)
    prefer = keep_rule(rule)
    if rule != FIRST:
        ids: list[int] = []
        values: list[int] = []
        for number, record in view.catalogue.records():
            ids.append(number)
            values.append(prefer(record))
        preference[_counting.ranks_of(np.array(ids, np.uint32), documents.pages, documents.table)] = values
    ranks = np.arange(count)
    places = np.empty(count, np.int64)
    places[np.lexsort((ranks, preference, ranks < documents.new))] = ranks
    return places


def keep_rule(source: str) -> Callable[[Record], int]:
    """What a document is kept for, less is better: "first", the one added first; "longest", the one of most symbols;
    "label:KEY=VALUE,VALUE2,...", the one whose label KEY has the earliest of these values, then those with another
    value or none. Raises BadQuery."""
    if source == FIRST:
        return lambda _: 0
    if source == "longest":
        return lambda record: -record.symbols
    sort, _, rest = source.partition(":")
    key, equals, values = rest.partition("=")
    if sort == "label" and key and equals:
        places = {value: place for place, value in reversed(list(enumerate(values.split(","))))}
        return lambda record: (
            places.get(record.labels.get(key, ""), len(places)) if key in record.labels else len(places)
        )
    raise BadQuery(f"what is kept is told by first, longest or label:KEY=VALUE,VALUE2,..., not {source!r}")
