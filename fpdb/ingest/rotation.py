"""Rotation of documents whose contents can still be had: other fingerprints are stored, nothing else.

Heintze, "Scalable Document Fingerprinting" (1996), section 3.3: sources that are stale are listed, with the contact.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from fpdb.errors import ContentChanged, NoSuchDocument, Unreadable
from fpdb.fingerprint import Recipe
from fpdb.ingest.batch import WriteBatch
from fpdb.ingest.loading import is_full


class RotationTarget(Protocol):
    """A database whose documents are rotated; `Database` is one."""

    recipe: Recipe

    def batch(self) -> AbstractContextManager[WriteBatch]:
        """Return a context whose changes become one commit when it ends."""

    def original(self, name: str) -> str | bytes:
        """Return a document's content. Raises NoSuchDocument, ContentChanged, Unreadable."""


class ListedDocument(Protocol):
    """A document of the catalogue."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def source(self) -> str | None:
        """The source of the document."""

    @property
    def contact(self) -> str | None:
        """Whom to ask about it."""


class StaleDocument(NamedTuple):
    """A document whose content can no longer be had, and the reason."""

    name: str
    source: str | None
    contact: str | None
    reason: str


@dataclass
class RotationSummary:
    """Counts of a rotation; only committed documents count."""

    documents: int = 0
    stale: list[StaleDocument] = field(default_factory=list)


def rotate(
    target: RotationTarget, documents: Iterable[ListedDocument], *, rotation: int | None = None
) -> RotationSummary:
    """Store another subset of the search fingerprints of every document, read from its kept text or its source.

    Documents that cannot be read any more keep what they have. rotation: The number of the subset, by default for each
    document the one after its own. Raises BadRecipe where the scheme does not rotate, MissingKey.
    """
    target.recipe.check_key()
    summary = RotationSummary()
    remaining = iter(documents)
    more = True
    while more:
        more = False
        done = 0
        with target.batch() as batch:
            for document in remaining:
                try:
                    batch.rotate(document.name, target.original(document.name), rotation=rotation)
                    done += 1
                except (Unreadable, ContentChanged, NoSuchDocument) as error:
                    stale = StaleDocument(document.name, document.source, document.contact, str(error))
                    summary.stale.append(stale)
                if is_full(batch):
                    more = True
                    break
        summary.documents += done
    return summary
