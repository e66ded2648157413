"""Check arguments that callers give."""

from numbers import Integral
from typing import Final

from fpdb.errors import Error

LARGEST: Final = 2**63 - 1
"""The largest whole number that an argument may be."""


def check_integer(
    value: object,
    name: str,
    minimum: int,
    *,
    maximum: int | None = None,
    error: type[Exception] = Error,
    message: str | None = None,
) -> int:
    """Return the value of an argument as an int; raise `error` if it is no whole number, or out of range.

    message: the beginning of the error's message, up to ", not ...", if that is not about `name`.
    """
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    limit = LARGEST if maximum is None else maximum
    if number is None or not minimum <= number <= limit:
        is_open = maximum is None and (number is None or number < minimum)
        limits = f", {minimum} or more" if is_open else f" from {minimum} to {limit}"
        raise error(f"{message or f'{name} must be a whole number{limits}'}, not {value!r}")
    return number
