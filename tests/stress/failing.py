"""Calls to the system that fail, inside each change of a database: ENOSPC, EIO, and writes that come up short.

`python -m stress.failing FOLDER SEED STRIDE`, under the shim. STRIDE: every so manyth call only.
"""

import errno
import sys
from collections import Counter

from stress.attempts import Changes, attempt, outcome
from stress.forks import fork
from stress.shim import EVERY_KIND, FAIL, FOR_EVER, NAME, SHORT, shim, tell
from stress.workload import small_limits

TROUBLES = [
    (FAIL, errno.ENOSPC, 1),
    (FAIL, errno.ENOSPC, FOR_EVER),
    (FAIL, errno.EIO, 1),
    (FAIL, errno.EIO, FOR_EVER),
    (SHORT, errno.ENOSPC, FOR_EVER),
]
KINDS = EVERY_KIND & ~NAME


def count(say, folder, step, model):
    attempt(lambda *words: None, folder, step, model, lambda: arm(folder, FAIL, 0, 0, 1), lambda: say(disarm()))


def arm(folder, how, nth, error, times):
    shim().shim_watch(folder.encode())
    shim().shim_arm(how, nth, error, KINDS, times)


def disarm():
    counted = shim().shim_counted()
    shim().shim_arm(0, 0, 0, 0, 0)
    return counted


def main(folder, seed, stride):
    small_limits()
    changes = Changes(seed, folder)
    now = f"{folder}/now"
    totals = Counter()
    messages = Counter()
    for what, step in changes.steps.items():
        with changes.copied(now):
            calls = fork(count, now, step, changes.model).said[0][0]
        for turn, trouble in enumerate(TROUBLES):
            for nth in range(1 + (seed + turn) % stride, calls + 1, stride):
                how, error, times = trouble
                with changes.copied(now):
                    ended = fork(
                        attempt, now, step, changes.model, lambda: arm(now, how, nth, error, times), disarm  # noqa: B023
                    )
                raised, message, which, wrong = outcome(ended)
                totals["failures"] += 1
                totals["raised"] += bool(raised)
                if raised:
                    messages[f"{raised}: {message.replace(now, '')}"] += 1
                if wrong is None and raised and which == 1 and step.what == "batch":
                    totals["raised, though done"] += 1
                if wrong is None and not raised and which == 0 and step.what == "batch":
                    wrong = "it was said to be done, and is not"
                if wrong:
                    tell(bad=f"{what}: {errno.errorcode[error]} at call {nth} of {calls}, {times} times ({how}): {wrong}; {raised}: {message}")
                    totals["bad"] += 1
    tell(**totals, messages=messages)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
