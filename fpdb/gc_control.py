"""Control of Python's collector of cycles.

It looks at all objects whenever many more were made than dropped, which takes a good part of the time of putting a
batch of documents together. Almost none of these objects are in cycles.
"""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARE_THRESHOLD = 50_000
"""New objects that set off a collection, instead of Python's 700 (2,000 from 3.13 on)."""


def collect_rarely() -> None:
    """Collect cycles rarely in a process of fpdb, and not at all when it ends."""
    gc.set_threshold(RARE_THRESHOLD)
    atexit.register(gc.freeze)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Collect no cycles during work of bounded size: a collection looks at all objects of the caller's process."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
