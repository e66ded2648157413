"""Let the nth allocation fail inside each change of a database.

    python -m tests.stress.out_of_memory FOLDER WHAT SEED TRIES

The program runs under the shim. WHAT is one of

- "python": the interpreter's allocations fail (needs the module _testcapi),
- "native": malloc and mmap fail, which numpy, LMDB and fpdb's own C code use,
- "space": the address space is limited (RLIMIT_AS),
- "look": Python's allocations fail during the quick check of a sound database.

TRIES: how many allocations of each change are tried, evenly spread from the first to the last, or all if there are
fewer. With few tries, only every fifth sort of change is tried, and the last allocation is searched in longer strides,
from the 64th on.
"""

import gc
import resource
import sys
from collections import Counter
from functools import partial

import numpy.ma  # noqa: F401 (numpy imports it when it is needed, and then never again if there was no memory for it)

import fpdb
from fpdb.storage.maintenance.verifier import verify
from tests.stress.child_process import fork
from tests.stress.fault_injection import SampleChanges, attempt, outcome
from tests.stress.shim import FOR_EVER, shim, tell
from tests.stress.workload import difference, small_limits

FEW = 5
DROUGHT = 100  # allocations in a row; where none ever succeeds again, CPython itself may turn in a circle
LOOKED = 2_000  # the first allocations of a quick look,
RECORDS = 1_000  # of which these come before the first documents' records are read, or more
LEAST = 4_096  # bytes; smaller allocations of the libraries are left to "python"


def starve_python(nth, times):
    import _testcapi

    gc.disable()
    _testcapi.set_nomemory(nth, nth + times)


def feed_python():
    import _testcapi

    return _testcapi.remove_mem_hooks


def starve_native(nth, times):
    shim().shim_starve(nth, LEAST if times == FOR_EVER else 1, times)


def feed_native():
    feed = shim().shim_starve
    return partial(feed, 0, 0, -1)


def starve_space(nth, times):  # noqa: ARG001
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + nth * 16_384, resource.RLIM_INFINITY))


def feed_space():
    return partial(resource.setrlimit, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


# How it begins, how it ends, for how many allocations, and up to which one.
SORTS = {
    "python": (starve_python, feed_python, (1, DROUGHT), FOR_EVER),
    "native": (starve_native, feed_native, (1, FOR_EVER), FOR_EVER),
    "space": (starve_space, feed_space, (FOR_EVER,), 2_048),
}


def inspect(send, folder, models):
    with fpdb.open(f"{folder}/t.fpdb", "r+") as db:
        wrong = difference(db, *models)
        if wrong is None:
            db.add_fingerprints("next", [1])
            db.remove("next")
            wrong = difference(db, *models)
        send(wrong)


def look(send, folder, nth):
    """Send what a quick check reports of a sound database when an allocation of Python fails."""
    found = []
    with fpdb.open(f"{folder}/t.fpdb", "r") as db, db.snapshot() as view:
        starve_python(nth, 1)
        try:
            found = list(verify(view, quick=True))
            failed = False
        except Exception:
            failed = True
        feed_python()()
    send(found, failed)


def looks(changes, tries):
    """Let as many allocations fail as asked for, one at a time, of those up to LOOKED."""
    totals = Counter()
    first = min(RECORDS, LOOKED - tries)
    for nth in range(first + 1, first + tries + 1):
        ended = fork(look, changes.base, nth)
        for found, failed in ended.messages:
            totals["failed"] += failed
            if found:
                tell(bad=f"allocation {nth}: {found}")
    tell(tries=tries, **totals)


class Starvation:
    """Tries of changes while allocations of one sort fail, and their counts."""

    def __init__(self, changes, what):
        self.changes = changes
        self.what = what
        self.starve, self.feed, self.lengths, self.farthest = SORTS[what]
        self.folder = f"{changes.folder}/now"
        self.totals = Counter()

    def try_step(self, step, nth, times):
        """Try a step while the nth allocation fails, and `times` in a row; return True if it failed."""
        model = self.changes.model
        with self.changes.copied(self.folder):
            ended = fork(attempt, self.folder, step, model, partial(self.starve, nth, times), self.feed())
            models = [model, step.after(model)]
            if step.what == "batch" and ["tried", "", ""] in ended.messages:
                models = models[1:]
            left = fork(inspect, self.folder, models)
        bad = left.messages[0][0] if left.messages else f"the inspector ended with {left.status}"
        self._count(ended, f"{step.what}, allocation {nth}, {times} times", bad)
        return bool(outcome(ended)[0]) or bool(ended.status)

    def _count(self, ended, case, bad):
        raised, message, _, wrong = outcome(ended)
        self.totals["tries"] += 1
        if raised:
            self.totals[f"raised {raised}"] += 1
        if ["hung"] in ended.messages:
            self.totals["hung"] += 1
        elif ended.status < 0:
            self.totals[f"signal {-ended.status}"] += 1
        elif wrong:
            self.totals["unusable"] += 1
            tell(unusable=f"{case}: {wrong}; {raised}: {message}")
        if bad:
            self.totals["bad"] += 1
            tell(bad=f"{self.what}, {case}: {bad}; {raised}: {message}")

    def last_place(self, step, first, factor):
        """Return an allocation, the first or that times a power of the factor, from which on none fails any more."""
        last = first
        while last < self.farthest and self.try_step(step, last, self.lengths[-1]):
            last *= factor
        return last


def main(folder, what, seed, tries):
    small_limits()
    changes = SampleChanges(seed, folder)
    if what == "look":
        looks(changes, tries)
        return
    starvation = Starvation(changes, what)
    step_stride, first, factor = (1, 1, 2) if tries > FEW else (5, 64, 8)
    for step in list(changes.steps.values())[::step_stride]:
        last = starvation.last_place(step, first, factor)
        starvation.totals["places"] += last
        for times in starvation.lengths:
            stride = max(1, last // tries)
            for nth in range(1 + seed % stride, last + 1, stride):
                starvation.try_step(step, nth, times)
    tell(**starvation.totals)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
