"""Rotation of documents whose contents can still be had: other fingerprints are stored, nothing else.

Heintze, "Scalable Document Fingerprinting" (1996), section 3.3: sources that are stale are listed, with the contact.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fpdb.errors import ContentChanged, NoSuchDocument, Unreadable
from fpdb.ingest.loading import is_full

if TYPE_CHECKING:
    from fpdb.database import Database
    from fpdb.documents import Document


class Stale(NamedTuple):
    """A document whose source does not give its content any more."""

    name: str
    source: str | None
    contact: str | None
    reason: str


@dataclass
class Rotated:
    """What a rotation did; only what was committed is counted."""

    documents: int = 0
    stale: list[Stale] = field(default_factory=list)


def rotate(db: "Database", documents: Iterable["Document"], *, rotation: int | None = None) -> Rotated:
    """Stores another subset of the search fingerprints of every document, read from its kept text or its source.

    rotation: the number of the subset, by default for each document the one after its own. Documents that cannot be
    read any more keep what they have. Raises BadRecipe where the scheme does not rotate, MissingKey.
    """
    db.recipe.check_key()
    report = Rotated()
    waiting = iter(documents)
    more = True
    while more:
        more = False
        done = 0
        with db.batch() as batch:
            for document in waiting:
                try:
                    batch.rotate(document.name, db.original(document.name), rotation=rotation)
                    done += 1
                except (Unreadable, ContentChanged, NoSuchDocument) as error:
                    report.stale.append(Stale(document.name, document.source, document.contact, str(error)))
                if is_full(batch):
                    more = True
                    break
        report.documents += done
    return report
