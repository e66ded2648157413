"""Runs calls and flows of the library, each in a fresh folder, and returns what is observable."""

from collections.abc import Callable
from typing import Any

import fpdb

from . import describing, observing, running, written
from .calls import Call, evaluate
from .library_calls import GROUPS, NAMES
from .library_flows import FLOWS
from .lines_adding import CORPUS
from .recorder import Base, Recorder

BASE = Base(("essays", "keys"), CORPUS)
MOMENT = running.BEGIN + 30 * 86_400


def cases() -> dict[str, dict[str, Callable[[Recorder], Any]]]:
    """Return what is recorded of the library: by group and case, what returns its outcome."""
    found: dict[str, dict[str, Callable[[Recorder], Any]]] = {
        name: {f"{call!r}": _bound(_call, call) for call in calls} for name, calls in GROUPS.items()
    }
    for name, calls in written.CALLS.items():
        found[name.replace(".", "_")] = {f"{call!r}": _bound(_call_of(name), call) for call in calls}
    found["library_flows"] = {name: _bound(_flow, name) for name in FLOWS}
    found["library_names"] = {name: _bound(_name, name) for name in NAMES}
    return found


def _bound(function: Callable[[Recorder, Any], Any], value: Any) -> Callable[[Recorder], Any]:
    return lambda recorder: function(recorder, value)


def _name(_: Recorder, name: str) -> list[str]:
    return describing.interface(name)


def _call_of(name: str) -> Callable[[Recorder, Any], Any]:
    """Return a function that makes calls of a stored database."""
    return lambda recorder, call: _call(recorder, call, name, Base(databases=(name,)))


def _call(recorder: Recorder, call: Call, name: str = "corpus.fpdb", base: Base = BASE) -> dict[str, Any]:
    def work(see: Callable[[Any], None]) -> None:
        if repr(call).startswith("db."):
            with fpdb.open(name, "r" if base is BASE else "r+") as db:
                found = evaluate(call, {"db": db})
                see(list(found) if hasattr(found, "__next__") else found)
        else:
            found = evaluate(call, {"fpdb": fpdb})
            see(found)
            if isinstance(found, fpdb.Database):
                found.close()

    return _observed(recorder, work, base)


def _flow(recorder: Recorder, name: str) -> dict[str, Any]:
    return _observed(recorder, FLOWS[name])


def _observed(recorder: Recorder, work: Callable[[Callable[..., None]], None], base: Base = BASE) -> dict[str, Any]:
    """Return what some work gives to be seen, or raises, and the files that it leaves."""
    before = recorder.begin(base)
    lines: list[str] = []

    def see(*values: Any) -> None:
        for value in values:
            if isinstance(value, BaseException):
                lines.extend(describing.raised(value, recorder.folder))
            else:
                lines.extend(describing.described(value, recorder.folder))

    with running.world(recorder.folder, MOMENT):
        try:
            work(see)
        except Exception as error:
            see(error)
    files = observing.files(recorder.folder, before, timeless=False)
    return {"seen": lines, **({"files": files} if files else {})}
