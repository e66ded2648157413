"""Work done beside the caller's: sorting and compressing let go of the interpreter, so that a second core can do it.

Nobody may wait for ever for a thread that died of a lack of memory, as with `threading` and `concurrent.futures`, where
the thread itself has to tell that it has started and ended.
"""

from __future__ import annotations

import threading
import weakref
from _thread import start_new_thread
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LOOK = 0.5  # seconds after which to look whether a thread is still there


class Aside:
    """Does one thing after the other in a thread while its maker goes on; usable in one `with` block.

    worthwhile: whether there is enough to do for a thread; if not, each thing is done when it is begun, as it is where
    no thread can be started.
    """

    def __init__(self, *, worthwhile: bool) -> None:
        self._worthwhile = worthwhile
        self._last: Piece[Any] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._last is not None:
            self._last.wait()

    def begin(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Piece[T]:
        """Begins a piece of work, when what was begun before has ended."""
        if self._last is not None:
            self._last.wait()
        piece = Piece(partial(work, *args, **kwargs))
        if self._worthwhile and piece.start():
            self._last = piece
        else:
            piece.run()
        return piece


class _Sign:
    """Of life: the thread holds the only reference to it."""


class Piece(Generic[T]):
    """A piece of work."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._sign: weakref.ref[_Sign] | None = None
        self._running = threading.Lock()
        self._running.acquire()
        self._results: list[T] = []
        self._failure: BaseException | None = None

    def start(self) -> bool:
        """Starts a thread that does the work; whether that was possible."""
        sign = _Sign()
        self._sign = weakref.ref(sign)
        try:
            start_new_thread(self.run, (sign,))
        except RuntimeError:  # there are too many threads, or there is no room for its stack
            return False
        return True

    def run(self, _: _Sign | None = None) -> None:
        """Does the work."""
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._failure = error
        finally:
            self._running.release()

    def wait(self) -> None:
        """Returns when the work has ended."""
        gone = False
        while not self._running.acquire(timeout=LOOK) and not gone:
            gone = self._sign is not None and self._sign() is None  # then once more: it may have ended just now
        self._running.release()

    def result(self) -> T:
        """What the work returned, when it has ended. Raises what it raised, or MemoryError where its thread died."""
        self.wait()
        if self._failure is not None:
            raise self._failure
        if not self._results:
            raise MemoryError("a thread found no memory")
        return self._results[0]
