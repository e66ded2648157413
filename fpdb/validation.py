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
    """Return the value of an argument as an int; raise `error` if it is no whole number, or out of range.

    message: the beginning of the error's message, up to ", not ...", if that is not about `name`.
    """
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or number < minimum or (maximum is not None and number > maximum):
        limits = f", {minimum} or more" if maximum is None else f" from {minimum} to {maximum}"
        raise error(f"{message or f'{name} must be a whole number{limits}'}, not {value!r}")
    return number
