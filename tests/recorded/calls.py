"""Calls of the library as data: written as Python writes them, made when they are evaluated, and told in words."""

from collections.abc import Mapping
from typing import Any


class Named:
    """A value that is told by a name, since it is long or has no good words of its own."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value

    def __repr__(self) -> str:
        return self.name


class Call:
    """Attributes and calls on a named object, put off until `evaluate`.

    `repr` is the Python that it was written as.
    """

    def __init__(self, words: str, steps: tuple[Any, ...] = ()) -> None:
        self._words = words
        self._steps = steps

    def __getattr__(self, name: str) -> "Call":
        return Call(f"{self._words}.{name}", (*self._steps, name))

    def __call__(self, *arguments: Any, **options: Any) -> "Call":
        told = [*map(repr, arguments), *(f"{name}={value!r}" for name, value in options.items())]
        return Call(f"{self._words}({', '.join(told)})", (*self._steps, (arguments, options)))

    def __repr__(self) -> str:
        return self._words


def evaluate(call: Call, names: Mapping[str, Any]) -> Any:
    """Return what a call gives. names: the objects that calls begin with."""
    words, steps = str(call), vars(call)["_steps"]
    value = names[words[: min(words.find(sign) for sign in (".", "(") if sign in words)]]
    for step in steps:
        if isinstance(step, str):
            value = getattr(value, step)
        else:
            arguments, options = step
            value = value(
                *(_plain(argument, names) for argument in arguments),
                **{name: _plain(option, names) for name, option in options.items()},
            )
    return value


def _plain(value: Any, names: Mapping[str, Any]) -> Any:
    if isinstance(value, Named):
        return value.value
    if isinstance(value, Call):
        return evaluate(value, names)
    return value
