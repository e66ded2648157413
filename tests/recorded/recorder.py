"""Runs cases, each in a fresh copy of the folder that its group begins with, and compares outcomes."""

import difflib
import gzip
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from . import inputs, observing, running
from .running import How

HERE = Path(__file__).parent
OUTCOMES = HERE / "outcomes"
DATABASES = HERE / "databases"
PATH_LENGTH = 90
"""Of the folder that cases work in: tables are as wide as the paths in them."""


class Base(NamedTuple):
    """The contents of a folder when a case begins: files of these sorts, results of these steps, stored databases."""

    sorts: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()


class Group(NamedTuple):
    """Cases that begin with the same folder, and how they run."""

    base: Base
    cases: tuple[str, ...]
    how: How = How.HERE


class Recorder:
    """Runs cases in a temporary folder; a base is made once, and copied for each case.

    All cases work at the same path, one after the other, since databases remember where their documents lay.
    """

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="recorded-")
        root = Path(self._temporary.name).resolve()
        # Processes compile each module but once, whatever the environment says of caches.
        running.SETTINGS |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(root / "compiled")}
        running.SETTINGS["XDG_STATE_HOME"] = str(root / "state")  # where fpdb remembers what was added
        self._bases = root / "bases"
        self.folder = root / ("w" * max(PATH_LENGTH - len(str(root)) - 1, 4))
        self._base = cache(self._make_base)

    def close(self) -> None:
        """Remove the temporary folder."""
        self._temporary.cleanup()

    def begin(self, base: Base) -> Path:
        """Make the folder hold what a base says, and nothing else; return a folder that holds the same."""
        made = self._base(base)
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(made, self.folder, copy_function=_take)
        return made

    def _make_base(self, base: Base) -> Path:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        inputs.write_files(self.folder, *base.sorts)
        for name in base.databases:
            (self.folder / name).write_bytes(gzip.decompress((DATABASES / f"{name}.gz").read_bytes()))
        for number, step in enumerate(base.steps):
            ended = running.run_step(step, self.folder, running.BEGIN + 86_400 * number, How.HERE)
            assert ended.status == 0, (step, ended)
        kept = self._bases / f"{len(list(self._bases.glob('*')))}"
        shutil.copytree(self.folder, kept)
        return kept

    def run(self, group: Group, case: str) -> dict[str, Any]:
        """Return the outcome of a case: of each step the exit status and what it wrote, and the files at the end."""
        before = self.begin(group.base)
        moment = running.BEGIN + 30 * 86_400
        steps = []
        for number, step in enumerate(running.steps_of(case)):
            ended = running.run_step(step, self.folder, moment + 3600 * number, group.how)
            if not step.startswith("!"):
                steps.append(self._seen(step, ended))
        files = observing.files(self.folder, before, timeless=group.how is not How.HERE)
        return {"steps": steps, **({"files": files} if files else {})}

    def _seen(self, step: str, ended: running.Ended) -> dict[str, Any]:
        seen = {"run": step, "status": ended.status}
        for name, content in (("out", ended.out), ("err", ended.err)):
            if content:
                seen[name] = observing.output(content, self.folder)
        return seen


def _take(source: str, target: str) -> None:
    """Copy what may be changed where it is; of other files, which are only ever replaced, there can be links."""
    if ".fpdb" in source:
        shutil.copy2(source, target)
    else:
        os.link(source, target)


def load(name: str) -> dict[str, Any]:
    """Return the stored outcomes of a group, by case; none where there is no file."""
    path = OUTCOMES / f"{name}.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


def save(name: str, outcomes: Mapping[str, Any]) -> None:
    """Store the outcomes of a group."""
    text = json.dumps(outcomes, indent=1, ensure_ascii=False) + "\n"
    (OUTCOMES / f"{name}.json").write_bytes(text.encode("utf-8", "backslashreplace"))  # lone surrogates, as JSON does


def differences(stored: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Return the lines in which outcomes differ, below the case that they are of."""
    told: list[str] = []
    for case in [*stored, *(case for case in found if case not in stored)]:
        before, after = stored.get(case), found.get(case)
        if before != after:
            told += ["", f"== {case}", *_diff(_lines(before), _lines(after))]
    return told


def _diff(before: Iterable[str], after: Iterable[str]) -> list[str]:
    return list(difflib.unified_diff(list(before), list(after), "recorded", "now", n=2, lineterm=""))[2:]


def _lines(outcome: Any) -> list[str]:
    return [] if outcome is None else json.dumps(outcome, indent=1, ensure_ascii=False).split("\n")
