"""Parse JSON of which nothing is believed: objects take no more memory than is allowed, and long numbers no time.

`json` takes up to 70 times the size of a text for empty lists and objects, and refuses a text for one number of more
digits than Python converts, which is quadratic work.
"""

import json
from typing import Any, Final

from fpdb import limits

_BYTES_OF_VALUE: Final = 100
"""Of memory that a list, an object, a string or a number may take beside its own bytes, on average."""
_SMALL: Final = 1 << 20
"""Characters of a text that is not counted: it takes some megabytes at most."""
_MAX_DIGITS: Final = 4300
"""Digits of a whole number: those that Python converts by default."""


class LongNumber:
    """A whole number of more digits than are read."""


def parse(text: str | bytes) -> Any:
    """Return the value of a JSON text, with `LongNumber` for numbers that are too long. Raises ValueError."""
    check_size(text)
    try:
        return json.loads(text, parse_int=_parse_integer)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def check_size(text: str | bytes) -> None:
    """Raise ValueError if the values of a JSON text may take more memory than is allowed."""
    if len(text) < _SMALL:
        return
    if isinstance(text, str):
        values = text.count(",") + text.count("[") + text.count("{")
    else:
        values = text.count(b",") + text.count(b"[") + text.count(b"{")
    if 2 * len(text) + _BYTES_OF_VALUE * values > limits.current().memory:
        raise ValueError(f"{limits.current().memory_fault()}: it has {values:,} values")


def _parse_integer(digits: str) -> int | LongNumber:
    return int(digits) if len(digits) <= _MAX_DIGITS else LongNumber()
