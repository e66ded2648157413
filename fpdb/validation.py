"""Check arguments that callers give."""

from numbers import Integral

from fpdb.errors import Error


def check_integer(
    value: object,
    name: str,
    minimum: int,
    *,
    maximum: int | None = None,
    error: type[Exception] = Error,
    message: str | None = None,
) -> int:
    """Return the value as an int if it is a whole number from minimum to maximum.

    Args:
        value: The caller's argument; booleans are refused.
        name: The argument's name, for the message.
        minimum: Smallest value allowed.
        maximum: Largest value allowed, if there is one.
        error: Class to raise.
        message: Beginning of the message, up to ", not ...".

    Raises:
        error: The value is not a whole number, or is out of range.
    """
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or number < minimum or (maximum is not None and number > maximum):
        limits = f", {minimum} or more" if maximum is None else f" from {minimum} to {maximum}"
        raise error(f"{message or f'{name} must be a whole number{limits}'}, not {value!r}")
    return number
