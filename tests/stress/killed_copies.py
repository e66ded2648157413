"""Kill backup and compact (kill -9) at every system call: before it, after it, and halfway through a write.

    python -m tests.stress.killed_copies FOLDER SEED STRIDE

The program runs under the shim. STRIDE: try every nth call only.
"""

import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import fpdb
from fpdb.storage.environment.files import BESIDE
from tests.stress.child_process import fork
from tests.stress.shim import EVERY_KIND, FAIL, KILL_AFTER, KILL_BEFORE, KILL_HALFWAY, shim, tell
from tests.stress.workload import History, difference, small_limits


def copy(send, folder, what, how, nth):
    with fpdb.open(f"{folder}/t.fpdb", "r+") as db:
        shim().shim_watch(folder.encode())
        shim().shim_arm(how, nth, 0, EVERY_KIND, 1)
        if what == "backup":
            db.backup(f"{folder}/copy")
        else:
            db.compact()
        send(shim().shim_counted())


def inspect(send, folder, model):
    with fpdb.open(f"{folder}/t.fpdb", "r+") as db:
        wrong = difference(db, model)
        if wrong is None:
            db.add_fingerprints("next", [1])
            db.remove("next")
            wrong = difference(db, model)
    target = f"{folder}/copy"
    if wrong is None and os.path.exists(target):
        with fpdb.open(target, "r") as db:
            wrong = difference(db, model)
    names = {path.name for path in Path(folder).iterdir() if not path.name.endswith((".backup", *BESIDE))}
    if names - {"t.fpdb", "copy"}:
        wrong = f"left behind: {names}"
    send(wrong, os.path.exists(target))


def main(folder, seed, stride):
    small_limits()
    os.mkdir(folder)
    history = History(seed, 20, compact=0, documents=60)
    base, now = f"{folder}/base", f"{folder}/now"
    os.mkdir(base)
    if fork(lambda _: history.make(f"{base}/t.fpdb")).status:
        raise SystemExit("the database could not be made")
    killed = Counter()
    for what in ("backup", "compact"):
        shutil.copytree(base, now)
        calls = fork(copy, now, what, FAIL, 0).messages[0][0]
        shutil.rmtree(now)
        for how in (KILL_BEFORE, KILL_HALFWAY, KILL_AFTER):
            for nth in range(1 + (how + seed) % stride, calls + 1, stride):
                shutil.copytree(base, now)
                child = fork(copy, now, what, how, nth)
                found = fork(inspect, now, history.models[-1])
                shutil.rmtree(now)
                lost = (f"the inspector ended with {found.status}", None)
                wrong, there = found.messages[0] if found.messages else lost
                if wrong or not child.killed:
                    tell(bad=f"{what}, killed at call {nth} of {calls} ({how}): {wrong}, {child}")
                    return
                killed[what] += 1
                killed["copies"] += there
    tell(**killed)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
