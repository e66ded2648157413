"""Record the results and the errors of calls, for all flows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import fpdb

See = Callable[..., None]
Flow = Callable[[See], None]


@contextmanager
def seen_errors(see: See) -> Iterator[None]:
    """See what the block raises."""
    try:
        yield
    except Exception as error:
        see(error)


def trying(see: See, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """See what a call gives, or raises; of a generator all that it gives."""
    with seen_errors(see):
        found = function(*arguments, **options)
        see(list(found) if isinstance(found, Iterator) else found)


def web() -> fpdb.Recipe:
    """Return the recipe of the preset for web pages."""
    return fpdb.Recipe.preset("web")
