"""Check and repair a database whose file may be damaged, in a subprocess.

LMDB maps the file into memory and trusts it, so damage, or a medium that fails, can end the process that reads it. The
subprocess only reads the file; if damage ends it, that is one finding more.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import IO, Any, NamedTuple, cast

from fpdb import errors
from fpdb.checked_calls import checked
from fpdb.errors import BadRecipe, Corrupt, Error, RecipeMismatch
from fpdb.fingerprint import KEY_DIGEST, Recipe, find_scheme
from fpdb.storage.environment.failures import translated
from fpdb.storage.environment.open_file import refuse_changed, state_of
from fpdb.storage.maintenance.check import examine
from fpdb.storage.maintenance.copies import write_copy
from fpdb.storage.maintenance.repair import Loss as Loss  # handed out
from fpdb.storage.maintenance.repair import Repaired
from fpdb.storage.maintenance.repair import repair as repairing
from fpdb.storage.maintenance.verifier import Unchecked
from fpdb.storage.store import Store


@dataclass(frozen=True)
class Findings:
    """The outcome of `check`.

    Attributes:
        problems: A sentence for each fault.
        unchecked: A sentence for each part that could not be looked at.
    """

    problems: tuple[str, ...]
    unchecked: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """True if nothing that was looked at is wrong."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, as `fpdb check --format json` prints it."""
        return asdict(self)


@dataclass(frozen=True)
class Repair:
    """The counts of what `repair` has written, and the losses."""

    documents: int
    boilerplate_documents: int
    postings: int
    texts: int
    losses: tuple[Loss, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists and numbers."""
        return asdict(self) | {"losses": [loss.to_dict() for loss in self.losses]}


@checked
def check(path: str | os.PathLike[str], *, quick: bool = False, immutable: bool = False) -> Findings:
    """Verify a database in a subprocess; damage that ends the subprocess is reported as a problem.

    Args:
        path: The database.
        quick: Look at the pages of the trees, the state, all fences, and samples of all else: about a second,
            whatever the size.
        immutable: See `fpdb.open`.

    Raises:
        NoSuchDatabase: There is no file; NotADatabase, NewerFormat: It cannot be opened.
        Locked: Another process is writing; StorageFailure: The file cannot be read, or was written to while it was
            open as immutable.
    """
    sentences: dict[str, list[str]] = {"problem": [], "unchecked": []}
    try:
        with _changes_refused(os.fspath(path), immutable):
            for sort, value in _run_in_subprocess("check", os.fspath(path), quick, immutable):
                sentences[sort].append(value)
    except Corrupt as error:
        sentences["problem"].append(str(error))
    return Findings(tuple(sentences["problem"]), tuple(sentences["unchecked"]))


@checked
def repair(path: str | os.PathLike[str], target: str | os.PathLike[str]) -> Repair:
    """Write all that is sound in a database to a new file, in a subprocess; the damaged file is only read.

    Nobody may write to the database meanwhile. A document of which fingerprints, positions or a kept text are lost is
    kept with the rest of it, and is among the losses.

    Raises:
        DatabaseExists: There is a file at the target.
        NoSuchDatabase: There is no file; NotADatabase, NewerFormat: It cannot be opened.
        Corrupt: Nothing can be saved; StorageFailure: A file cannot be read or written.
    """
    losses: list[Loss] = []
    for sort, value in _run_in_subprocess("repair", os.fspath(path), os.fspath(target)):
        if sort == "written":
            return Repair(**Repaired(*value)._asdict(), losses=tuple(losses))
        losses.append(Loss(*value))
    raise Corrupt(f"the repair of {os.fspath(path)!r} did not come to its end: use a backup")


class CheckedCopy(NamedTuple):
    """The random ids of a database and of its copy; empty for format version 1."""

    source_id: bytes
    copy_id: bytes


def copy_checked(source: str, target: str, like: str | None, *, immutable: bool = False) -> CheckedCopy:
    """Write a copy of a database to a new file, and check all of the copy, in a subprocess.

    Args:
        source: The database.
        target: The file, which is left as it is if it is not sound.
        like: A database that must have the same recipe.
        immutable: See `fpdb.open`; of the source.

    Raises:
        Error: What `fpdb.open` raises for either database; RecipeMismatch; Corrupt: the copy is not sound.
    """
    copy = None
    with _changes_refused(source, immutable):
        for sort, value in _run_in_subprocess("copy", source, target, like, immutable):
            if sort == "copied":
                copy = CheckedCopy(*map(bytes.fromhex, value))
            elif sort == "problem":
                raise Corrupt(value)
    if copy is None:
        raise Corrupt("the copy did not come to its end")
    return copy


@contextmanager
def _changes_refused(path: str, immutable: bool) -> Iterator[None]:
    """Raise StorageFailure if a file that is read as immutable changes in the block, also where that looks like damage.

    If the file cannot be looked at, the block says so itself.
    """
    state = None
    with suppress(OSError):
        state = state_of(path) if immutable else None
    try:
        yield
    finally:
        if state is not None:
            with suppress(OSError):
                refuse_changed(path, state)


# ---------------------------------------------------------------- the subprocess


def _run_in_subprocess(task: str, *arguments: object) -> Iterator[tuple[str, Any]]:
    """Yield what a task of `_TASKS` gives in a subprocess; raise what it raises, or Corrupt if it dies."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # No shell takes part: the program is this Python, with a module of this package. A path is data in a JSON argument.
    process = subprocess.Popen(  # noqa: S603 (this Python, no shell)
        [sys.executable, "-P", "-m", "fpdb.maintenance", task, json.dumps(arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    output, error_output = cast("tuple[IO[bytes], IO[bytes]]", (process.stdout, process.stderr))
    try:
        with process:
            ended = False
            for line in output:
                if not line.endswith(b"\n"):
                    break
                sort, value = json.loads(line)
                if sort == "raised":
                    raise getattr(errors, value[0])(value[1])
                ended = sort == "ended"
                if not ended:
                    yield sort, value
            words = error_output.read().decode(errors="replace").strip().rpartition("\n")[2]
            status = process.wait()
    finally:
        process.kill()
    if status < 0:
        raise Corrupt(f"the file is so damaged that reading it ended the process with {signal.Signals(-status).name}")
    if not ended:
        raise Corrupt(f"the file is so damaged that reading it failed: {words}")


def _check(path: str, quick: bool, immutable: bool) -> Iterator[tuple[str, Any]]:
    try:
        store = Store(path, readonly=True, immutable=immutable)
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


def _copy(source: str, target: str, like: str | None, immutable: bool) -> Iterator[tuple[str, Any]]:
    with closing(Store(source, readonly=True, immutable=immutable)) as store:
        if like is not None:
            with closing(Store(like, readonly=True)) as other:
                if other.recipe != store.recipe:
                    raise RecipeMismatch(
                        f"{like!r} has another recipe than {source!r}, and whoever has it open could not go on: remove "
                        "it first, or publish at another path"
                    )
        with store.snapshot() as snapshot:
            source_id = snapshot.file_id()
        with translated(target):
            copy_id = write_copy(store.env, target)
        yield "copied", (source_id.hex(), copy_id.hex())
    yield from _check(target, quick=False, immutable=False)


def _repair(path: str, target: str) -> Iterator[tuple[str, Any]]:
    for finding in repairing(path, target, _makes_samples):
        yield "written" if isinstance(finding, Repaired) else "lost", finding


def _makes_samples(recipe: Mapping[str, Any]) -> bool:
    return any(find_scheme(rule.scheme).sampling for rule in _recipe(recipe).rules.values())


def _recipe(record: Mapping[str, Any]) -> Recipe:
    """Return a database's recipe, without the key if that is in a file. Raises BadRecipe."""
    fields = {name: value for name, value in record.items() if name != KEY_DIGEST}
    return Recipe.from_record(fields if KEY_DIGEST not in record else fields | {"key": None})


_TASKS: Mapping[str, Callable[..., Iterator[tuple[str, Any]]]] = {"check": _check, "copy": _copy, "repair": _repair}


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
