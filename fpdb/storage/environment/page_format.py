"""The layout of LMDB's pages (file format 1, 4096 bytes a page), as far as they are read without LMDB.

The numbers that the kernel shares, such as PAGE, are in `_page_check`.
"""

import struct
from typing import Final, NamedTuple

from fpdb.storage.environment._page_check import HEADER, PAGE, TREE_RECORD

MAGIC: Final = 0xBEEFC0DE
NOWHERE: Final = 2**64 - 1  # the root of an empty tree
ONE_PAGE_VALUE: Final = PAGE - 24  # bytes: with the header of the newer format (24), the most that one page takes

PAGE_HEADER: Final = struct.Struct("<QHHHH")  # page number, pad, flags, lower and upper end of the free space
NODE_HEADER: Final = struct.Struct("<IHH")  # size of the value, flags, bytes of the key
TREE: Final = struct.Struct("<4xHH32xQ")  # flags, depth, root
_META: Final = struct.Struct(f"<{HEADER}xII16x{TREE_RECORD}s{TREE_RECORD}sQQ")

# In a meta page: the records of its two trees, behind the page size and flags in the first.
ROOTS: Final = slice(HEADER + 24 + 6, HEADER + 24 + 2 * TREE_RECORD)


class Meta(NamedTuple):
    """A meta page. free, main: the records of the trees of free pages and of named databases."""

    magic: int
    version: int
    free: bytes
    main: bytes
    last_page: int
    transaction: int

    @classmethod
    def read(cls, pages: bytes, number: int) -> "Meta | None":
        """Return meta page 0 or 1; None where the bytes end before it."""
        start = number * PAGE
        return cls(*_META.unpack_from(pages, start)) if len(pages) >= start + _META.size else None

    @property
    def is_known(self) -> bool:
        """True if LMDB would read a file with such a page."""
        page_size = int.from_bytes(self.free[:4], "little")
        return (self.magic, self.version, page_size) == (MAGIC, 1, PAGE)


def newest_meta(pages: bytes) -> Meta | None:
    """Return the newer meta page of a file that begins so; None where LMDB would see none."""
    metas = [meta for number in (0, 1) if (meta := Meta.read(pages, number)) is not None and meta.is_known]
    return max(metas, key=lambda meta: (meta.transaction, meta.last_page), default=None)
