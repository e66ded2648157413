"""Walk archives as folders: each member is a document, read when it is asked for; so are those of archives in archives.

The content of a member goes with its `InputDocument`: whoever asks for the next ones bounds how many are in memory.
"""

import io
from collections.abc import Iterator

from fpdb.ingest.archives.archive import HEAD, detect_form, open_archive, read_stream
from fpdb.ingest.archives.member_lookup import MARK, hold_in_memory
from fpdb.ingest.archives.members import Member
from fpdb.ingest.archives.meter import ArchiveError, LimitExceeded, ReadMeter
from fpdb.ingest.files import InputDocument, Skipped, error_text, may_be_archive, may_be_document
from fpdb.ingest.path_filter import PathFilter
from fpdb.limits import DEFAULT_ARCHIVE_LIMITS, MAX_DOCUMENT_BYTES, ArchiveLimits
from fpdb.readers.kinds import get_extension


def walk_archive(
    stream: io.BufferedReader,
    whole: InputDocument,
    limits: ArchiveLimits = DEFAULT_ARCHIVE_LIMITS,
    *,
    path_filter: PathFilter | None = None,
    relative: str = "",
) -> Iterator[InputDocument | Skipped]:
    """Yield the members of an archive, each named `<name of the archive>/<label>`, and what is skipped. Raises OSError.

    whole: The archive as one document; it is yielded if it is one, although it is a zip file. relative: Its path in the
    folder that was named. path_filter: The members that are passed over.
    """
    start = len(whole.name) - len(relative) if relative else len(whole.name) + 1
    walk = _ArchiveWalk(ReadMeter(whole.size, limits), whole.kind, path_filter or PathFilter(), start)
    try:
        yield from walk.members(stream, whole, 1)
    except LimitExceeded as error:
        left = "" if error.members_left is None else f" ({error.members_left:,} of its members)"
        reason = f"not read any further, from {walk.member_name} on{left}: {error}"
        yield Skipped(whole.name, reason, whole.requested)


class _ArchiveWalk:
    """The walk of one outermost archive."""

    def __init__(self, meter: ReadMeter, kind: str, path_filter: PathFilter, start: int) -> None:
        """Begin a walk; names without their first `start` characters are relative to what was named."""
        self._meter, self._kind, self._filter, self._start = meter, kind, path_filter, start
        self.member_name = ""
        """The member that was read last."""

    def members(self, stream: io.BufferedReader, whole: InputDocument, depth: int) -> Iterator[InputDocument | Skipped]:
        """Yield the members of one archive. Raises LimitExceeded, OSError."""
        form = detect_form(stream.peek(HEAD)[:HEAD])
        done = 0
        try:
            archive = open_archive(stream, form, whole.name, self._meter)
            if archive.package and get_extension(whole.name) != "zip":
                stream.seek(0)
                yield whole if depth == 1 else _with_content(whole, stream)
                return
            for member in archive.members:
                self.member_name = f"{whole.name}/{member.label}"
                if not self._filter.takes_container(self.member_name[self._start :]):
                    done += 1
                    continue
                source = None if whole.source is None else f"{whole.source}{MARK}{member.label}"
                requested = whole.requested and archive.single
                document = InputDocument(self.member_name, kind=self._kind, source=source, requested=requested)
                yield from self._member(member, document, depth)
                done += 1
        except ArchiveError as error:
            progress = f"not read any further, after {self.member_name}: " if done else ""
            yield Skipped(whole.name, f"{progress}{error}", whole.requested)
        except LimitExceeded as error:
            if depth == 1 and archive.count is not None:
                error.members_left = archive.count - done
            raise

    def _member(self, member: Member, document: InputDocument, depth: int) -> Iterator[InputDocument | Skipped]:
        """Yield a member as a document, which has no content yet, or the members of an archive of its own."""
        if member.stream is None:
            yield Skipped(document.name, member.reason, document.requested)
            return
        try:
            head = member.stream.peek(HEAD)[:HEAD]
            form = detect_form(head) if may_be_archive(document) else None
            if form is not None:
                yield from self._nested(member.stream, document, form, depth)
            elif not self._filter.takes_file(document.name[self._start :]):
                return
            elif not may_be_document(head):
                yield document._replace(content=head, size=len(head))
            else:
                yield _with_content(document, member.stream)
        except (ArchiveError, MemoryError) as error:
            yield Skipped(document.name, error_text(error), document.requested)

    def _nested(
        self, stream: io.BufferedReader, whole: InputDocument, form: str, depth: int
    ) -> Iterator[InputDocument | Skipped]:
        if depth >= self._meter.limits.depth:
            raise ArchiveError(f"in more than {depth} archives, one in another")
        held = self._meter.held
        if form == "zip":
            stream = hold_in_memory(stream, self._meter)
        yield from self.members(stream, whole, depth + 1)
        self._meter.held = held


def _with_content(document: InputDocument, stream: io.BufferedReader) -> InputDocument:
    content = read_stream(stream, MAX_DOCUMENT_BYTES, "too large")
    return document._replace(content=content, size=len(content))
