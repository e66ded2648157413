"""Complete pairs with the labels of their documents."""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from itertools import islice
from typing import Final

from fpdb.pairs.coverage import unpack_pair
from fpdb.pairs.ranking import Pair
from fpdb.pairs.results import Comparison
from fpdb.spool import spool
from fpdb.storage.file_format import name_bytes
from fpdb.storage.index_reader import IndexReader, find_listed

BATCH: Final = 1 << 12  # pairs whose documents are looked up together


def with_labels(reader: IndexReader, comparison: Comparison[Pair]) -> Comparison[Pair]:
    """Return the pairs of documents with their labels. Raises Corrupt."""
    return comparison._replace(results=spool(_labelled(reader, comparison.results), astuple, unpack_pair))


def _labelled(reader: IndexReader, pairs: Iterable[Pair]) -> Iterator[Pair]:
    remaining = iter(pairs)
    while batch := list(islice(remaining, BATCH)):
        ids = find_listed(reader, {name_bytes(name) for pair in batch for name in (pair.a, pair.b)})
        labels = {name: dict(reader.catalogue.record(document_id).labels) for name, document_id in ids.items()}
        for pair in batch:
            yield replace(pair, labels_a=labels[name_bytes(pair.a)], labels_b=labels[name_bytes(pair.b)])
