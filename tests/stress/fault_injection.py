"""Attempt one change of a database under a fault, and describe the database afterwards."""

import os
import shutil
from contextlib import contextmanager

import fpdb
from tests.stress.child_process import fork
from tests.stress.workload import History, Step, difference, matching_model


class SampleChanges:
    """A database, and one change of each sort to try on copies of it."""

    def __init__(self, seed, folder):
        history = History(seed, 20, compact=0, documents=60)
        self.folder = folder
        self.base = f"{folder}/base"
        self.model = history.models[-1]
        os.makedirs(self.base)
        if fork(lambda _: history.make(f"{self.base}/t.fpdb")).status:
            raise SystemExit("the database could not be made")
        names = sorted(self.model)
        replaced = {name: (1_000 + i, 150, False) for i, name in enumerate(names[:6])}
        self.steps = {
            "add": Step("batch", {f"new {i}": (2_000 + i, 60, i == 3) for i in range(8)}),
            "replace": Step("batch", replaced),
            "remove": Step("batch", {}, tuple(names[::4])),
            "remove most, and merge": Step("batch", {}, tuple(names[: len(names) * 3 // 4])),
            "add much, and merge": Step("batch", {f"much {i}": (3_000 + i, 500, False) for i in range(12)}),
            "compact": Step("compact", {}),
            "backup": Step("backup", {}, (), "copy"),
        }

    @contextmanager
    def copied(self, folder):
        """Copy the database into a folder of its own for the time of the block."""
        shutil.copytree(self.base, folder)
        try:
            yield
        finally:
            shutil.rmtree(folder)


def attempt(send, folder, step, model, begin, end):
    """Try a step with a fault between begin() and end(), then again without the fault in the same process.

    Send the exception's name and message ("" if there was none), which of the models (0: before, 1: after) the database
    held after the first try, and what is wrong in the end.
    """
    if step.target:
        step = Step(step.what, {}, (), f"{folder}/{step.target}")
    models = [model, step.after(model)]
    raised = message = ""
    with fpdb.open(f"{folder}/t.fpdb", "r+") as db:
        step.prepare()
        begin()
        try:
            step.perform(db)
        except Exception as error:
            end()
            raised, message = type(error).__name__, str(error)
        else:
            end()
        send("tried", raised, message)
        wrong = difference(db, *models)
        which = matching_model(db, models)
        if wrong is None:
            wrong = _again(db, step, which, models)
        send("ended", which, wrong)


def _again(db, step, which, models):
    if step.what == "backup":
        if not os.path.exists(step.target):
            step.perform(db)
        with fpdb.open(step.target, "r") as copy:
            return difference(copy, models[0])
    if which == 0:
        step.perform(db)
    db.add_fingerprints("next", [1])
    db.remove("next")
    return difference(db, models[1])


def outcome(ended):
    """Return raised, message, which and wrong of a forked `attempt`; wrong also reports a crash."""
    words = {word: rest for word, *rest in ended.messages}
    raised, message = words.get("tried", ("", ""))
    which, wrong = words.get("ended", (None, "it did not come to its end"))
    if ended.status:
        wrong = f"status {ended.status}, {wrong}"
    return raised, message, which, wrong
