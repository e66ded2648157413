"""Check arguments that callers give."""

from __future__ import annotations

from numbers import Integral

from fpdb.errors import Error


def check_integer(
    value: object, name: str, minimum: int, *, error: type[Exception] = Error, message: str | None = None
) -> int:
    """Return value as an int if it is a whole number of at least minimum.

    Args:
        value: What the caller gave; booleans are refused.
        name: The argument's name, for the message.
        minimum: The least value allowed.
        error: The class to raise.
        message: The beginning of the message, up to ", not ...".

    Raises:
        error: The value is not a whole number, or is less than minimum.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < minimum:
        raise error(f"{message or f'{name} must be a whole number, {minimum} or more'}, not {value!r}")
    return int(value)
