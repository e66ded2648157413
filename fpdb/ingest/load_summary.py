"""LoadSummary: counts of a load, which hold only what is committed."""

from dataclasses import dataclass, field, fields

from fpdb.ingest.existing import Status
from fpdb.ingest.files import Skipped
from fpdb.storage.document_columns import PreparedDocument
from fpdb.storage.file_format import name_text

LISTED = 10_000
"""Documents that a summary lists by name for each fault, so that it does not grow with the input."""


@dataclass
class LoadSummary:
    """Counts of a load; only committed documents are added, replaced or updated."""

    added: int = 0
    replaced: int = 0
    updated: int = 0
    """Same content; other labels, source or contact, or its text is kept now."""
    unchanged: int = 0
    present: int = 0
    """Left as they are, since their names were stored, and the load is to add only what is absent."""
    skipped: list[Skipped] = field(default_factory=list)
    """The first LISTED of them."""
    skips: int = 0
    """The number of skipped documents."""
    duplicates: int = 0
    """Records whose name came before in the same load, and which took the place of those."""
    too_short: list[str] = field(default_factory=list)
    """Names of documents with fewer than k symbols: in the database, with no fingerprint; the first LISTED of them."""
    shorts: int = 0
    """The number of too short documents."""
    read_as_text: list[str] = field(default_factory=list)
    """Names of documents of the kind "text" that were added or replaced and count; the first LISTED of them."""
    texts: int = 0
    """The number of these."""
    kept_boilerplate: int = 0
    """Documents that stay boilerplate, since the load does not say whether they are."""
    bytes: int = 0
    """Of content, in the documents counted."""
    postings: int = 0
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def documents(self) -> int:
        """Documents that are in the database, whether they were there before or not."""
        return self.added + self.replaced + self.updated + self.unchanged + self.present

    def count(self, status: Status, size: int, document: PreparedDocument) -> None:
        """Count one document of so many bytes that was put into a batch."""
        setattr(self, status, getattr(self, status) + 1)
        self.bytes += size
        if status == "unchanged":
            return
        if document.record.kgrams == 0:
            self.shorts += 1
            self.too_short += [document_name(document)][: LISTED - len(self.too_short)]
        if status != "updated":
            self.postings += len(document.hashes)
            if document.record.kind == "text" and not document.boilerplate:
                self.texts += 1
                self.read_as_text += [document_name(document)][: LISTED - len(self.read_as_text)]

    def include(self, committed: "LoadSummary") -> None:
        """Add the counts of a batch that was committed."""
        for name in {each.name for each in fields(self)} - {"interrupted"}:
            own, more = getattr(self, name), getattr(committed, name)
            setattr(self, name, own + (more[: LISTED - len(own)] if isinstance(own, list) else more))


def document_name(document: PreparedDocument) -> str:
    """Return the name of a prepared document."""
    return name_text(document.record.name)
