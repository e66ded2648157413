"""Asks a database about many documents, in worker processes when there are enough; order is kept, memory bounded."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fpdb.errors import BadName, Error, UnknownKind, Unreadable
from fpdb.fingerprint import AUTO, Recipe
from fpdb.ingest.chunks import Chunk, chunked, estimate_work
from fpdb.ingest.files import InputDocument, Skipped, error_text, read_content
from fpdb.ingest.prepare import document_kind
from fpdb.ingest.process_pool import QUEUED_BYTES, ForkedPool, PoolTask, available_processors, run_in_pool
from fpdb.search.results import REGIONAL
from fpdb.search.spool import Spooled, spooled

if TYPE_CHECKING:
    from fpdb.database import Database
    from fpdb.multi_database import MultiDatabase
    from fpdb.search.results import Answer

ALONE_BYTES = 4 << 20
"""Less text than this is answered sooner than by several processes."""
STARTING_BYTES = 2 << 20
"""What is answered while a worker process starts."""
DOCUMENTS = 20
"""Of a piece: so many files are read before the first is answered."""
AHEAD = 3
"""Pieces that are answered ahead, for each process: answers may be long."""
BUNDLE_BYTES = 8 << 20
"""Of documents that are answered together, at most;"""
UNLIMITED_BYTES = 2 << 20
"""and where nothing limits how long the answers are."""


class Answered(NamedTuple):
    """An answer, or the lines of JSON of this source's and those that follow, or why there is none. passed: bytes of
    input that are done.

    Where contents are asked for: itself, whether the document that is the query itself was left out; content, of the
    query."""

    source: InputDocument
    answer: "Answer | None" = None
    failure: str | None = None
    itself: bool = False
    content: bytes | str | None = None
    passed: int = 0
    lines: Spooled | None = None


def answers(
    db: "Database | MultiDatabase",
    sources: Iterable[InputDocument | Skipped | Chunk],
    *,
    jobs: int | None = None,
    contents: bool = False,
    folder: str | None = None,
    copies: ForkedPool | None = None,
    **options: Any,
) -> Generator[Answered]:
    """What the database answers for each document, in order; one that cannot be read gets a failure and stops no other.

    jobs: processes that answer, this one among them (default: one a processor); see `load`. contents: give the
    queries' contents, too. folder: answers come as lines of JSON, see `Answer.to_json`, many together, and are kept in
    this folder where they are long; it must be there for as long as they are not read. copies: as many processes, but
    for this one. options: as `Database.query` takes them, but name and kind.
    """
    db.recipe.check_key()
    asking = _Asking(db, contents, folder, options)
    pieces = chunked(sources, DOCUMENTS)
    jobs = jobs or available_processors()
    ahead: list[Chunk] = []
    work = 0
    while jobs > 1 and (piece := next(pieces, None)) is not None:
        ahead.append(piece)
        work += estimate_work(piece, db.recipe)
        if len(ahead) > 1 and (work >= ALONE_BYTES or copies is not None):
            break
    else:
        jobs = 1
    every: Iterator[Chunk] = itertools.chain(ahead, pieces)
    ahead_of_it, at_hand = AHEAD, 2
    if not contents and not _one_by_one(options):
        limited = folder or options.get("min") or options.get("top")
        start = STARTING_BYTES if copies is None else 0
        every = bundled(every, jobs, BUNDLE_BYTES if limited else UNLIMITED_BYTES, start)
        ahead_of_it, at_hand = 2 if folder else 1, 1
    if jobs > 1:
        given = _paths(db), db.recipe.to_record(), contents, folder, options
        crew = PoolTask(_begin, given, lambda _, found: found, asking.answered, ahead_of_it, at_hand)
        yield from run_in_pool(every, crew, jobs, copies)
        return
    for piece in every:
        yield from asking.answered(piece)


@dataclass(frozen=True)
class Bundle:
    """Pieces that are answered together, as a `Chunk`: the more hashes are looked up at once, the fewer times a block
    is read."""

    pieces: list[Chunk]

    @property
    def content_bytes(self) -> int:
        """As a `Chunk`."""
        return sum(piece.content_bytes for piece in self.pieces)

    @property
    def input_bytes(self) -> int:
        """As a `Chunk`."""
        return sum(piece.input_bytes for piece in self.pieces)

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """As a `Chunk`."""
        return itertools.chain.from_iterable(piece.documents() for piece in self.pieces)


def bundled(pieces: Iterable[Chunk], processes: int, most: int, start: int) -> Iterator[Bundle]:
    """The pieces in bundles, as few as can be of up to `most` bytes, as blocks are read anew for each, and as many for
    each process; the last one, which this process takes first, is larger by `start`, what is answered while the others
    start. No more than QUEUED_BYTES are read ahead to know how much there is."""
    waiting: deque[Chunk] = deque()
    pieces = iter(pieces)
    known = min(2 * processes * most, QUEUED_BYTES)
    left = planned = later = 0
    while True:
        while left < known and (piece := next(pieces, None)) is not None:
            waiting.append(piece)
            left += _size(piece)
            planned = 0
        if not waiting:
            return
        if not planned:
            rounds = max(math.ceil((left + (processes - 1) * start) / processes / most), 1)
            planned = rounds * processes
            later = start if rounds == 1 else 0
        share = (left - later) / planned
        planned -= 1
        bundle = [waiting.popleft()]
        size = _size(bundle[0])
        while waiting and (not planned or size + _size(waiting[0]) / 2 <= share):
            bundle.append(waiting.popleft())
            size += _size(bundle[-1])
        left -= size
        yield Bundle(bundle)


def _size(piece: Chunk) -> int:
    return max(piece.content_bytes, piece.input_bytes)


@dataclass
class _Asking:
    """Answers pieces, in whichever process."""

    db: "Database | MultiDatabase"
    contents: bool
    folder: str | None
    options: dict[str, Any]

    def answered(self, piece: Chunk) -> list[Answered]:
        """The answers for a piece, in order."""
        made = self._each(piece)
        found = list(made if self.folder is None else _together(made, self.folder))
        if found:
            found[-1] = found[-1]._replace(passed=piece.input_bytes)
        return found

    def _each(self, piece: Chunk) -> Iterator[Answered]:
        """Each document's."""
        sources: list[InputDocument | Skipped] = []
        documents: list[tuple[str, bytes | str, str]] = []
        for source in piece.documents():
            read: InputDocument | Skipped = source
            if isinstance(source, InputDocument):
                try:
                    content = read_content(source)
                    kind = document_kind(self.db.recipe, source.name, content) if source.kind == AUTO else source.kind
                    documents.append((source.name, content, kind))
                except Exception as error:
                    read = _failed(source, error)
            sources.append(read)
        given = iter(documents)
        answers = self._ask(documents)
        for read in sources:
            if isinstance(read, Skipped):
                yield Answered(InputDocument(read.name, requested=read.requested), failure=read.reason)
                continue
            (_, content, _), answer = next(given), next(answers)
            if isinstance(answer, Error):
                yield Answered(_without_content(read), failure=error_text(answer))
            elif isinstance(answer, bytes):
                yield Answered(read, lines=Spooled(answer))
            elif self.contents:
                itself = not self.options.get("include_self") and self.db.holds(read.name, content)
                yield Answered(_without_content(read), answer, None, itself, content)
            else:
                yield Answered(_without_content(read), answer)

    def _ask(self, documents: "Sequence[tuple[str, bytes | str, str]]") -> "Iterator[Answer | bytes | Error]":
        options = self.options
        if not _one_by_one(options):
            options = {name: value for name, value in options.items() if name not in ("regions", "gap")}
            return self.db._queries(self.db._answers if self.folder is None else self.db._lines, documents, **options)
        query = partial(self.db.query, **options)
        answers = (_one(partial(query, content, name=name, kind=kind)) for name, content, kind in documents)
        return answers if self.folder is None else map(_line, answers)


def _one_by_one(options: dict[str, Any]) -> bool:
    """Whether regions must be found."""
    return bool(options.get("regions")) or options.get("by") in REGIONAL


def _failed(source: InputDocument, error: Exception) -> Skipped:
    return Skipped(source.place, error_text(error), source.requested)


def _without_content(source: InputDocument) -> InputDocument:
    return source._replace(content=None)


def _together(answered: Iterable[Answered], folder: str) -> Iterator[Answered]:
    """The lines of those that follow each other; a failure comes in between."""
    for failed, some in itertools.groupby(answered, lambda one: one.lines is None):
        if failed:
            yield from some
        else:
            yield Answered(InputDocument(""), lines=spooled((one.lines.last for one in some if one.lines), folder))


def _line(answer: "Answer | Error") -> "bytes | Error":
    return answer if isinstance(answer, Error) else answer.to_json().encode()


def _one(ask: "Callable[[], Answer]") -> "Answer | Error":
    try:
        return ask()
    except (BadName, Unreadable, UnknownKind) as error:
        return error


def _paths(db: "Database | MultiDatabase") -> list[str]:
    from fpdb.database import Database

    return [db.path] if isinstance(db, Database) else [one.path for one in db.databases.values()]


@cache
def opened(*paths: str) -> "Database | MultiDatabase":
    """What a worker process asks, for as long as it lives: databases by their real paths."""
    if len(paths) > 1:
        from fpdb.multi_database import open_all

        return open_all(paths)
    from fpdb.database import open as open_one

    return open_one(paths[0], "r")


def _begin(
    paths: list[str],
    recipe: dict[str, Any],
    contents: bool,
    folder: str | None,
    options: dict[str, Any],
) -> Callable[[Chunk], list[Answered]]:
    """What a worker process does; as a `PoolTask` begins."""
    db = opened(*paths)
    db.recipe = Recipe.from_record(recipe)  # with the key, which may be in a file of its own
    return _Asking(db, contents, folder, options).answered
