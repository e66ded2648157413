"""Types of option values."""

import codecs
import re
from importlib import import_module
from typing import Any

import click


class Moment(click.DateTime):
    """A day or a time, in the local time zone."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse it. Raises BadParameter."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is neither a day, as 2026-01-31, nor a time, as 2026-01-31T09:00:00", param, ctx)


MOMENT = Moment(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])


class LazyChoice(click.ParamType[str]):
    """A name from a table that is read only when the library is imported."""

    name = "name"

    def __init__(self, module: str, table: str, *names: str) -> None:
        """Choose from a table of a module, or from further names."""
        self._module, self._table = module, table
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
        return [*self._names, *getattr(import_module(self._module), self._table)]


def byte_size(text: str) -> int:
    """Read a number of bytes, such as 500MB or 1.5GB."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?) ?([kmgt]?)b?", text.strip(), re.IGNORECASE)
    size = 0 if match is None else int(float(match[1]) * 1000 ** " kmgt".index(match[2].lower() or " "))
    if size <= 0:
        raise click.BadParameter(f"{text!r} is not a size, such as 500MB or 1.5GB")
    return size


def cell_delimiter(text: str) -> str:
    """Read what separates cells of CSV: a character, or the word tab."""
    separator = "\t" if text in ("tab", "\\t") else text
    if len(separator) != 1 or separator in '"\r\n':
        raise click.BadParameter(f"{text!r} does not separate cells: give one character, such as ; or the word tab")
    return separator


def text_encoding(name: str) -> str:
    """Read the name of an encoding of texts."""
    try:
        encoding = codecs.lookup(name)
        "".encode(encoding.name)
    except (LookupError, ValueError):
        raise click.BadParameter(f"no encoding of texts is called {name!r}; some are utf-8, cp1252, gb18030") from None
    return encoding.name


def name_value(text: str) -> tuple[str, str]:
    """Split `NAME=VALUE`; the value may contain equal signs."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE")
    return name, value


def hash_key(text: str) -> int:
    """Read a hash key, decimal or `0x...`. Errors do not repeat it, since it may be a secret."""
    try:
        key = int(text, 0)
    except ValueError:
        key = -1
    if not 0 <= key < 2**64:
        raise click.BadParameter("a key is a whole number from 0 to 2^64 - 1")
    return key
