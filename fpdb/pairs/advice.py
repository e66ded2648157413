"""Say why nothing can be compared, or why owners are not what was meant, and which rule tells them."""

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from fpdb.pairs.owners import DEFAULT, PRESETS, OwnerRule, Owners, name_parts


class Advice(NamedTuple):
    """Advice about owners.

    Attributes:
        reason: Why nothing can be compared, or that no owner is told.
        rules: The rules that tell several owners.
        compared: True if documents are compared all the same.
    """

    reason: str
    rules: tuple[str, ...] = ()
    compared: bool = False

    def text(self, option: str = "owners") -> str:
        """Return a sentence without its full stop. option: the name of the option that takes a rule."""
        choices = " or ".join(f"{option} {rule}" for rule in self.rules)
        return f"{self.reason}: try {choices}" if choices else self.reason


def find_advice(rule: OwnerRule, names: Sequence[bytes], owners: Owners, *, by_owner: bool) -> Advice | None:
    """Return advice if there are not two documents of different owners, or if the rule tells no owner of any."""
    count = len(names)
    if count < 2:
        return Advice("There is only 1 document to compare" if count else "There is no document to compare")
    if owners.count(None) == count:
        if rule.text == DEFAULT and not by_owner:
            return None
        reason = f"None of the {count:,} documents {rule.matches}, so each is its own owner"
        return Advice(reason, _rules(names, only_folders=True), compared=True)
    if len(set(owners)) > 1 or owners[0] is None:
        return None
    name = owners[0].decode("utf-8", "surrogateescape")
    return Advice(f"All {count:,} documents have one owner, {name!r}", _rules(names))


def _rules(names: Sequence[bytes], *, only_folders: bool = False) -> tuple[str, ...]:
    """Return the shortest path that tells several owners, and the presets that do.

    only_folders: leave out a path that is all parts of each name.
    """
    split = [name_parts(name) for name in names]
    common = takewhile(lambda pair: pair[0] == pair[1], zip(min(split), max(split), strict=False))
    depth = len(list(common)) + 1
    is_folder = any(len(parts) > depth for parts in split)
    path = [f"path:{depth}"] if is_folder or not only_folders else []
    return tuple(rule for rule in (*path, *PRESETS) if _count(rule, names) > 1)


def _count(rule: str, names: Sequence[bytes]) -> int:
    """Return the number of owners that a rule tells of names."""
    return len(set(OwnerRule.parse(rule).owners(names, ())) - {None})
