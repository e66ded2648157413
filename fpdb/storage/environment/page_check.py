"""Whether LMDB may read a file: it follows what damaged pages say, out of the file or to the wrong page, so they are
examined before it does.

Knows the container (LMDB file format 1), and nothing of what is stored. Values are not read.
"""

from __future__ import annotations

import mmap
import os
import struct
import time

from fpdb.storage.environment import _page_check

PAGE = 4096
MOST_PAGES = 1 << 14
"""Pages of trees and free lists that are examined when a file is opened; about 1 in 100 pages of a file is one, and a
thousand take about a millisecond. Those beyond are taken on trust until `check` reads everything."""

_META = struct.Struct(
    "<16x2I2QI92x2Q"
)  # page header; magic, version, address, map size, page size; last page, transaction
_ROOTS = slice(46, 136)  # of a meta page: the records of its two trees, behind the page size and flags in the first
_MAGIC = 0xBEEFC0DE
_TRIES = 5


def newest(pages: bytes | mmap.mmap) -> tuple[int, int] | None:
    """The last transaction of a file that begins so, and how many pages it counts; None where LMDB would see none."""
    found = []
    for start in (0, PAGE):
        if len(pages) >= start + _META.size:
            magic, version, _, _, page_size, last_page, transaction = _META.unpack_from(pages, start)
            if (magic, version, page_size) == (_MAGIC, 1, PAGE):
                found.append((transaction, last_page + 1))
    return max(found, default=None)


def transaction(path: str) -> int | None:
    """The last transaction of a file; None where there is none to be seen. Raises OSError."""
    with open(path, "rb") as file:
        found = newest(file.read(2 * PAGE))
    return None if found is None else found[0]


def fault(file: int, transaction: int) -> str | None:
    """What keeps LMDB from reading a commit, in a few words; None: nothing that was looked at.

    file: its descriptor. transaction: the commit's, which the caller reads, so that no writer uses its pages again.
    """
    with mmap.mmap(file, 0, prot=mmap.PROT_READ) as pages:
        for last in range(1 - _TRIES, 1):
            found = _meta_fault(pages, transaction) or _page_check.examine(pages, transaction & 1, MOST_PAGES)
            seen = newest(pages)
            if found is None or not last or (seen is not None and seen[0] > transaction + 1):
                return found  # the last: two commits on, there is nothing left to look at
            time.sleep(0.01)  # a writer may have been at work on a meta page
    return None


def mentions(file: int, key: bytes) -> bool:
    """Whether the key is anywhere in the file."""
    with mmap.mmap(file, 0, prot=mmap.PROT_READ) as pages:
        return pages.find(key) >= 0


def put_back(path: str) -> None:
    """Mends the meta page of a commit that the disk failed at: LMDB puts the number of the commit before last back, and
    leaves the roots of trees that never were. They are blanked: a page with them is one whose number is damaged.

    The caller keeps writers out. Raises OSError.
    """
    with open(path, "r+b", buffering=0) as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as pages:
        commits = _commits(pages)
        other = int(commits[0] >= commits[1])  # than the one that LMDB reads
        if _page_check.last_change(pages, other) not in (0, commits[other]):
            os.pwrite(file.fileno(), bytes(_ROOTS.stop - _ROOTS.start), other * PAGE + _ROOTS.start)
            os.fsync(file.fileno())


def _commits(pages: mmap.mmap) -> list[int]:
    """Which commit each of the meta pages is of."""
    return [_META.unpack_from(pages, start)[-1] for start in (0, PAGE)]


def _meta_fault(pages: mmap.mmap, transaction: int) -> str | None:
    """A commit writes the meta page of its parity, so the two are one transaction apart, or there was none yet; and it
    notes which pages it freed, so that one cannot pass for another whose number differs, unless `put_back` blanked it.
    The pages that the older one notes are not written before the page itself is."""
    metas = _commits(pages)
    if metas[transaction & 1] != transaction:
        return "the meta pages change"
    if metas != [0, 0] and (abs(metas[0] - metas[1]) != 1 or metas[0] & 1):
        return f"the meta pages are of commits {metas[0]} and {metas[1]}"
    for meta in (0, 1):
        changed = _page_check.last_change(pages, meta)
        if changed not in (0, metas[meta]):
            return f"meta page {meta} says commit {metas[meta]}, its pages say {changed}"
    return None
