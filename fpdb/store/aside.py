"""Work done beside the caller's: sorting and compressing let go of the interpreter, so that a second core can do it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

P = ParamSpec("P")
T = TypeVar("T")


class Aside:
    """A thread that does one thing after the other while its maker goes on; usable in one `with` block.

    worthwhile: whether there is enough to do for a thread; if not, each thing is done when it is begun.
    """

    def __init__(self, *, worthwhile: bool) -> None:
        self._threads: ThreadPoolExecutor | None = None
        if worthwhile:
            from concurrent.futures import ThreadPoolExecutor  # not for every small commit of a new process

            self._threads = ThreadPoolExecutor(1, thread_name_prefix="fpdb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)

    def begin(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
        """Begins a piece of work; what is returned waits for it, and gives its result or raises what it raised."""
        if self._threads is not None:
            with suppress(RuntimeError):  # no thread can be started: there are too many, or no room for its stack
                return self._threads.submit(work, *args, **kwargs).result
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None
        done = work(*args, **kwargs)
        return lambda: done
