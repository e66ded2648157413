"""Forked children that may be killed, starved or go astray: what they said, and how they ended."""

import json
import os
import select
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field

PATIENCE = 60  # seconds after which a child hangs


@dataclass
class Ended:
    """said: the objects that the child said, in order. status: its exit status, or the negative number of the signal."""

    said: list = field(default_factory=list)
    status: int = 0

    @property
    def killed(self):
        return self.status == -signal.SIGKILL


def fork(work, *arguments, kill_after=None):
    """Runs `work(say, *arguments)` in a child to its end, or for so many seconds. A child that hangs is an error."""
    sys.stdout.flush()
    sys.stderr.flush()
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        status = 1
        try:
            work(lambda *words: os.write(write, json.dumps(words).encode() + b"\n"), *arguments)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(write)
    data = b""
    deadline = time.monotonic() + (PATIENCE if kill_after is None else kill_after)
    while select.select([read], [], [], max(0, deadline - time.monotonic()))[0]:
        piece = os.read(read, 1 << 16)
        data += piece
        if not piece:
            break
    else:
        os.kill(child, signal.SIGKILL)
        while piece := os.read(read, 1 << 16):
            data += piece
        if kill_after is None:
            os.waitpid(child, 0)
            raise TimeoutError(f"a child hung; it said {data[-1000:]!r}")
    os.close(read)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Ended([json.loads(line) for line in data.splitlines()], status)
