"""Limit the memory of a process that reads a database from somebody else, which may have been made to fill it."""

import os
import resource
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

FIXED: Final = 1 << 31
"""Bytes that are allowed for a file of any size; pyarrow alone reserves half of them."""
FACTOR: Final = 3
"""Bytes that are allowed in addition for each byte of the files."""


@contextmanager
def limited_memory(paths: Iterable[str]) -> Iterator[None]:
    """Limit the data of this process, and of those that it starts, in the block; the files at `paths` set the limit.

    The map of a database is no data, so that the limit does not depend on it. macOS has no such limit.
    """
    size = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
    before, largest = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [FIXED + FACTOR * size, *(limit for limit in (before, largest) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), largest))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, largest))
