"""Rotation of documents whose sources are files that can still be read: other fingerprints are stored, nothing else.

Heintze, "Scalable Document Fingerprinting" (1996), section 3.3: sources that are stale are listed, with the contact.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fpdb.archives import Passed
from fpdb.errors import ContentChanged, NoSuchDocument, Unreadable
from fpdb.load.archives import member_content
from fpdb.load.loading import BATCH_POSTINGS
from fpdb.load.sources import Source, content_of, reason_of

if TYPE_CHECKING:
    from fpdb.database import Database, Document


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
    """Stores another subset of the search fingerprints of every document, read from its source again.

    rotation: the number of the subset, by default for each document the one after its own. Documents that cannot be
    read any more keep what they have. Raises BadRecipe where the scheme does not rotate.
    """
    report = Rotated()
    passed = Passed()
    waiting = iter(documents)
    more = True
    while more:
        more = False
        done = 0
        with db.batch() as batch:
            for document in waiting:
                source = document.source
                try:
                    if source is None:
                        raise Unreadable("it came from no file")
                    batch.rotate(document.name, _content(document.name, source, passed), rotation=rotation)
                    done += 1
                except (OSError, Unreadable, ContentChanged, NoSuchDocument) as error:
                    reason = "another text than was added" if isinstance(error, ContentChanged) else reason_of(error)
                    report.stale.append(Stale(document.name, source, document.contact, reason))
                if batch.postings >= BATCH_POSTINGS:
                    more = True
                    break
        report.documents += done
    return report


def _content(name: str, source: str, passed: Passed) -> bytes | str:
    """What the source gives now, be it a file or a member of an archive. Unreadable, OSError."""
    content = None if os.path.exists(source) else member_content(source, passed)
    return content_of(Source(name, source if content is None else None, content))
