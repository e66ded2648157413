"""Care of a database whose file may be damaged: checking it, and saving what is sound.

LMDB maps the file into memory and trusts it, so damage, or a medium that fails, can end the process that reads it. The
work is therefore done in a process of its own, which only reads the file; that it ended is one finding more.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, cast

from fpdb import errors
from fpdb.errors import BadRecipe, Corrupt, Error
from fpdb.fingerprint import Recipe, find_scheme
from fpdb.keys import KEY_DIGEST
from fpdb.storage.maintenance.check import examine
from fpdb.storage.maintenance.repair import Loss as Loss  # handed out
from fpdb.storage.maintenance.repair import Repaired
from fpdb.storage.maintenance.repair import repair as repairing
from fpdb.storage.maintenance.verifier import Unchecked
from fpdb.storage.store import Store


@dataclass(frozen=True)
class Findings:
    """What `check` found. problems: what is wrong; unchecked: what could not be looked at, and why; a sentence each."""

    problems: tuple[str, ...]
    unchecked: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing that was looked at is wrong."""
        return not self.problems


@dataclass(frozen=True)
class Repair:
    """What `repair` has written, and what it could not save."""

    documents: int
    boilerplate_documents: int
    postings: int
    texts: int
    losses: tuple[Loss, ...]


def check(path: str | os.PathLike[str], *, quick: bool = False) -> Findings:
    """Verifies a database, in a process of its own: damage that ends it is reported as a problem.

    quick: about a second, whatever the size: the pages of the trees, the state, all fences, and samples of all else.
    Raises NoSuchDatabase, NotADatabase, NewerFormat, Locked, StorageFailure.
    """
    said: dict[str, list[str]] = {"problem": [], "unchecked": []}
    died = None
    try:
        for sort, value in _apart("check", os.fspath(path), quick):
            said[sort].append(value)
    except Corrupt as error:
        died = str(error)
    return Findings((*said["problem"], *([died] if died else [])), tuple(said["unchecked"]))


def repair(path: str | os.PathLike[str], target: str | os.PathLike[str]) -> Repair:
    """Writes all that is sound in a database to a new file, in a process of its own; the damaged one is only read.
    Nobody may write to it meanwhile.

    Documents of which fingerprints, positions or a kept text are lost are kept with the rest, and are among the losses.
    Raises DatabaseExists, NoSuchDatabase, NotADatabase, NewerFormat, StorageFailure; Corrupt where nothing can be
    saved.
    """
    losses: list[Loss] = []
    for sort, value in _apart("repair", os.fspath(path), os.fspath(target)):
        if sort == "written":
            return Repair(**Repaired(*value)._asdict(), losses=tuple(losses))
        losses.append(Loss(*value))
    raise Corrupt(f"the repair of {os.fspath(path)!r} did not come to its end: use a backup")


# ---------------------------------------------------------------- the other process


def _apart(task: str, *arguments: object) -> Iterator[tuple[str, Any]]:
    """What a task of `_TASKS` gives, run in another process. Raises what it raises; Corrupt where it dies."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(  # noqa: S603 (no shell; this very Python and a module of ours, with arguments as JSON)
        [sys.executable, "-P", "-m", "fpdb.maintenance", task, json.dumps(arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    said, complaints = cast("tuple[IO[bytes], IO[bytes]]", (process.stdout, process.stderr))  # pipes, see above
    try:
        with process:
            ended = False
            for line in said:
                if not line.endswith(b"\n"):
                    break
                sort, value = json.loads(line)
                if sort == "raised":
                    raise getattr(errors, value[0])(value[1])
                ended = sort == "ended"
                if not ended:
                    yield sort, value
            words = complaints.read().decode(errors="replace").strip().rpartition("\n")[2]
            status = process.wait()
    finally:
        process.kill()
    if status < 0:
        raise Corrupt(f"the file is so damaged that reading it ended the process with {signal.Signals(-status).name}")
    if not ended:
        raise Corrupt(f"the file is so damaged that reading it failed: {words}")


def _check(path: str, quick: bool) -> Iterator[tuple[str, Any]]:
    try:
        store = Store(path, readonly=True)
    except Corrupt as error:
        yield "problem", str(error)
        return
    try:
        try:
            _recipe(store.recipe)
        except BadRecipe as error:
            yield "problem", f"the recipe in the format record makes no sense: {error}"
        for sentence in examine(store, quick=quick):
            yield "unchecked" if isinstance(sentence, Unchecked) else "problem", sentence
    finally:
        store.close()


def _repair(path: str, target: str) -> Iterator[tuple[str, Any]]:
    for found in repairing(path, target, _sampled):
        yield "written" if isinstance(found, Repaired) else "lost", found


def _sampled(recipe: Mapping[str, Any]) -> bool:
    return any(find_scheme(rule.scheme).sampling for rule in _recipe(recipe).rules.values())


def _recipe(record: Mapping[str, Any]) -> Recipe:
    """A database's recipe; without its key, where that is in a file of its own. Raises BadRecipe."""
    known = {name: value for name, value in record.items() if name != KEY_DIGEST}
    return Recipe.from_record(known if KEY_DIGEST not in record else known | {"key": None})


_TASKS: Mapping[str, Callable[..., Iterator[tuple[str, Any]]]] = {"check": _check, "repair": _repair}


def _serve(task: str, arguments: str) -> None:
    def say(sort: str, value: object) -> None:
        sys.stdout.write(json.dumps([sort, value]) + "\n")
        sys.stdout.flush()

    try:
        for sort, value in _TASKS[task](*json.loads(arguments)):
            say(sort, value)
    except Error as error:
        say("raised", [type(error).__name__, str(error)])
    say("ended", None)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
