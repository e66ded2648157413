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
from fpdb.readers import sandbox_worker

SECONDS = 10.0
SECONDS_TO_START = 60.0
BYTES_A_SECOND = 500_000

_CHUNK = 1 << 20


class Sandbox:
    """The worker process, if it runs; one call at a time."""

    def __init__(self) -> None:
        """Make a sandbox whose process starts with the first call."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def call(self, function: str, *arguments: object, size: int, pace: int = BYTES_A_SECOND) -> Any:
        """Return the result of a function of `sandbox_worker`; Unreadable if it refuses, takes too long or crashes.

        size: bytes of the document. pace: bytes per second of the slowest run that is waited for.
        """
        seconds = SECONDS + size / pace
        with self._lock:
            try:
                process = self._start()
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
        result, refusal = answer
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
            command = [sys.executable, "-P", sandbox_worker.__file__]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            self._process = subprocess.Popen(  # noqa: S603 (no shell; this very Python and a file of ours)
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
            )
            self._owner = os.getpid()
            # Apart from the call's time limit: a machine that is slow to start is not the document's fault.
            _receive(self._process, len(sandbox_worker.READY), time.monotonic() + SECONDS_TO_START)
        return self._process


def _exchange(process: subprocess.Popen[bytes], request: bytes, deadline: float) -> Any:
    requests = cast("IO[bytes]", process.stdin)
    requests.write(len(request).to_bytes(8) + request)
    requests.flush()
    length = int.from_bytes(_receive(process, 8, deadline))
    return msgpack.unpackb(_receive(process, length, deadline), max_bin_len=length, max_str_len=length)


def _receive(process: subprocess.Popen[bytes], size: int, deadline: float) -> bytes:
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
    return bytes(received)


SANDBOX = Sandbox()
atexit.register(SANDBOX.stop)
