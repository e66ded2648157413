"""Types of option values."""

from typing import Any

import click

MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])
"""A day or a time, in the local time zone."""


class LazyChoice(click.ParamType[str]):
    """A name from a table that is read only when the library is imported."""

    name = "name"

    def __init__(self, table: str, *names: str) -> None:
        """Choose from PRESETS, SCHEMES or KINDS of `fpdb.fingerprint`, or from further names."""
        self._table = table
        self._names = names

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name if it exists."""
        choices = self._choices()
        if value not in choices:
            self.fail(f"there is no {value!r}; choose one of: {', '.join(choices)}", param, ctx)
        return value

    def get_metavar(self, *_: object, **__: object) -> str:
        """Return the names, for the help text."""
        return f"[{'|'.join(self._choices())}]"

    def _choices(self) -> list[str]:
        import fpdb.fingerprint

        return [*self._names, *getattr(fpdb.fingerprint, self._table)]


class NameValue(click.ParamType[tuple[str, str]]):
    """`NAME=VALUE`, as a pair. The value may contain equal signs."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Return the pair."""
        if isinstance(value, tuple):
            return value
        name, equals, rest = str(value).partition("=")
        if not name or not equals:
            self.fail(f"{value!r} is not NAME=VALUE", param, ctx)
        return name, rest


class Key(click.ParamType[int]):
    """A hash key, decimal or `0x...`. Error messages do not repeat the value, which may be a secret."""

    name = "key"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        try:
            key = int(str(value), 0)
        except ValueError:
            key = -1
        if not 0 <= key < 2**64:
            self.fail("a key is a whole number from 0 to 2^64 - 1", param, ctx)
        return key
