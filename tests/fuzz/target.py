"""A target of the fuzzer."""

from collections.abc import Callable
from dataclasses import dataclass

from fpdb.errors import Error
from fpdb.fingerprint import Recipe

LARGEST = 1 << 16
"""Bytes of an input."""
RECIPES = [Recipe.preset(name) for name in ("text", "koala", "code", "sample")]


@dataclass(frozen=True)
class Target:
    """A function of any bytes, errors besides `fpdb.Error` that it may raise, and a function that makes seeds."""

    run: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    errors: tuple[type[Exception], ...] = ()

    def attempt(self, data: bytes) -> bool:
        """Return True if the input was accepted. Raise any error that is not allowed."""
        try:
            self.run(data)
        except (Error, *self.errors):
            return False
        return True
