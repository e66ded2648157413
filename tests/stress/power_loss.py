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
from dataclasses import dataclass

import lmdb

import fpdb
from fpdb.storage.environment import files
from fpdb.storage.environment.lock_files import READERS_BYTES
from tests.stress import disk_model
from tests.stress.child_process import fork
from tests.stress.shim import shim, tell
from tests.stress.workload import History, Step, difference, small_limits

STATES_A_HISTORY = 500
STATES_AT_ONCE = 100
NAME = "t.fpdb"


def leave_out(syncs):
    """Open databases in this process without some of their syncs."""
    plain = lmdb.open
    options = {"data": {"sync": False}, "meta": {"metasync": False}}.get(syncs)
    if options:
        lmdb.open = lambda *given, **named: plain(*given, **named, **options)
    if syncs == "copies":
        files.sync = lambda _: None


def record(_, folder, log, history, syncs):
    """Make a database and its history, and log both."""
    leave_out(syncs)
    hooks = shim()
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    hooks.shim_watch(folder.encode())
    hooks.shim_log(file)
    with fpdb.open(f"{folder}/{NAME}", "x") as db:
        hooks.shim_mark(b"end -1")
        history.perform(db, lambda word, number: hooks.shim_mark(f"{word} {number}".encode()))


class BadState(Exception):
    """A state that fpdb must never be in."""


def judge(folder, history, begun, done):
    """Raise BadState, or fpdb's own errors, unless the folder holds what was acknowledged.

    begun, done: how many steps; done = -1 before the database was made.
    """
    path = f"{folder}/{NAME}"
    if not os.path.exists(path):
        if done >= 0:
            raise BadState("the database is gone")
        return
    with fpdb.open(path, "r+") as db:
        models = history.models[max(done, 0) : begun + 1]
        wrong = difference(db, *models)
        if wrong is None and (begun + done) % 3 == 0:  # it goes on
            db.add_fingerprints("next", [1])
            db.remove("next")
            wrong = difference(db, *models)
        if wrong:
            raise BadState(wrong)
    copies = [number for number in range(begun) if history.steps[number].what == "backup"]
    for number in copies:
        target = f"{folder}/{os.path.basename(history.steps[number].target)}"
        if os.path.exists(target):
            with fpdb.open(target, "r") as db:
                wrong = difference(db, history.models[number])
            if wrong:
                raise BadState(f"backup: {wrong}")
        elif number < done:
            raise BadState("a backup is gone")


def judge_all(send, folder, states, history):
    for number, (left, begun, done) in enumerate(states):
        send("begin", number)
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for path, content in left.items():
            with open(f"{folder}/{os.path.basename(path)}", "wb") as file:
                file.write(content)
        try:
            judge(folder, history, begun, done)
        except (BadState, fpdb.Error) as error:
            send("bad", number, f"{type(error).__name__}: {error}"[:300])
        else:
            send("good", number)


class StateJudge:
    """Judges batches of states in children that may crash."""

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
            for what, number, *words in ended.messages:
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


@dataclass(frozen=True)
class Recording:
    """A history, and the log of a database in a folder that went through it."""

    history: History
    folder: str
    entries: list

    def moments(self, *, copies):
        """Return the numbers of the entries at which power may go; copies: only inside backup and compact."""
        inside = False
        for number, entry in enumerate(self.entries):
            if entry.what == disk_model.MARK:
                word, step = entry.path.split()
                inside = word == "begin" and self.history.steps[int(step)].what in ("compact", "backup")
            if inside or not copies:
                yield number

    def states(self):
        """Yield a model of the disk, and the steps begun and done, after each entry; it is one model that changes."""
        model = disk_model.DiskModel(self.folder)
        begun, done = 0, -1
        for entry in self.entries:
            if entry.what != disk_model.MARK:
                model.apply(entry)
            else:
                word, step = entry.path.split()
                if word == "begin":
                    begun = int(step) + 1
                else:
                    done = int(step) + 1
            yield model, begun, done


def survived(model, rng):
    """Return one of the folders that a loss of power may leave. Tables of readers may hold anything."""
    left = model.survived(rng)
    for path in left:
        if path.endswith("-lock") and rng.random() < 0.5:
            left[path] = rng.randbytes(rng.choice((0, READERS_BYTES)))
    return left


def digest_of(left, begun, done):
    digest = hashlib.blake2b(repr((done, begun)).encode())
    for path in sorted(left):
        digest.update(f"{path} {len(left[path])} ".encode() + left[path])
    return digest.digest()


def lose_power(recording, work, rng, wanted, *, copies):
    """Judge `wanted` different states that the log allows."""
    judging = StateJudge(work, recording.history)
    seen = set()
    tries = Counter(rng.choices(list(recording.moments(copies=copies)), k=wanted * 2))
    for number, (model, begun, done) in enumerate(recording.states()):
        for _ in range(tries[number]):
            if len(seen) == wanted:
                break
            left = survived(model, rng)
            digest = digest_of(left, begun, done)
            if digest not in seen:
                seen.add(digest)
                judging.add(left, begun, done)
    judging.finish()
    return judging


def copying(seed, folder):
    """Return a history with many backups and compactions."""
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
        recording = Recording(history, home, entries)
        judging = lose_power(recording, work, random.Random(number), wanted, copies=what == "copies")
        outcomes += judging.outcomes
        faults += judging.faults
        for path in (home, work):
            shutil.rmtree(path, ignore_errors=True)
        os.unlink(log)
    tell(good=outcomes["good"], bad=outcomes["bad"], faults=faults[:5], histories=round_)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
