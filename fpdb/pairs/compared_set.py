"""The documents of one commit by rank: which of them are compared, before any posting is read.

Ranks run from 0 without gaps over live documents, boilerplate excluded, or over owners: the documents of an owner then
count as one, and hold what any of them holds. New ones come first. Knows nothing of measures.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64, Bools
from fpdb.fingerprint import KINDS, content_digest
from fpdb.pairs import _counting
from fpdb.pairs.advice import Advice, find_advice
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owners import OwnerRule
from fpdb.pairs.seams import Seams
from fpdb.storage import file_format
from fpdb.storage.document_table import DocumentTable
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.posting_scan import look_up_postings, scan_postings

NONE: Final = 2**32 - 1  # the rank of documents that are not compared
LAST: Final = np.uint32(1 << 31)  # is set in the last rank of a posting list
EMPTY: Final = np.frombuffer(content_digest(b""), np.uint64)
NO_U32: Final[U32] = np.empty(0, np.uint32)


class RankTable(NamedTuple):
    """Ranks by document id, in pages, so that ids no longer used take no space; see `_counting.ranks_of`."""

    pages: U32
    table: U32

    @classmethod
    def build(cls, document_ids: U32, ranks: U32) -> Self:
        """Return the table of these ranks. document_ids: ascending."""
        size = np.uint32(_counting.PAGE)
        used = document_ids // size
        page = np.cumsum(np.r_[True, used[1:] != used[:-1]][: len(used)])  # page 0 has no ranks
        pages = np.zeros(int(used[-1]) + 1 if len(used) else 0, np.uint32)
        pages[used] = page
        table = np.full((int(page[-1]) + 1 if len(page) else 1, _counting.PAGE), NONE, np.uint32)
        table[page, document_ids % size] = ranks
        return cls(pages, table.reshape(-1))

    def look_up(self, document_ids: U32) -> U32:
        """Return the rank of each document, or NONE; shape (n,)."""
        return _counting.ranks_of(document_ids, self.pages, self.table)


class Members(NamedTuple):
    """The documents of all ranks, by rank, and where each rank's begin and end; shapes (documents,), (n + 1,)."""

    document_ids: U32
    bounds: I64

    @classmethod
    def of(cls, document_ids: U32, ranks: U32, count: int) -> Self:
        """Return the members of so many ranks; ranks: of each document."""
        bounds = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(ranks, minlength=count), out=bounds[1:])
        return cls(document_ids[np.argsort(ranks, kind="stable")], bounds)


class ShortContents(NamedTuple):
    """Documents without hashes, by the first half of the digest of their content, ascending; shape (n,).

    Each of these contents counts as one hash that its documents hold, if owners are compared.
    """

    hashes: U64
    document_ids: U32

    @classmethod
    def of(cls, document_ids: U32, digests: U64) -> Self:
        """Return these documents, of these digests."""
        order = np.argsort(digests[:, 0], kind="stable")
        return cls(digests[order, 0], document_ids[order])

    def of_document(self, document_id: int) -> U64:
        """Return the hashes of a document: one, or none; shape (n,)."""
        hashes: U64 = self.hashes[self.document_ids == document_id]
        return hashes


@dataclass(frozen=True)
class ComparedSet:
    """The documents, or owners, that are compared; arrays by rank.

    name_order: the place in the order of names. owners: equal numbers for those that are never paired, or shape (0,) if
    any two are paired. owner_names: the names of all owners, by number, or else by rank.
    shares: of all its hashes, of which a document's are a sample, see file_format.WHOLE. new: the number of new ones,
    which have the first ranks. ascending: True if the ranks of new ones rise with ids, and those of the others do.
    advice: see `find_advice`.
    seams: the postings that do not count, see `Seams`.
    complete: True if all k-grams are kept, or hashes are the caller's own. digests: of the contents, an owner's their
    sum; shape (n, 2). without_hashes: True for documents that are not empty, and have no hash.
    short_contents: the contents of those, if owners are compared.
    """

    names: Sequence[bytes]
    name_order: U32
    owners: U32
    owner_names: Sequence[bytes]
    shares: U32
    new: int
    ascending: bool
    ranks: RankTable
    members: Members
    seams: Seams
    complete: Bools
    digests: U64
    without_hashes: Bools
    short_contents: ShortContents
    advice: Advice | None

    def __len__(self) -> int:
        """Return the number of ranks."""
        return len(self.names)

    def name(self, rank: int) -> str:
        """Return the name of a rank as a string."""
        return self.names[rank].decode("utf-8", "surrogateescape")

    def document_ids(self, rank: int) -> U32:
        """Return the documents of a rank."""
        return self.members.document_ids[self.members.bounds[rank] : self.members.bounds[rank + 1]]

    def owner_of(self, ranks: U32) -> U32:
        """Return the number of the owner of each rank, see `owner_names`; shape (n,)."""
        return self.owners[ranks] if len(self.owners) else ranks

    def posting_lists(self, reader: IndexReader, only: U64 | None = None) -> Iterator[U32]:
        """Yield the posting lists of all hashes that count, see `_counting`, in parts of whole lists.

        only: If given, the hashes that are looked up, see `hashes_to_look_up`. Raises Corrupt.
        """
        scan = scan_postings(reader, self.seams.counted) if only is None else look_up_postings(reader, only)
        for hashes, document_ids in chain(scan, [self.short_contents]):
            ranks = self.ranks.look_up(document_ids)
            if not self.ascending:
                order = np.lexsort((ranks, hashes))
                hashes, ranks = hashes[order], ranks[order]
            yield _counting.posting_lists(hashes, ranks, self.new if self.new < len(self) else 0)


class _Properties(NamedTuple):
    """The properties by which documents, or owners, are compared; arrays of shape (n,), see `ComparedSet`."""

    new: Bools
    shares: U32
    complete: Bools
    without_hashes: Bools
    digests: U64

    @classmethod
    def of(cls, table: DocumentTable, shares: U32, options: PairOptions) -> Self:
        """Return the properties of documents."""
        _, kgrams, fingerprints, _, added = table.counts.T
        is_read = np.array([kind in KINDS for kind in table.kinds], np.bool_)
        digests = table.digests.view(np.uint64)
        without_hashes = (fingerprints == 0) & (digests != EMPTY).any(axis=1)
        new = np.ones(len(added), np.bool_) if options.since is None else added >= options.since.timestamp()
        if options.new is not None:
            key, value = options.new
            new &= np.array([each == value for each in table.labels[key]], np.bool_)
        return cls(new, shares, (fingerprints >= kgrams) | ~is_read, without_hashes, digests)

    def of_owners(self, owner_index: NDArray[np.intp], count: int) -> Self:
        """Return the properties of owners. owner_index: the owner of each document."""
        new, without_hashes = np.zeros((2, count), np.bool_)
        shares, complete = np.full(count, file_format.WHOLE, np.uint32), np.ones(count, np.bool_)
        digests = np.zeros((count, 2), np.uint64)
        np.logical_or.at(new, owner_index, self.new)
        np.minimum.at(shares, owner_index, self.shares)
        np.logical_and.at(complete, owner_index, self.complete)
        np.add.at(digests, owner_index, self.digests)
        return type(self)(new, shares, complete, without_hashes, digests)

    def take(self, indices: NDArray[np.intp]) -> Self:
        """Return those of these indices."""
        new, shares, complete = self.new[indices], self.shares[indices], self.complete[indices]
        return type(self)(new, shares, complete, self.without_hashes[indices], self.digests[indices])


def read_compared_set(reader: IndexReader, options: PairOptions) -> ComparedSet:
    """Read the catalogue. An owner is new if one of his documents is. Raises Corrupt."""
    rule = OwnerRule.parse(options.owners)
    table = _read_table(reader, options, rule)
    names = table.names
    owners = rule.owners(names, table.labels.get(rule.label or "", ()))
    advice = find_advice(rule, names, owners, by_owner=options.by_owner)
    document_ids = table.ids
    shares = reader.catalogue.sizes(document_ids)["share"].astype(np.uint32)
    properties = _Properties.of(table, shares, options)
    seams = Seams(reader, table)
    owner_names, owner_index = _group_by_owner(names, owners)
    members, numbers = np.arange(len(names)), NO_U32
    short = np.zeros(len(names), np.bool_)
    if options.by_owner:
        names, members, short = owner_names, owner_index, properties.without_hashes
        properties = properties.of_owners(owner_index, len(names))
    elif len(owner_names) < len(names):
        numbers = owner_index.astype(np.uint32)
    short_contents = ShortContents.of(document_ids[short], table.digests.view(np.uint64)[short])
    order = np.argsort(~properties.new, kind="stable")
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    ranked_names = list(map(names.__getitem__, order.tolist()))
    if not len(numbers):
        owner_names = ranked_names if owner_names is names else list(map(owner_names.__getitem__, order.tolist()))
    properties = properties.take(order)
    return ComparedSet(
        names=ranked_names,
        name_order=_name_order(ranked_names),
        owners=numbers[order] if len(numbers) else numbers,
        owner_names=owner_names,
        shares=properties.shares,
        new=int(properties.new.sum()),
        ascending=not options.by_owner or bool((np.diff(ranks[members].astype(np.int64)) > 0).all()),
        ranks=RankTable.build(document_ids, ranks[members]),
        members=Members.of(document_ids, ranks[members], len(names)),
        seams=seams,
        complete=properties.complete,
        digests=properties.digests,
        without_hashes=properties.without_hashes,
        short_contents=short_contents,
        advice=advice,
    )


def _read_table(reader: IndexReader, options: PairOptions, rule: OwnerRule) -> DocumentTable:
    """Return the documents that are compared, with the labels that the options name. Raises Corrupt."""
    subset = options.subset
    keys = [key for key, _ in (*subset.labels, *([options.new] if options.new else ()))]
    table = reader.catalogue.table([*keys, *([] if rule.label is None else [rule.label])])
    if subset.is_all:
        return table
    chosen: Sequence[int] = range(len(table.names))
    for key, value in subset.labels:
        chosen = [place for place in chosen if table.labels[key][place] == value]
    by_name = subset._replace(labels=())
    return table.take([place for place in chosen if by_name.has(table.names[place], {})])


def _group_by_owner(names: list[bytes], owners: list[bytes | None]) -> tuple[list[bytes], NDArray[np.intp]]:
    """Return the owners, and each document's index among them; a document without an owner is its own."""
    if owners.count(None) == len(owners):
        return names, np.arange(len(names))
    known: dict[tuple[bool, bytes], int] = {}
    index = [
        known.setdefault((owner is None, name if owner is None else owner), len(known))
        for name, owner in zip(names, owners, strict=True)
    ]
    return [name for _, name in known], np.array(index, np.intp)


def _name_order(names: list[bytes]) -> U32:
    order = np.empty(len(names), np.uint32)
    order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.uint32)
    return order
