"""Call functions of `sandbox_worker` in another process, under limits of time and memory.

Parsers in C, and lexers by regular expressions, take quadratic time or worse on some malformed documents, and may
crash; neither can be stopped from within. The process starts when first needed, one for each process of ours, and again
after it had to be killed.
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
from fpdb.limits import Reading
from fpdb.readers import sandbox_worker

SECONDS_TO_START = 60.0

_CHUNK = 1 << 20
_FRAME = 1 << 16
"""Bytes of an answer that do not count: names of columns and the like."""
# Arrow's own allocator, and those of threads, reserve memory that they do not use.
_ENVIRONMENT = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}


class OutOfMemory(Unreadable):
    """Reading the document takes more memory than is allowed, or ended the process, perhaps for that reason."""


class Sandbox:
    """The worker process, if it runs; one call at a time."""

    def __init__(self, *packages: str) -> None:
        """Make a sandbox whose process starts with the first call; packages: it imports them then."""
        self._packages = packages
        self._lock = threading.Lock()
        atexit.register(self.stop)
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def call(self, function: str, *arguments: object, reading: Reading) -> Any:
        """Return the result of a function of `sandbox_worker`; Unreadable if it refuses, exceeds a limit or crashes."""
        limits = reading.limits
        with self._lock:
            try:
                process = self._start()
                request = [function, arguments, limits.seconds, limits.memory, limits.text_bytes + _FRAME]
                answer = _exchange(process, msgpack.packb(request), max(reading.deadline, time.monotonic()))
            except (EOFError, BrokenPipeError) as error:
                self.stop()
                reason = f"the program that was to read it crashed; perhaps {limits.memory_fault()}"
                raise OutOfMemory(reason) from error
            except TimeoutError as error:
                self.stop()
                raise Unreadable(limits.time_fault()) from error
            except BaseException:  # half an answer may be on its way
                self.stop()
                raise
            result, refusal, is_out_of_memory = answer
            if is_out_of_memory:  # what it holds on to would be missing for the next document
                self.stop()
                raise OutOfMemory(limits.memory_fault())
        if refusal is not None:
            raise Unreadable(refusal)
        return result

    def stop(self) -> None:
        """Kill the process, unless it belongs to a process that this one was forked from."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _start(self) -> subprocess.Popen[bytes]:
        """Return the process, started if need be."""
        if self._process is None or self._owner != os.getpid():
            # -P: modules in the worker's folder have names of the standard library.
            command = [sys.executable, "-P", sandbox_worker.__file__, *self._packages]
            environment = {**os.environ, **_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            # No shell takes part: the program is this Python, with a file of this package. Documents come by the pipe.
            self._process = subprocess.Popen(  # noqa: S603 (this Python, no shell)
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
            )
            self._owner = os.getpid()
            _receive(self._process, len(sandbox_worker.READY), time.monotonic() + SECONDS_TO_START)
        return self._process


def _exchange(process: subprocess.Popen[bytes], request: bytes, deadline: float) -> Any:
    requests = cast("IO[bytes]", process.stdin)
    requests.write(len(request).to_bytes(8))
    requests.write(request)
    requests.flush()
    length = int.from_bytes(_receive(process, 8, deadline))
    return msgpack.unpackb(_receive(process, length, deadline), max_bin_len=length, max_str_len=length)


def _receive(process: subprocess.Popen[bytes], size: int, deadline: float) -> bytearray:
    """Return `size` bytes of the output; EOFError if it ends before, TimeoutError if they come too late."""
    pipe = cast("IO[bytes]", process.stdout).fileno()
    received = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while len(received) < size:
            if not selector.select(max(deadline - time.monotonic(), 0)):
                raise TimeoutError
            chunk = os.read(pipe, min(size - len(received), _CHUNK))
            if not chunk:
                raise EOFError
            received += chunk
    return received


SANDBOX = Sandbox()
