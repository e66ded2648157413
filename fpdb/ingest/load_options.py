"""Options of a load, which hold for every document."""

from collections.abc import Mapping
from typing import NamedTuple

from fpdb.options import Rarity


class LoadOptions(NamedTuple):
    """Options of a load, which hold for every document.

    labels, contact: For all documents, unless one has its own.
    boilerplate, rarity, keep_text, encoding: As for `WriteBatch.add`; None leaves each document as it was.
    if_absent: Leave documents whose names are stored as they are, without reading or comparing them.
    strict: Stop at a document that would be skipped, or at a record whose name came before.
    """

    boilerplate: bool | None = None
    labels: Mapping[str, str] = {}
    contact: str | None = None
    rarity: Rarity = "document"
    keep_text: bool | None = None
    strict: bool = False
    if_absent: bool = False
    encoding: str | None = None
