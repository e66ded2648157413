"""When Python's collector of cycles is to run: it looks at all objects again whenever many more were made than dropped,
which takes a good part of the time where a batch of documents is put together. Almost none of these are in cycles."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 50_000
"""Objects more than before, instead of Python's 700 (2,000 from 3.13 on)."""


def collect_rarely() -> None:
    """For a process of ours, which also need not look at what goes with it when it ends."""
    gc.set_threshold(SELDOM)
    atexit.register(gc.freeze)


@contextmanager
def gc_paused() -> Iterator[None]:
    """For work of bounded size in a process of others: what it makes and drops would set off collections, which look at
    all objects of the process."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
