"""Random changes of a database, and the model of what the database must hold afterwards: the oracle of the suite.

A model is {name: (version, number of hashes, boilerplate or not)}. Documents share no hash, so one query with all
expected hashes shows whether all documents are there, and under the right names.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

import fpdb
from tests.conftest import SMALL


def small_limits():
    """Set the limits of the storage tests for the rest of this process."""
    for module, name, value in SMALL:
        setattr(module, name, value)


@cache
def hashes_of(version, count):
    return np.random.default_rng(version).integers(0, 2**63, count, np.uint64)


@dataclass(frozen=True)
class Step:
    """A change of a database.

    what: "batch", "compact" or "backup". additions: of a batch; a model. removals: names. target: of a backup.
    """

    what: str
    additions: dict
    removals: tuple = ()
    target: str = ""

    def after(self, model):
        kept = {name: value for name, value in model.items() if name not in self.removals}
        return {**kept, **self.additions}

    def prepare(self):
        """Make the hashes that `perform` is going to add."""
        for version, count, _ in self.additions.values():
            hashes_of(version, count)

    def perform(self, db):
        if self.what == "compact":
            db.compact()
        elif self.what == "backup":
            db.backup(self.target)
        else:
            with db.batch() as batch:
                for name in self.removals:
                    batch.remove(name)
                for name, (version, count, boilerplate) in self.additions.items():
                    batch.add_fingerprints(
                        name, hashes_of(version, count), boilerplate=boilerplate, labels={"version": str(version)}
                    )


class History:
    """Random steps that start from a model; `models[i]` is the right content after i steps."""

    def __init__(self, seed, steps, model=None, *, compact=0.1, largest=200, documents=30):
        rng = np.random.default_rng([7, seed])
        self.steps = []
        self.models = [dict(model or {})]
        for number in range(steps):
            now = self.models[-1]
            if rng.random() < compact:
                step = Step("compact", {})
            else:
                names = sorted(now)
                gone = rng.permutation(names)[: rng.integers(1, 6)].tolist() if names else []
                what = rng.choice(["add", "replace", "remove"], p=[0.5, 0.25, 0.25])
                if len(now) > documents:
                    what = "remove"
                new = [f"{seed}-{number}-{i}" for i in range(rng.integers(1, 8))]
                replaced = gone if what == "replace" else []
                removed = tuple(gone) if what == "remove" else ()
                version = (seed << 24) + (number << 8)
                step = Step(
                    "batch",
                    {
                        name: (version + i, int(rng.integers(1, largest)), bool(rng.random() < 0.1))
                        for i, name in enumerate(replaced or (new if not removed else []))
                    },
                    removed,
                )
            self.steps.append(step)
            self.models.append(step.after(now))

    def perform(self, db, told=lambda *_: None):
        """Perform all steps, with told("begin", number) and told("end", number) around each."""
        for number, step in enumerate(self.steps):
            told("begin", number)
            step.perform(db)
            told("end", number)

    def make(self, path):
        """Make a database, and perform all steps."""
        with fpdb.open(path, "x") as db:
            self.perform(db)


def matching_model(db, models):
    """Return the number of the model that equals the catalogue of the database, or None."""
    there = {document.name: (int(document.labels["version"]), document.boilerplate) for document in db.documents()}
    for number, model in enumerate(models):
        if there == {name: (version, boilerplate) for name, (version, _, boilerplate) in model.items()}:
            return number
    return None


def difference(db, *models):
    """Return what is wrong with a database that must be sound and equal one of the models, or None."""
    problems = db.check()
    if problems:
        return f"check: {problems[:3]}"
    which = matching_model(db, models)
    if which is not None:
        return _difference(db, models[which])
    names = {document.name for document in db.documents()}
    unlike = [(sorted(set(model) - names), sorted(names - set(model))) for model in models]
    return f"holds other documents; missing and too many, by model: {unlike}"


def _difference(db, model):
    wanted = {name: count for name, (_, count, boilerplate) in model.items() if not boilerplate}
    hashes = [hashes_of(version, count) for version, count, _ in model.values()]
    found = {}
    if wanted:
        answer = db.query_fingerprints(np.concatenate(hashes), min=0)
        found = {match.name: match.shared for match in answer.matches}
    if found != wanted:
        return f"finds {found}, not {wanted}"
    counted = {document.name: document.hashes for document in db.documents()}
    if counted != {name: count for name, (_, count, _) in model.items()}:
        return f"counts {counted}"
    return None
