"""Let system calls fail inside each change of a database: ENOSPC, EIO, and short writes.

    python -m tests.stress.failing_calls FOLDER WHAT SEED STRIDE

The program runs under the shim. WHAT: "library" or "commands". STRIDE: try every nth call only.
"""

import errno
import os
import sys
from collections import Counter
from functools import partial

import fpdb
from fpdb.cli.program import cli
from tests.stress.child_process import fork
from tests.stress.fault_injection import SampleChanges, attempt, outcome
from tests.stress.shim import EVERY_KIND, FAIL, FOR_EVER, NAME, SHORT, shim, tell
from tests.stress.workload import difference, matching_model, small_limits

TROUBLES = [
    (FAIL, errno.ENOSPC, 1),
    (FAIL, errno.ENOSPC, FOR_EVER),
    (FAIL, errno.EIO, 1),
    (FAIL, errno.EIO, FOR_EVER),
    (SHORT, errno.ENOSPC, FOR_EVER),
]
KINDS = EVERY_KIND & ~NAME


def count(send, folder, step, model):
    attempt(lambda *_: None, folder, step, model, lambda: arm(folder, FAIL, 0, 0, 1), lambda: send(disarm()))


def arm(folder, how, nth, error, times):
    shim().shim_watch(folder.encode())
    shim().shim_arm(how, nth, error, KINDS, times)


def disarm():
    counted = shim().shim_counted()
    shim().shim_arm(0, 0, 0, 0, 0)
    return counted


def command(send, folder, words, nth, trouble):
    """Run a command with a fault from the start; send its exit status and its standard error."""
    how, error, times = trouble
    with open(f"{folder}/../stderr", "w+b") as stderr:
        os.dup2(stderr.fileno(), 2)
        os.dup2(stderr.fileno(), 1)
        arm(folder, how, nth, error, times)
        try:
            cli(["--db", f"{folder}/t.fpdb", *words], prog_name="fpdb")
        except SystemExit as ended:
            status = ended.code
        counted = disarm()
        stderr.seek(0)
        send("exit", status, stderr.read().decode(), counted)


def inspect(send, folder, models):
    with fpdb.open(f"{folder}/t.fpdb", "r+") as db:
        send("left", difference(db, *models), matching_model(db, models))


def library(changes, now, stride, seed):
    """Let every call of every change fail."""
    totals, messages = Counter(), set()
    for what, step in changes.steps.items():
        with changes.copied(now):
            calls = fork(count, now, step, changes.model).messages[0][0]
        for turn, (how, error, times) in enumerate(TROUBLES):
            for nth in range(1 + (seed + 37 * turn) % stride, calls + 1, stride):
                with changes.copied(now):
                    ended = fork(attempt, now, step, changes.model, partial(arm, now, how, nth, error, times), disarm)
                raised, message, which, wrong = outcome(ended)
                totals["failures"] += 1
                totals["raised"] += bool(raised)
                if raised:
                    messages.add(f"{raised}: {message.replace(now, '')}")
                if step.what == "batch" and wrong is None and which != (not raised):
                    wrong = "it was said to be done, and is not, or the other way round"
                if wrong:
                    name = errno.errorcode[error]
                    tell(bad=f"{what}: {name} at call {nth} of {calls}, {times} times ({how}): {wrong}; {message}")
    tell(**totals, messages=sorted(messages))


def commands(changes, now, stride, seed):
    """Let every call of commands fail: they must end with status 1 and one line, or succeed."""
    texts = f"{changes.folder}/texts"
    os.mkdir(texts)
    for number in range(3):
        with open(f"{texts}/{number}", "w") as file:
            file.write(f"{number} " + " ".join(str(number * i * i) for i in range(300)))
    removed = next(iter(sorted(changes.model)))
    without = {name: value for name, value in changes.model.items() if name != removed}
    totals, messages = Counter(), set()
    for words, models in (
        (["add", texts], None),
        (["remove", removed], [changes.model, without]),
        (["compact"], [changes.model]),
        (["backup", f"{now}/copy"], [changes.model]),
        (["check"], [changes.model]),
    ):
        with changes.copied(now):
            calls = fork(command, now, words, 0, TROUBLES[0]).messages[0][3]
        for turn, trouble in enumerate(TROUBLES):
            for nth in range(1 + (seed + 37 * turn) % stride, calls + 1, stride):
                with changes.copied(now):
                    ended = fork(command, now, words, nth, trouble)
                    _, status, text, _ = ended.messages[0] if ended.messages else ("", ended.status, "", 0)
                    if models is None:
                        again = fork(command, now, words, 0, trouble)
                        wrong = again.messages[0][1] and again.messages[0][2]
                    else:
                        found = fork(inspect, now, models)
                        wrong = found.messages[0][1] if found.messages else found
                totals["commands"] += 1
                totals["status 1"] += status == 1
                lines = text.splitlines()
                if status == 1:
                    messages.add(lines[-1].replace(now, ""))
                graceful = status == 0 or (status == 1 and lines[-1].startswith("fpdb: "))
                if wrong or not graceful or "Traceback" in text:
                    tell(bad=f"{words}: call {nth} of {calls}, {trouble}: {wrong}; status {status}: {text}")
    tell(**totals, messages=sorted(messages))


def main(folder, what, seed, stride):
    small_limits()
    {"library": library, "commands": commands}[what](SampleChanges(seed, folder), f"{folder}/now", stride, seed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
