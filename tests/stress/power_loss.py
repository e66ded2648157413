"""Simulate a loss of power: log a history, build folders that a loss of power may leave, and open them.

    python -m tests.stress.power_loss FOLDER SEED STATES WHAT SYNCS

The program runs under the shim. WHAT: "changes", or "copies" (states inside backup and compact only). SYNCS: "as they
are", or the syncs that are left out as a control that the simulation finds their absence: "data", "meta" (both of
LMDB), "copies" (those of fpdb's own files and folders).
"""

import hashlib
import os
import random
import shutil
import sys
from collections import Counter

import lmdb

import fpdb
from fpdb.storage.environment import files
from tests.stress import disk_model
from tests.stress.child_process import fork
from tests.stress.shim import shim, tell
from tests.stress.workload import History, Step, difference, small_limits

STATES_A_HISTORY = 500
STATES_AT_ONCE = 100
NAME = "t.fpdb"


def leave_out(syncs):
    """Opens databases, in this process, without some of their syncs."""
    plain = lmdb.open
    options = {"data": {"sync": False}, "meta": {"metasync": False}}.get(syncs)
    if options:
        lmdb.open = lambda *given, **named: plain(*given, **named, **options)
    if syncs == "copies":
        files.sync = lambda _: None


def record(_, folder, log, history, syncs):
    """Makes a database and its history, and logs both."""
    leave_out(syncs)
    hooks = shim()
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    hooks.shim_watch(folder.encode())
    hooks.shim_log(file)
    with fpdb.open(f"{folder}/{NAME}", "x") as db:
        hooks.shim_mark(b"end -1")
        history.perform(db, lambda word, number: hooks.shim_mark(f"{word} {number}".encode()))


class Bad(Exception):
    """A state that fpdb must never be in."""


def judge(folder, history, begun, done):
    """Raises Bad, or fpdb's own errors, unless the folder holds what was acknowledged.

    begun, done: how many steps; done = -1 before the database was made.
    """
    path = f"{folder}/{NAME}"
    if not os.path.exists(path):
        if done >= 0:
            raise Bad("the database is gone")
        return
    with fpdb.open(path, "r+") as db:
        models = history.models[max(done, 0) : begun + 1]
        wrong = difference(db, *models)
        if wrong is None and (begun + done) % 3 == 0:  # it goes on
            db.add_fingerprints("next", [1])
            db.remove("next")
            wrong = difference(db, *models)
        if wrong:
            raise Bad(wrong)
    copies = [number for number in range(begun) if history.steps[number].what == "backup"]
    for number in copies:
        target = f"{folder}/{os.path.basename(history.steps[number].target)}"
        if os.path.exists(target):
            with fpdb.open(target, "r") as db:
                wrong = difference(db, history.models[number])
            if wrong:
                raise Bad(f"backup: {wrong}")
        elif number < done:
            raise Bad("a backup is gone")


def judge_all(say, folder, states, history):
    for number, (left, begun, done) in enumerate(states):
        say("begin", number)
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for path, content in left.items():
            with open(f"{folder}/{os.path.basename(path)}", "wb") as file:
                file.write(content)
        try:
            judge(folder, history, begun, done)
        except (Bad, fpdb.Error) as error:
            say("bad", number, f"{type(error).__name__}: {error}"[:300])
        else:
            say("good", number)


class Judging:
    """Batches of states, judged in children that may crash."""

    def __init__(self, folder, history):
        self.folder = folder
        self.history = history
        self.waiting = []
        self.outcomes = Counter()
        self.faults = []

    def add(self, *state):
        self.waiting.append(state)
        if len(self.waiting) == STATES_AT_ONCE:
            self.finish()

    def finish(self):
        while self.waiting:
            ended = fork(judge_all, self.folder, self.waiting, self.history)
            last = 0
            for what, number, *words in ended.said:
                last = number
                if what != "begin":
                    self.outcomes[what] += 1
                if what == "bad":
                    self.faults.append(*words)
            if ended.status == 0:
                self.waiting = []
                return
            self.outcomes["bad"] += 1
            self.faults.append(f"opening it ended with {ended.status}")
            self.waiting = self.waiting[last + 1 :]


def lose_power(entries, history, folder, work, rng, wanted, copies):
    """Judges so many different states that the log allows; returns the outcomes."""
    judging = Judging(work, history)
    model = disk_model.Disk(folder)
    seen = set()
    begun, done = 0, -1
    points = []
    inside = False
    for number, (what, *_, first, _, _) in enumerate(entries):
        if what == disk_model.MARK:
            word, step = first.split()
            inside = word == "begin" and history.steps[int(step)].what in ("compact", "backup")
        if inside or not copies:
            points.append(number)
    tries = Counter(rng.choices(points, k=wanted * 2))
    for number, entry in enumerate(entries):
        if entry[0] == disk_model.MARK:
            word, step = entry[4].split()
            if word == "begin":
                begun = int(step) + 1
            else:
                done = int(step) + 1
        else:
            model.apply(*entry)
        for _ in range(tries[number]):
            if len(seen) == wanted:
                break
            left = model.survived(rng)
            for path in left:
                if path.endswith("-lock") and rng.random() < 0.5:  # it is written through a map: anything may be there
                    left[path] = rng.randbytes(rng.randrange(40_000))
            digest = hashlib.blake2b(repr((done, begun)).encode())
            for path in sorted(left):
                digest.update(f"{path} {len(left[path])} ".encode() + left[path])
            if digest.digest() not in seen:
                seen.add(digest.digest())
                judging.add(left, begun, done)
    judging.finish()
    return judging


def copying(seed, folder):
    """A history with many backups and compactions."""
    history = History(seed, 8, compact=0)
    steps, models = [], [{}]
    for number, step in enumerate(history.steps):
        more = Step("compact", {}) if number % 2 else Step("backup", {}, (), f"{folder}/{number}.copy")
        for each in (step, more):
            steps.append(each)
            models.append(each.after(models[-1]))
    history.steps, history.models = steps, models
    return history


def main(folder, seed, states, what, syncs):
    small_limits()
    os.mkdir(folder)
    outcomes, faults = Counter(), []
    round_ = 0
    while sum(outcomes.values()) < states:
        round_ += 1
        number = seed * 1000 + round_
        home, log, work = (f"{folder}/{name}{round_}" for name in ("home", "log", "work"))
        os.mkdir(home)
        history = copying(number, home) if what == "copies" else History(number, 16)
        ended = fork(record, home, log, history, syncs)
        if ended.status:
            raise SystemExit(f"the history ended with {ended.status}")
        with open(log, "rb") as file:
            entries = list(disk_model.read_log(file.read()))
        wanted = min(STATES_A_HISTORY, states - sum(outcomes.values()))
        judging = lose_power(entries, history, home, work, random.Random(number), wanted, what == "copies")
        outcomes += judging.outcomes
        faults += judging.faults
        for path in (home, work):
            shutil.rmtree(path, ignore_errors=True)
        os.unlink(log)
    tell(good=outcomes["good"], bad=outcomes["bad"], faults=faults[:5], histories=round_)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
