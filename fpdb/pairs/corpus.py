"""The documents of one commit by rank: who is compared with whom, before any posting is read.

Ranks run from 0 without gaps over live documents, boilerplate left out, or over owners: the documents of an owner then
count as one, and hold what any of them holds. New ones come first. Knows nothing of measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U32, U64, Bools
from fpdb.errors import BadQuery
from fpdb.pairs import _counting
from fpdb.storage import file_format
from fpdb.storage.posting_scan import scan_postings
from fpdb.storage.reader import Reader
from fpdb.storage.records import Record

NONE: Final = 2**32 - 1  # the rank of what is not compared
NO_U32: Final[U32] = np.empty(0, np.uint32)

Owner = Callable[[Record], bytes | None]


@dataclass(frozen=True)
class Collection:
    """names: by rank. order: the rank's place in the order of names, shape (n,). owners: a number for each, equal for
    those that are never paired, shape (n,), or (0,) where all may be. shares: of how much of all its hashes a
    document's are a sample, see layout.WHOLE; shape (n,). new: how many of the ranks, the first ones, are new.
    monotone: whether ranks rise with ids.
    """

    names: Sequence[bytes]
    order: U32
    owners: U32
    shares: U32
    new: int
    monotone: bool
    pages: U32
    table: U32

    def __len__(self) -> int:
        return len(self.names)

    def name(self, rank: int) -> str:
        """The name of a rank, as a text."""
        return self.names[rank].decode("utf-8", "surrogateescape")


def collect(view: Reader, owner: Owner, is_new: Callable[[Record], bool], *, by_owner: bool) -> Collection:
    """Reads the catalogue once. owner: of a document, None for one that has none, which is then its own; a collection
    by owner is new where one of its documents is."""
    ids: list[int] = []
    names: list[bytes] = []
    owners: list[bytes | None] = []
    new: list[bool] = []
    for number, record in view.catalogue.records():
        ids.append(number)
        names.append(record.name)
        owners.append(owner(record))
        new.append(is_new(record))
    documents = np.array(ids, np.uint32)
    shares = view.catalogue.sizes(documents)["share"].astype(np.uint32)
    fresh = np.array(new, np.bool_)
    if not by_owner:
        numbers = _numbered(owners)
        ranks, members = _new_first(fresh)
        chosen = [names[index] for index in members.tolist()]
        numbers = numbers[members] if len(numbers) else numbers
        return _collection(documents, ranks, chosen, numbers, shares[members], int(fresh.sum()))
    groups, of = _groups(names, owners)
    group_new = np.zeros(len(groups), np.bool_)
    np.logical_or.at(group_new, of, fresh)
    ranks, members = _new_first(group_new)
    least = np.full(len(groups), file_format.WHOLE, np.uint32)
    np.minimum.at(least, of, shares)
    chosen = [groups[index] for index in members.tolist()]
    return _collection(documents, ranks[of], chosen, NO_U32, least[members], int(group_new.sum()))


def posting_lists(view: Reader, documents: Collection) -> Iterator[U32]:
    """The posting lists of all hashes but boilerplate, in order of the hashes, some whole lists at a time, in the form
    of `_counting.lists`. Raises Corrupt."""
    for hashes, holders in scan_postings(view):
        ranks = _counting.ranks_of(holders, documents.pages, documents.table)
        yield _lists(hashes, ranks, documents.monotone)


def owner_rule(source: str) -> Owner:
    """What tells the owner of a document: "label:KEY", that label; "path:N", the first N parts of its name. Raises
    BadQuery."""
    sort, _, what = source.partition(":")
    if sort == "label" and what:

        def labelled(record: Record) -> bytes | None:
            value = record.labels.get(what)
            return None if value is None else value.encode("utf-8", "surrogateescape")

        return labelled
    if sort == "path" and what.isascii() and what.isdecimal() and int(what) > 0:
        count = int(what)
        return lambda record: b"/".join([part for part in record.name.split(b"/") if part not in (b"", b".")][:count])
    raise BadQuery(f"owners are told by path:N or label:KEY, not {source!r}")


def newness_rule(label: tuple[str, str] | None, since: datetime | None) -> Callable[[Record], bool]:
    """Whether a document has the label, and was added at that time or later; all are new where neither is given."""
    moment = None if since is None else since.timestamp()

    def is_new(record: Record) -> bool:
        return (label is None or record.labels.get(label[0]) == label[1]) and (moment is None or record.added >= moment)

    return is_new


def _lists(hashes: U64, ranks: U32, monotone: bool) -> U32:
    if not monotone:
        order = np.lexsort((ranks, hashes))
        hashes, ranks = hashes[order], ranks[order]
    return _counting.lists(hashes, ranks)


def _new_first(new: Bools) -> tuple[U32, NDArray[np.intp]]:
    """The rank of each, new ones first, else in order; and which has each rank."""
    members = np.argsort(~new, kind="stable")
    ranks = np.empty(len(new), np.uint32)
    ranks[members] = np.arange(len(new), dtype=np.uint32)
    return ranks, members


def _numbered(owners: Iterable[bytes | None]) -> U32:
    """Equal numbers for equal owners, another for each that has none; shape (0,) where no two are equal."""
    known: dict[bytes, int] = {}
    numbers = np.array([-1 if each is None else known.setdefault(each, len(known)) for each in owners], np.int64)
    alone = np.flatnonzero(numbers < 0)
    if len(known) + len(alone) == len(numbers):
        return NO_U32
    numbers[alone] = len(known) + np.arange(len(alone))
    return numbers.astype(np.uint32)


def _groups(names: Sequence[bytes], owners: Sequence[bytes | None]) -> tuple[list[bytes], NDArray[np.intp]]:
    """The owners there are, a document without one being its own, and each document's index among them."""
    known: dict[tuple[bool, bytes], int] = {}
    of = [
        known.setdefault((owner is None, name if owner is None else owner), len(known))
        for name, owner in zip(names, owners, strict=True)
    ]
    return [name for _, name in known], np.array(of, np.intp)


def _collection(documents: U32, ranks: U32, names: Sequence[bytes], owners: U32, shares: U32, new: int) -> Collection:
    """documents: ids, ascending; ranks: theirs. The table of ranks is paged, so that ids long gone take no space."""
    by_name = sorted(range(len(names)), key=names.__getitem__)
    order = np.empty(len(names), np.uint32)
    order[by_name] = np.arange(len(names), dtype=np.uint32)
    size = np.uint32(_counting.PAGE)
    used = documents // size
    first_of_page = np.r_[True, used[1:] != used[:-1]][: len(used)]
    page = np.cumsum(first_of_page)  # page 0 has no ranks
    pages = np.zeros(int(used[-1]) + 1 if len(used) else 0, np.uint32)
    pages[used] = page
    table = np.full((int(page[-1]) + 1 if len(page) else 1, _counting.PAGE), NONE, np.uint32)
    table[page, documents % size] = ranks
    monotone = bool((ranks[1:] > ranks[:-1]).all())
    return Collection(names, order, owners, shares, new, monotone, pages, table.reshape(-1))
