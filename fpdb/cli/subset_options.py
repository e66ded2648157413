"""Options that limit a command to some of the documents."""

from typing import Any

from fpdb.cli.arguments import argument_group, option
from fpdb.cli.parameters import name_value


@argument_group
class SubsetOptions:
    """Options that choose documents, as `fpdb.Database.query` and `pairs` take them."""

    labels: tuple[tuple[str, str], ...] = option(
        "Only documents that have this label; repeatable: all of these labels.",
        "--label",
        type=name_value,
        metavar="KEY=VALUE",
    )
    names: tuple[str, ...] = option(
        "Only documents whose names match a shell pattern: 'essays/2026/*'; repeatable: one of these patterns.",
        metavar="PATTERN",
    )
    exclude_names: tuple[str, ...] = option(
        "No documents whose names match a shell pattern; repeatable.", metavar="PATTERN"
    )

    def options(self) -> dict[str, Any]:
        """Return the options as calls take them."""
        return vars(self)
