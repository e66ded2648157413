"""Archives as folders: each member is a document, read when it is asked for; so are those of archives in archives.

The content of a member goes with its `InputDocument`: whoever asks for the next ones bounds how many are in memory.
"""

import io
import os
from collections.abc import Iterator

from fpdb.ingest.archives import (
    HEAD,
    LIMITS,
    MARK,
    MAX_DOCUMENT_BYTES,
    Exhausted,
    Limits,
    Member,
    Meter,
    Refused,
    archive_form,
    content_of,
    hold,
    open_archive,
)
from fpdb.ingest.files import InputDocument, Skipped, error_text, may_be_document
from fpdb.readers.kinds import kind_by_name

_PACKAGES = "apk aar cbz crx ear egg ipa jar nupkg vsix war whl xpi"
_OFFICE = "dotx epub odg odp ods potx ppsx pptm pptx xlsb xlsm xlsx xltx"
PACKAGES = frozenset(f"{_PACKAGES} {_OFFICE}".split())
"""Extensions of what is a zip file and yet one document, or one program."""

ZIPPED_KINDS = frozenset({"docx", "odt"})


def may_be_archive(source: InputDocument) -> bool:
    """Whether its name leaves open that it is an archive: a name that says another kind of file is believed."""
    extension = _extension(source.name)
    zipped = source.kind in ZIPPED_KINDS and extension != "zip"
    return not zipped and extension not in PACKAGES and kind_by_name(source.name) is None


def documents(
    stream: io.BufferedReader, whole: InputDocument, limits: Limits = LIMITS
) -> Iterator[InputDocument | Skipped]:
    """The members of an archive, each under `<name of the archive>/<label>`, and what is passed over and why.

    whole: the archive as one document; it is given back if it is one, for all that it is a zip file. OSError.
    """
    walk = _Walk(Meter(whole.size, limits), whole.kind)
    try:
        yield from walk.archive(stream, whole, 1)
    except Exhausted as error:
        left = "" if error.left is None else f" ({error.left:,} of its members)"
        yield Skipped(whole.name, f"not read any further, from {walk.at} on{left}: {error}", whole.requested)


class _Walk:
    """Goes through one outermost archive."""

    def __init__(self, meter: Meter, kind: str) -> None:
        self._meter, self._kind = meter, kind
        self.at = ""
        """The name of the member that was read last."""

    def archive(self, stream: io.BufferedReader, whole: InputDocument, depth: int) -> Iterator[InputDocument | Skipped]:
        """The members of one archive. Exhausted; OSError."""
        form = archive_form(stream.peek(HEAD)[:HEAD])
        done = 0
        try:
            archive = open_archive(stream, form, whole.name, self._meter)
            if archive.package and _extension(whole.name) != "zip":
                stream.seek(0)
                yield whole if depth == 1 else _with_content(whole, stream)
                return
            for member in archive.members:
                self.at = f"{whole.name}/{member.label}"
                source = None if whole.source is None else f"{whole.source}{MARK}{member.label}"
                requested = whole.requested and archive.single
                yield from self._member(
                    member, InputDocument(self.at, kind=self._kind, source=source, requested=requested), depth
                )
                done += 1
        except Refused as error:
            where = f"not read any further, after {self.at}: " if done else ""
            yield Skipped(whole.name, f"{where}{error}", whole.requested)
        except Exhausted as error:
            if depth == 1 and archive.count is not None:
                error.left = archive.count - done
            raise

    def _member(self, member: Member, whole: InputDocument, depth: int) -> Iterator[InputDocument | Skipped]:
        """The member as a document, or as an archive of its own. whole: the document, yet without content."""
        if member.stream is None:
            yield Skipped(whole.name, member.reason, whole.requested)
            return
        try:
            head = member.stream.peek(HEAD)[:HEAD]
            form = archive_form(head) if may_be_archive(whole) else None
            if form is not None:
                yield from self._nested(member.stream, whole, form, depth)
            elif not may_be_document(head):
                yield whole._replace(content=head, size=len(head))
            else:
                yield _with_content(whole, member.stream)
        except (Refused, MemoryError) as error:
            yield Skipped(whole.name, error_text(error), whole.requested)

    def _nested(
        self, stream: io.BufferedReader, whole: InputDocument, form: str, depth: int
    ) -> Iterator[InputDocument | Skipped]:
        if depth >= self._meter.limits.depth:
            raise Refused(f"in more than {depth} archives, one in another")
        held = self._meter.held
        if form == "zip":
            stream = hold(stream, self._meter)
        yield from self.archive(stream, whole, depth + 1)
        self._meter.held = held


def _with_content(whole: InputDocument, stream: io.BufferedReader) -> InputDocument:
    content = content_of(stream, MAX_DOCUMENT_BYTES, "too large")
    return whole._replace(content=content, size=len(content))


def _extension(name: str) -> str:
    return os.path.splitext(name)[1][1:].lower()
