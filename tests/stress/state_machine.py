"""Compare any history of a database with a dict, after each step. Hypothesis finds and shortens the histories.

    python -m tests.stress.state_machine FOLDER EXAMPLES STEPS

The program runs under the shim, which kills children in the middle of a step.
"""

import os
import shutil
import sys
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import fpdb
from fpdb.fingerprint import content_digest
from fpdb.storage import commit
from fpdb.storage.runs import merge
from tests.reference_database import OPTIONS, ReferenceDatabase, as_json
from tests.stress.child_process import fork
from tests.stress.shim import EVERY_KIND, KILL_AFTER, KILL_BEFORE, KILL_HALFWAY, shim, tell
from tests.stress.workload import small_limits

MOST = 2**64 - 1
NAMES = st.sampled_from(["a", "b", "c", "d", "e", "f/1", "f/2", "long " * 100 + "1", "long " * 100 + "2", "\udcff"])
FEW = st.lists(st.integers(0, 12) | st.just(MOST), max_size=12).map(sorted)
MANY = st.builds(
    lambda start, count, stride: list(range(start, start + count * stride, stride)),
    st.integers(0, 40), st.integers(1, 400), st.integers(1, 3),
)  # fmt: skip
HASHES = FEW | MANY
EVERY = [*range(1_300), MOST]
CHANGES = st.lists(st.tuples(NAMES, st.none() | HASHES, st.booleans()), max_size=6)
"""Names with what is to be there: nothing, or hashes that may be boilerplate."""

done = Counter()


class DigestModel(ReferenceDatabase):
    """A reference database that also knows the digests, which identify a catalogue."""

    def __init__(self):
        super().__init__()
        self.digests = {}

    def add(self, name, hashes, boilerplate=False):
        super().add(name, hashes, boilerplate)
        self.digests[name] = content_digest(np.array(hashes, np.uint64).tobytes())

    def remove(self, name):
        super().remove(name)
        del self.digests[name]

    def after(self, changes):
        changed = DigestModel()
        changed.documents, changed.digests = dict(self.documents), dict(self.digests)
        for name, hashes, boilerplate in changes:
            if hashes is not None:
                changed.add(name, hashes, boilerplate)
            elif name in changed:
                changed.remove(name)
        return changed

    def described(self):
        return {
            name: (self.digests[name], len(held), boilerplate) for name, (held, boilerplate) in self.documents.items()
        }


def described(db):
    return {each.name: (each.digest, each.hashes, each.boilerplate) for each in db.documents()}


def make(batch, changes):
    for name, hashes, boilerplate in changes:
        if hashes is not None:
            batch.add_fingerprints(name, hashes, boilerplate=boilerplate)
        else:
            with suppress(fpdb.NoSuchDocument):
                batch.remove(name)


def work(send, path, changes, how, call):
    """Make the changes, or compact, in a child that is killed."""
    shim().shim_watch(os.path.dirname(path).encode())
    with fpdb.open(path, "r+") as db:
        shim().shim_arm(how, call, 0, EVERY_KIND, 1)
        if changes is None:
            db.compact()
        else:
            with db.batch() as batch:
                make(batch, changes)
        send("done")
        os._exit(0)  # as if killed: nothing is closed


class Histories(RuleBasedStateMachine):
    """A database and its model, after the same steps."""

    base: str  # of the folders of all

    @initialize()
    def create(self):
        done["histories"] += 1
        self.folder = f"{Histories.base}/{done['histories']}"
        os.mkdir(self.folder)
        self.path = f"{self.folder}/t.fpdb"
        self.db = fpdb.open(self.path, "x")
        self.model = DigestModel()

    @rule(name=NAMES, hashes=HASHES, boilerplate=st.booleans())
    def add(self, name, hashes, boilerplate):
        status = self.db.add_fingerprints(name, hashes, boilerplate=boilerplate)
        before, self.model = self.model.described(), self.model.after([(name, hashes, boilerplate)])
        now = self.model.described()
        assert status == ("added" if name not in before else "unchanged" if before == now else "replaced")

    @rule(name=NAMES)
    def remove(self, name):
        if name in self.model:
            self.db.remove(name)
            self.model = self.model.after([(name, None, False)])
        else:
            with pytest.raises(fpdb.NoSuchDocument):
                self.db.remove(name)

    @rule(changes=CHANGES)
    def batch(self, changes):
        with self.db.batch() as batch:
            make(batch, changes)
        self.model = self.model.after(changes)

    @rule(changes=CHANGES)
    def batch_that_is_abandoned(self, changes):
        with suppress(InterruptedError), self.db.batch() as batch:
            make(batch, changes)
            raise InterruptedError

    @rule()
    def reopen(self):
        self.db.close()
        self.db = fpdb.open(self.path, "r+")

    @rule()
    def compact(self):
        self.db.compact()

    @rule()
    def go_on_with_a_backup(self):
        copy = f"{self.path}+"
        self.db.backup(copy)
        self.db.close()
        self.path = copy
        self.db = fpdb.open(self.path, "r+")

    @rule(
        changes=st.none() | CHANGES,
        how=st.sampled_from([KILL_BEFORE, KILL_AFTER, KILL_HALFWAY]),
        call=st.integers(1, 60),
    )
    def crash(self, changes, how, call):
        """Let another process make the changes, or compact, until it is killed at a system call or at its end."""
        self.db.close()
        child = fork(work, self.path, changes, how, call)
        done["killed"] += child.killed
        acknowledged = child.messages == [["done"]]
        assert child.killed or acknowledged, child
        possible = [self.model.after(changes or []), *([] if acknowledged else [self.model])]
        self.db = fpdb.open(self.path, "r+")
        there = described(self.db)
        fitting = [model for model in possible if model.described() == there]
        assert fitting, f"holds {there}"
        self.model = fitting[0]

    @rule(hashes=HASHES, options=st.sampled_from(OPTIONS))
    def query(self, hashes, options):
        assert as_json(self.db.query_fingerprints(hashes, **options)) == as_json(self.model.answer(hashes, **options))

    @invariant()
    def says_the_same(self):
        done["steps"] += 1
        db, model = self.db, self.model
        assert db.check() == []
        assert [document.name for document in db.documents()] == model.names()
        assert described(db) == model.described()
        info = db.info()
        assert info["documents"] == len(db) == len(model)
        assert info["boilerplate_documents"] == len(model.documents) - len(model)
        assert info["postings"] == sum(len(held) for held, _ in model.documents.values())
        self.query(EVERY, OPTIONS[done["steps"] % len(OPTIONS)])

    def teardown(self):
        if hasattr(self, "db"):
            self.db.close()
            shutil.rmtree(self.folder)


def counted(merge):
    def merging(*given):
        done["merges"] += 1
        return merge(*given)

    return merging


def main(folder, examples, steps):
    small_limits()
    os.mkdir(folder)
    Histories.base = folder
    counting = counted(merge.merge_postings)
    for module in (merge, commit):
        vars(module)["merge_postings"] = counting
    run_state_machine_as_test(
        Histories,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
    tell(**done)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
