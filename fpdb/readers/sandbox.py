"""Calls functions of `foreign` in a process apart, under limits of time and memory.

Parsers in C, and lexers by regular expressions, take time that is quadratic or worse in some documents that are none,
and may crash; neither can be stopped from within. The process is started when first needed, one for each of ours, and
again after it had to be killed.
"""

import atexit
import os
import selectors
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import IO, Any, cast

import msgpack

from fpdb.errors import Unreadable
from fpdb.readers import sandbox_worker

SECONDS = 10.0
SECONDS_TO_START = 60.0
BYTES_A_SECOND = 500_000

_CHUNK = 1 << 20


class Helper:
    """The process, or none; one call at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def call(self, function: str, *arguments: object, size: int, pace: int = BYTES_A_SECOND) -> Any:
        """What a function of `foreign` gives. size: of the document, in bytes. pace: bytes a second that are slow, and
        still to be waited for.

        Unreadable: it is refused, takes too long or crashes.
        """
        seconds = SECONDS + size / pace
        with self._lock:
            try:
                process = self._started()
                answer = _exchange(process, msgpack.packb([function, arguments]), time.monotonic() + seconds)
            except (EOFError, BrokenPipeError) as error:
                self.stop()
                raise Unreadable("the program that was to read it crashed") from error
            except TimeoutError as error:
                self.stop()
                raise Unreadable(f"reading it took more than {seconds:.0f} s") from error
            except BaseException:  # half an answer may be on its way
                self.stop()
                raise
        result, wrong = answer
        if wrong is not None:
            raise Unreadable(wrong)
        return result

    def stop(self) -> None:
        """Kill the process, if there is one; that of a process which this one was forked from is left alone."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():
            # -P: the folder of that file has modules that are named like those of the library.
            command = [sys.executable, "-P", sandbox_worker.__file__]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            self._process = subprocess.Popen(  # noqa: S603 (no shell; this very Python and a file of ours)
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
            )
            self._owner = os.getpid()
            # A machine that is slow to start it is no fault of the document's.
            _receive(_output(self._process), len(sandbox_worker.READY), time.monotonic() + SECONDS_TO_START)
        return self._process


def _exchange(process: subprocess.Popen[bytes], request: bytes, deadline: float) -> Any:
    asked = cast("IO[bytes]", process.stdin)  # a pipe, see `_started`
    asked.write(len(request).to_bytes(8) + request)
    asked.flush()
    received = _output(process)
    length = int.from_bytes(_receive(received, 8, deadline))
    return msgpack.unpackb(_receive(received, length, deadline), max_bin_len=length, max_str_len=length)


def _output(process: subprocess.Popen[bytes]) -> int:
    return cast("IO[bytes]", process.stdout).fileno()  # as above


def _receive(pipe: int, size: int, deadline: float) -> bytes:
    """So many bytes; EOFError if there are fewer, TimeoutError if they come too late."""
    parts = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while len(parts) < size:
            if not selector.select(max(deadline - time.monotonic(), 0)):
                raise TimeoutError
            part = os.read(pipe, min(size - len(parts), _CHUNK))
            if not part:
                raise EOFError
            parts += part
    return bytes(parts)


HELPER = Helper()
atexit.register(HELPER.stop)
