"""Options and messages of the commands that compare all documents with each other."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fpdb.cli.arguments import argument_group, option
from fpdb.cli.parameters import MOMENT, name_value
from fpdb.cli.terminal import names_text, say

if TYPE_CHECKING:
    from fpdb import Database
    from fpdb.pairs.results import Results

T = TypeVar("T")

ENOUGH = 16
DEFAULT_OWNERS = "label:owner"

COUNTED_MEASURES = (
    *("similarity", "mean-containment", "containment", "resemblance", "shared"),
    *("weighted-containment", "weighted-resemblance"),
)
MEASURE_HELP = (
    "Measure to sort by, and for --min. Containment is the larger of the two directions; weighted measures give rare "
    "hashes more weight. Similarity is the mean of both weighted containments, mean-containment that of both "
    "containments."
)


def _attribute_name(_: click.Context, __: click.Parameter, measure: str | None) -> str | None:
    return measure and measure.replace("-", "_")


def measure_option(choices: tuple[str, ...], text: str) -> Any:
    """Declare --by."""
    return option(text, choices=choices, callback=_attribute_name)


@argument_group
class PairSelection:
    """Options that select pairs of documents, as `fpdb.Database.pairs` takes it."""

    by: str | None = measure_option(COUNTED_MEASURES, f"{MEASURE_HELP}  [default: containment]")
    min_shared: int = option("Only pairs that share at least N fingerprints.", minimum=1, default=1, metavar="N")
    min: float | None = option(
        "Only pairs whose measure is at least X.  [default: 0.5 for clusters and drop lists]", metavar="X"
    )
    max_df: int | None = option(
        "Ignore hashes that M or more documents contain, in scores and regions, but between copies; 0 ignores none.  "
        "[default: 1000 beyond 10,000 documents, else 0]",
        minimum=0,
        metavar="M",
    )
    few: int = option(
        "A document of fewer than N fingerprints counts as if it had N, unless its text can be read and shows more; 0: "
        "its fingerprints are enough.",
        minimum=0,
        default=ENOUGH,
        metavar="N",
    )
    new: tuple[str, str] | None = option(
        "Only pairs with a document that has this label.", type=name_value, metavar="KEY=VALUE"
    )
    since: datetime | None = option(
        "Only pairs with a document added at or after this time: 2026-01-31, or 2026-01-31T09:00:00.",
        type=MOMENT,
        metavar="DATE",
    )
    owners: str = option(
        "Do not pair documents of one owner. path:N: the owner is the first N parts of the name; path:-N: it is all "
        "but the last N; label:KEY: it is the value of that label; moodle, canvas, blackboard: it is the student in "
        "the names that these export.",
        "--owners",
        "--owner-from",
        default=DEFAULT_OWNERS,
        metavar="RULE",
    )
    owner_pattern: str | None = option(
        "Likewise: the owner is what the first group of this regular expression (RE2) finds in the name, or all of it.",
        metavar="REGEX",
    )

    def options(self) -> dict[str, Any]:
        """Return the options as `fpdb.Database.pairs` takes them. Raises click.UsageError."""
        options = {name: value for name, value in vars(self).items() if name != "by" or value is not None}
        pattern = options.pop("owner_pattern")
        if pattern is None:
            return options
        if self.owners != DEFAULT_OWNERS:
            raise click.UsageError("owners are told by --owners or by --owner-pattern, not by both")
        return options | {"owners": f"pattern:{pattern}"}


def keep_option(default: str | None) -> Any:
    """Declare --keep."""
    return option(
        "Which of several similar documents to keep. first: the one added first; longest: the one with the most "
        "symbols; label:KEY=VALUE,VALUE2: the one whose label has the earliest of these values.",
        default=default,
        metavar="RULE",
    )


def warn_of_boilerplate_only(db: "Database") -> None:
    """Name the documents that consist of boilerplate, and so are in no pair."""
    names = db.only_boilerplate()
    if names:
        say(f"in no pair, since all of their fingerprints are boilerplate: {names_text(names)}")


def with_progress(
    search: "Callable[..., Results[T]]", noun: str = "document", *, in_table: bool = False
) -> "Results[T]":
    """Return the results of a search that takes `watch`; show its progress, and say what was left out.

    noun: what is compared. in_table: a table follows, and `NothingFound` says why there is none.
    """
    from fpdb.cli.progress import ProgressDisplay

    with ProgressDisplay() as watcher:
        results = search(watch=watcher.stage)
        ignored, held_back, advice = results.ignored, results.held_back, results.advice
    if ignored.hashes:
        say(ignored.text(noun, "--max-df"))
    if held_back.by_texts or held_back.unread:
        say(held_back.text("--few"))
    if advice is not None and (advice.compared or not in_table):
        say(advice.text("--owners"))
    return results
