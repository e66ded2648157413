"""Run a command in a child process, for a file whose reader may be ended: LMDB trusts a file that nobody writes to."""

import os
import signal
import sys
from typing import Final

from fpdb.cli.terminal import say

_ENDS_READER: Final = (signal.SIGABRT, signal.SIGBUS, signal.SIGSEGV)
_OF_TERMINAL: Final = (signal.SIGINT, signal.SIGQUIT)
_PASSED_ON: Final = (signal.SIGTERM, signal.SIGHUP)
_IF_ENDED: Final = os.WEXITED | os.WNOHANG | os.WNOWAIT


def continue_in_child() -> None:
    """Return in a child process; this one waits for it, and ends as it does.

    If reading the file ends the child, this process says so, and exits with status 1.
    """
    awaited = {signal.SIGCHLD, *(number for number in _PASSED_ON if signal.getsignal(number) != signal.SIG_IGN)}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, the child would leave no status
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*awaited, *_OF_TERMINAL})
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    for number in _OF_TERMINAL:
        signal.signal(number, signal.SIG_IGN)  # the terminal sends it to the child as well
    # The signals stay blocked, and are taken one by one: a handler would miss one that comes just before a wait begins.
    while os.waitid(os.P_PID, child, _IF_ENDED) is None:
        taken = signal.sigwait(awaited)
        if taken != signal.SIGCHLD:
            os.kill(child, taken)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
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
