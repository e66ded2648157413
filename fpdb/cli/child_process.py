"""Run a command in a child process, for a file whose reader may be ended: LMDB trusts a file that nobody writes to."""

import os
import signal
import sys
from typing import Final

from fpdb.cli.terminal import say

_ENDS_READER: Final = (signal.SIGABRT, signal.SIGBUS, signal.SIGSEGV)
_OF_TERMINAL: Final = (signal.SIGINT, signal.SIGQUIT)
_PASSED_ON: Final = (signal.SIGTERM, signal.SIGHUP)


def continue_in_child() -> None:
    """Return in a child process; this one waits for it, and ends as it does.

    If reading the file ends the child, this process says so, and exits with status 1.
    """
    signals = {*_OF_TERMINAL, *_PASSED_ON}
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    child = os.fork()
    if child:
        for number in _OF_TERMINAL:
            signal.signal(number, signal.SIG_IGN)  # the terminal sends it to the child as well
        for number in _PASSED_ON:
            signal.signal(number, lambda number, _: os.kill(child, number))
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    if child:
        _end_like(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _end_like(status: int) -> None:
    """Exit with the status of a child, or by the signal that has ended it (negative)."""
    if -status in _ENDS_READER:
        say(
            f"fpdb: {signal.Signals(-status).name} ended the process that read the database: it was written to while "
            f"it was open as immutable, or it is damaged; read it without --immutable, or a copy of it, or run "
            f"'fpdb --immutable check'"
        )
        status = 1
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)
