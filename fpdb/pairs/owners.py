"""The rule that tells the owner of a document."""

from typing import NamedTuple, Self

from fpdb.errors import BadQuery
from fpdb.storage.records import Record


class OwnerRule(NamedTuple):
    """The owner is the value of a label, or the first parts of the name if label is None."""

    label: str | None
    parts: int

    @classmethod
    def parse(cls, rule: str) -> Self:
        """Return the rule "label:KEY", or "path:N" for the first N parts of the name. Raises BadQuery."""
        kind, _, value = rule.partition(":")
        if kind == "label" and value:
            return cls(value, 0)
        if kind == "path" and value.isascii() and value.isdecimal() and int(value) > 0:
            return cls(None, int(value))
        raise BadQuery(f"owners are told by path:N or label:KEY, not {rule!r}")

    def owner(self, record: Record) -> bytes | None:
        """Return the owner of a document, or None if it has none."""
        if self.label is None:
            return b"/".join([part for part in record.name.split(b"/") if part not in (b"", b".")][: self.parts])
        value = record.labels.get(self.label)
        return None if value is None else value.encode("utf-8", "surrogateescape")
