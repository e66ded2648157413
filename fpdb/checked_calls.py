"""Check the arguments of public calls against their annotations, so that a mistake is told at once and in words."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from reprlib import repr as short_repr
from types import FunctionType
from typing import Any, Final, NamedTuple, TypeVar, cast, get_args

from fpdb import options
from fpdb.errors import BadArgument

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)

_FUNCTION: Final = (lambda value: callable(value)), "a function"
_KNOWN: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "str": (lambda value: isinstance(value, str), "a string"),
    "bytes": (lambda value: isinstance(value, bytes), "bytes"),
    "bool": (lambda value: type(value).__name__ in ("bool", "bool_"), "True or False"),
    "int": (lambda value: isinstance(value, Integral) and not isinstance(value, bool), "a whole number"),
    "float": (lambda value: isinstance(value, Real) and not isinstance(value, bool), "a number"),
    "None": (lambda value: value is None, "None"),
    "os.PathLike": (lambda value: isinstance(value, os.PathLike), "a path"),
    "datetime": (lambda value: hasattr(value, "timestamp"), "a datetime"),
    "Mapping": (lambda value: isinstance(value, Mapping), "a mapping"),
    "Iterable": (lambda value: isinstance(value, Iterable), "an iterable"),
    "BinaryIO": (lambda value: hasattr(value, "read") or hasattr(value, "write"), "a file that is open for bytes"),
    "Callable": _FUNCTION,
    "TextLookup": _FUNCTION,
    "Watch": _FUNCTION,
}
"""The test of each annotation that is known, and what it is called."""
_UNCHECKED: Final = frozenset({"Any", "object", "Integers", "Strings"})
"""Annotations that are left to the function, which looks at arrays itself."""
_FREQUENT: Final[tuple[object, ...]] = ("", b"", True, 0, 0.0, None, {}, [])
"""Values of frequent classes: where one passes a test, all of its class do. No option has an empty string's name."""


class _Check(NamedTuple):
    """The tests of an argument, one of which it must pass, and what it is then; frequent classes that pass one."""

    tests: tuple[Callable[[object], bool], ...]
    expected: str
    classes: frozenset[type]


class _Plan(NamedTuple):
    """The checks of a function's arguments."""

    positional: tuple[str, ...]
    names: frozenset[str]  # that it takes
    checks: Mapping[str, _Check]


def checked(function: _Function) -> _Function:
    """Return a function that raises BadArgument where an argument contradicts its annotation.

    The keywords of a `TypedDict` are checked by name only, since they become options that check themselves.
    """

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        plan = _plan(function)
        if not plan.names.issuperset(keywords):
            check_names(keywords, plan.names, function.__name__)
        for name, value in (*zip(plan.positional, arguments, strict=False), *keywords.items()):
            check = plan.checks.get(name)
            if check is None or type(value) in check.classes:
                continue
            if not any(test(value) for test in check.tests):
                raise BadArgument(f"{name} must be {check.expected}, not {short_repr(value)}")
        return function(*arguments, **keywords)

    return cast(_Function, call)


def checked_methods(class_: _Class) -> _Class:
    """Have all public methods of a class checked, see `checked`."""
    for name, method in list(vars(class_).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(class_, name, checked(method))
    return class_


def check_names(given: Iterable[str], allowed: Iterable[str], function: str) -> None:
    """Raise BadArgument if a keyword is none that the function takes, and name the one that was probably meant."""
    allowed = sorted(allowed)
    for name in given:
        if name not in allowed:
            from difflib import get_close_matches

            near = get_close_matches(name, allowed, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(allowed)}"
            raise BadArgument(f"{function}() has no argument {name!r}: {hint}")


def check_path(value: object, name: str) -> str:
    """Return a path as a string. Raises BadArgument if it is none."""
    if not isinstance(value, str | os.PathLike) or not isinstance(path := os.fspath(value), str):
        raise BadArgument(f"{name} must be a string or a path, not {short_repr(value)}")
    return path


def check_timeout(seconds: float) -> None:
    """Raise BadArgument unless a timeout is 0 or more seconds."""
    if not seconds >= 0:
        raise BadArgument(f"timeout must be a number of seconds, 0 or more, not {seconds!r}")


@cache
def _plan(function: Callable[..., Any]) -> _Plan:
    from inspect import Parameter, signature

    positional: list[str] = []
    names: set[str] = set()
    checks: dict[str, _Check] = {}
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD:
            keywords = getattr(options, parameter.annotation.removeprefix("Unpack[").removesuffix("]"))
            names |= keywords.__annotations__.keys()
            continue
        if parameter.kind is not Parameter.KEYWORD_ONLY:
            positional.append(name)
        names.add(name)
        if parameter.annotation is not Parameter.empty and (check := _check(parameter.annotation)) is not None:
            checks[name] = check
    return _Plan(tuple(positional), frozenset(names - {"self"}), checks)


def _check(annotation: str) -> _Check | None:
    """Return the check of an annotation, a union of classes; None if one of them is left to the function."""
    tests: list[Callable[[object], bool]] = []
    expected: list[str] = []
    while "[" in annotation:  # the innermost ones first
        annotation = re.sub(r"\[[^][]*\]", "", annotation)
    for name in annotation.split(" | "):
        if name in _UNCHECKED:
            return None
        test, text = _KNOWN.get(name) or _test_of(name)
        tests.append(test)
        expected.append(text)
    classes = frozenset(type(value) for value in _FREQUENT if any(test(value) for test in tests))
    return _Check(tuple(tests), _alternatives(dict.fromkeys(expected)), classes)


def _test_of(name: str) -> tuple[Callable[[object], bool], str]:
    """Return the test of the name of literals in `options`, or of a class, which need not be imported."""
    values = get_args(getattr(options, name, None))
    if not values:
        return lambda value: any(base.__name__ == name for base in type(value).__mro__), f"a {name}"
    return lambda value: isinstance(value, str) and value in values, _alternatives(map(repr, values))


def _alternatives(texts: Iterable[str]) -> str:
    """Return `A, B or C`."""
    *most, last = texts
    return f"{', '.join(most)} or {last}" if most else last
