"""Examine the pages of a file before LMDB reads it, since LMDB follows whatever damaged pages say.

Knows the container, and nothing of what is stored. Values are not read.
"""

import mmap
import os
import time

from fpdb.storage.environment import _page_check
from fpdb.storage.environment._page_check import PAGE
from fpdb.storage.environment.page_format import ROOTS, Meta, newest_meta

MAX_PAGES = 1 << 12
"""Pages of trees and free lists that are examined when a file is opened; about 1 in 100 pages of a file is one, and a
thousand take about a millisecond. Those beyond are taken on trust until `check` reads everything."""
QUICK_PAGES = 1 << 14
"""Those that are examined by a quick check."""
TRIES = 5


def last_transaction(path: str) -> int | None:
    """Return the last transaction of a file; None where there is none to be seen. Raises OSError."""
    with open(path, "rb") as file:
        meta = newest_meta(file.read(2 * PAGE))
    return None if meta is None else meta.transaction


def find_fault(file: int, transaction: int, limit: int | None = None) -> str | None:
    """Return what keeps LMDB from reading a commit, in a few words, or None.

    Args:
        file: A descriptor.
        transaction: The commit's, which the caller reads, so that no writer uses its pages again.
        limit: The number of pages that are examined; by default MAX_PAGES.
    """
    limit = MAX_PAGES if limit is None else limit
    with mmap.mmap(file, 0, prot=mmap.PROT_READ) as pages:
        pages.madvise(mmap.MADV_RANDOM)  # what lies around a page is not read with it
        for left in reversed(range(TRIES)):
            fault = _find_meta_fault(pages, transaction) or _page_check.examine(pages, transaction & 1, limit)
            newest = newest_meta(pages[: 2 * PAGE])
            if fault is None or not left or (newest is not None and newest.transaction > transaction + 1):
                return fault  # after two more commits there is nothing left to look at
            time.sleep(0.01)  # a writer may have been at work on a meta page
    return None


def mentions(file: int, key: bytes) -> bool:
    """Return True if the key is anywhere in the file."""
    with mmap.mmap(file, 0, prot=mmap.PROT_READ) as pages:
        return pages.find(key) >= 0


def clear_failed_meta(path: str) -> None:
    """Mend the meta page of a commit that the disk failed at.

    LMDB puts the number of the commit before last back, and leaves the roots of trees that never were. They are
    blanked: a page with other roots than its number's is one whose number is damaged. The caller keeps writers out.
    Raises OSError.
    """
    with open(path, "r+b", buffering=0) as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as pages:
        commits = _commits(pages)
        older = int(commits[0] >= commits[1])
        if _page_check.last_change(pages, older) not in (0, commits[older]):
            os.pwrite(file.fileno(), bytes(ROOTS.stop - ROOTS.start), older * PAGE + ROOTS.start)
            os.fsync(file.fileno())


def _commits(pages: mmap.mmap) -> list[int]:
    """Return the commit that each of the meta pages is of."""
    start = pages[: 2 * PAGE]
    return [meta.transaction for number in (0, 1) if (meta := Meta.read(start, number)) is not None]


def _find_meta_fault(pages: mmap.mmap, transaction: int) -> str | None:
    """Compare the meta pages with each other and with the pages that they note as freed.

    A commit writes the meta page of its parity, so the two are one transaction apart, or there was none yet; and it
    notes which pages it freed, so that one cannot pass for another whose number differs, unless it was cleared. The
    pages that the older one notes are not written before the page itself is.
    """
    commits = _commits(pages)
    if commits[transaction & 1] != transaction:
        return "the meta pages change"
    if commits != [0, 0] and (abs(commits[0] - commits[1]) != 1 or commits[0] & 1):
        return f"the meta pages are of commits {commits[0]} and {commits[1]}"
    for number, commit in enumerate(commits):
        changed = _page_check.last_change(pages, number)
        if changed not in (0, commit):
            return f"meta page {number} says commit {commit}, its pages say {changed}"
    return None
