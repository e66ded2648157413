"""Options and messages of the commands that compare all documents with each other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

import click

from fpdb.cli.options import Command, combine
from fpdb.cli.parameters import MOMENT, NameValue
from fpdb.cli.terminal import names_text, say

if TYPE_CHECKING:
    from fpdb import Database

T = TypeVar("T")

COUNTED_MEASURES = ("containment", "resemblance", "shared", "weighted-containment", "weighted-resemblance")
COVERAGE_MEASURES = ("coverage", "weighted-coverage")


@dataclass(frozen=True)
class PairSelection:
    """Which pairs of documents pass, as `fpdb.Database.pairs` takes it."""

    by: str
    min_shared: int
    min: float | None
    max_df: int | None
    new: tuple[str, str] | None
    since: datetime | None
    owners: str


def pair_options(measures: Sequence[str] = COUNTED_MEASURES, note: str = "") -> Callable[[Command], Command]:
    """Add the options of a `PairSelection`.

    Args:
        measures: The choices of --by.
        note: More help for --by.
    """
    return combine(
        click.option(
            "--by",
            type=click.Choice(measures),
            default="containment",
            show_default=True,
            callback=lambda _, __, value: value.replace("-", "_"),
            help="Measure to sort by, and for --min. Containment is the larger of the two directions; weighted "
            f"measures give rare hashes more weight.{note}",
        ),
        click.option(
            "--min-shared",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            metavar="N",
            help="Only pairs that share at least N fingerprints.",
        ),
        click.option(
            "--min",
            type=float,
            metavar="X",
            help="Only pairs whose measure is at least X.  [default: 0.5 for clusters and drop lists]",
        ),
        click.option(
            "--max-df",
            type=click.IntRange(min=0),
            metavar="M",
            help="Ignore hashes that M or more documents contain, in scores and regions; 0 ignores none.  "
            "[default: 1000 beyond 10,000 documents, else 0]",
        ),
        click.option(
            "--new", type=NameValue(), metavar="KEY=VALUE", help="Only pairs with a document that has this label."
        ),
        click.option(
            "--since",
            type=MOMENT,
            metavar="DATE",
            help="Only pairs with a document added at or after this time: 2026-01-31, or 2026-01-31T09:00:00.",
        ),
        click.option(
            "--owner-from",
            "owners",
            default="label:owner",
            show_default=True,
            metavar="RULE",
            help="Do not pair documents of one owner. path:N: the owner is the first N parts of the name; label:KEY: "
            "it is the value of that label.",
        ),
    )


def keep_option(default: str | None) -> Callable[[Command], Command]:
    """Add --keep."""
    return click.option(
        "--keep",
        default=default,
        show_default=default is not None,
        metavar="RULE",
        help="Which of several similar documents to keep. first: the one added first; longest: the one with the most "
        "symbols; label:KEY=VALUE,VALUE2: the one whose label has the earliest of these values.",
    )


def warn_of_boilerplate_only(db: "Database") -> None:
    """Name the documents that consist of boilerplate, and so are in no pair."""
    names = db.only_boilerplate()
    if names:
        say(f"in no pair, since all of their fingerprints are boilerplate: {names_text(names)}")


def with_progress(search: Callable[..., Iterator[T]]) -> Iterator[T]:
    """Return the results of a search that takes `watch`; show its progress until the first one is found."""
    from fpdb.cli.progress import TerminalWatcher

    with TerminalWatcher() as watcher:
        results = search(watch=watcher.stage)
        first = list(islice(results, 1))
    return chain(first, results)
