"""Run a function in a forked child that may be killed, starved or hang; report its messages and its status."""

import faulthandler
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
class ChildResult:
    """The messages of a child, in order, and its exit status, or the negative number of its signal."""

    messages: list = field(default_factory=list)
    status: int = 0

    @property
    def killed(self):
        return self.status == -signal.SIGKILL


def fork(work, *arguments, kill_after=None):
    """Run `work(send, *arguments)` in a child, to its end or for `kill_after` seconds.

    A child that hangs is aborted; its last message is "hung".
    """
    sys.stdout.flush()
    sys.stderr.flush()
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        faulthandler.enable()
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
        os.kill(child, signal.SIGKILL if kill_after is not None else signal.SIGABRT)  # that tells where it hangs
        while piece := os.read(read, 1 << 16):
            data += piece
        if kill_after is None:
            data += b'["hung"]\n'
    os.close(read)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return ChildResult([json.loads(line) for line in data.splitlines()], status)
