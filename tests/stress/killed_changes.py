"""Kill a random history (kill -9) at a random system call or moment, and compare what is left with the model.

    python -m tests.stress.killed_changes FOLDER SEED KILLS

The program runs under the shim.
"""

import os
import random
import sys
from collections import Counter
from pathlib import Path

import fpdb
from fpdb.storage.environment.files import BESIDE
from fpdb.storage.store import Store
from tests.stress.child_process import fork
from tests.stress.shim import EVERY_KIND, KILL_AFTER, KILL_BEFORE, KILL_HALFWAY, shim, tell
from tests.stress.workload import History, difference, matching_model, small_limits

STEPS = 12


def work(send, folder, history, how, nth):
    merge = Store._merge

    def told(store, group):
        send("merge")
        merge(store, group)
        send("merged")

    Store._merge = told
    shim().shim_watch(folder.encode())
    with fpdb.open(f"{folder}/t.fpdb", "r+") as db:
        if how:
            shim().shim_arm(how, nth, 0, EVERY_KIND, 1)
        history.perform(db, send)


def inspect(send, folder, models, tidy):
    """Send what is wrong, and which of the models is there."""
    with fpdb.open(f"{folder}/t.fpdb", "r+") as db:
        wrong = difference(db, *models)
        which = matching_model(db, models)
        if tidy and wrong is None:
            db.add_fingerprints("next", [1])
            db.remove("next")
            wrong = difference(db, *models)
            left = {path.name for path in Path(folder).iterdir()} - {f"t.fpdb{beside}" for beside in ("", *BESIDE)}
            if left:
                wrong = f"left behind: {left}"
    send(wrong, which)


def main(folder, seed, kills):
    small_limits()
    rng = random.Random(seed)
    os.mkdir(folder)
    fpdb.open(f"{folder}/t.fpdb", "x").close()
    model = {}
    inside = Counter()
    killed = lives = 0
    while killed < kills:
        lives += 1
        history = History(seed * 100_000 + lives, STEPS, model)
        how = rng.choice([None, KILL_BEFORE, KILL_AFTER, KILL_HALFWAY])
        moment = None if how else rng.uniform(0.005, 0.25)
        child = fork(work, folder, history, how, int(2 ** rng.uniform(0, 9)), kill_after=moment)
        done = sum(words[0] == "end" for words in child.messages)
        begun = sum(words[0] == "begin" for words in child.messages)
        models = history.models[done : begun + 1]
        if child.killed:
            killed += 1
            merging = child.messages and child.messages[-1][0] == "merge"
            inside["merge" if merging else history.steps[done].what if begun > done else "nothing"] += 1
        elif child.status:
            tell(bad=f"life {lives} ended with {child.status}: {child.messages[-3:]}")
            return
        found = fork(inspect, folder, models, killed % 7 == 0)
        wrong, which = found.messages[0] if found.messages else (f"the inspector ended with {found.status}", None)
        if wrong:
            tell(bad=f"life {lives}: {wrong}")
            return
        model = models[which]
    tell(killed=killed, inside=inside)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
