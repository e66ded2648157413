"""What all commands do that compare all documents: say what is in no pair, and show how the work gets on."""

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from fpdb.cli.output import names_text, say

if TYPE_CHECKING:
    from fpdb import Database

T = TypeVar("T")


def say_discarded(db: "Database") -> None:
    """Names the documents that no other can be like."""
    discarded = db.only_boilerplate()
    if discarded:
        say(f"in no pair, since all of their fingerprints are boilerplate: {names_text(discarded)}")


def watched(find: Callable[..., Iterator[T]], options: dict[str, Any]) -> Iterator[T]:
    """What it finds, once there is a first one; until then a terminal shows how the work gets on."""
    from fpdb.cli.progress import TerminalWatcher

    with TerminalWatcher() as watcher:
        found = find(watch=watcher.stage, **options)
        first = list(islice(found, 1))
    return chain(first, found)
