"""Asks a database about many documents, in worker processes when there are enough; order is kept, memory bounded."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fpdb.errors import BadName, Error, UnknownKind, Unreadable
from fpdb.fingerprint import AUTO, Recipe
from fpdb.load.crews import HELD_BYTES, Crew, in_processes
from fpdb.load.loading import processors
from fpdb.load.sources import Piece, Skipped, Source, content_of, reason_of
from fpdb.load.workers import in_pieces, told_kind

if TYPE_CHECKING:
    from fpdb.database import Database
    from fpdb.match.answers import Answer
    from fpdb.shards import Shards

ALONE_BYTES = 1 << 21
"""Less than this is answered sooner than a worker process has started."""
DOCUMENTS = 20
"""Of a piece: so many files are read before the first is answered."""
AHEAD = 3
"""Pieces that are answered ahead, for each process: answers may be long."""
BUNDLE_BYTES = 8 << 20
"""Of documents that are answered together, at most;"""
UNLIMITED_BYTES = 2 << 20
"""and where nothing limits how long the answers are."""


class Answered(NamedTuple):
    """An answer, or what was to be made of it, or why there is none. passed: bytes of input that are done.

    Where contents are asked for: itself, whether the document that is the query itself was left out; content, of the
    query."""

    source: Source
    answer: "Answer | None" = None
    failure: str | None = None
    itself: bool = False
    content: bytes | str | None = None
    passed: int = 0
    made: str | None = None


def answers(
    db: "Database | Shards",
    sources: Iterable[Source | Skipped | Piece],
    *,
    jobs: int | None = None,
    contents: bool = False,
    make: "Callable[[Answer], str] | None" = None,
    **options: Any,
) -> Generator[Answered]:
    """What the database answers for each document, in order; one that cannot be read gets a failure and stops no other.

    jobs: processes that answer, this one among them (default: one a processor); see `load`. contents: give the
    queries' contents, too. make: a function of a module; what it makes of an answer comes in place of it, and is made
    in the process that answers. options: as `Database.query` takes them, but name and kind.
    """
    db.recipe.check_key()
    asking = _Asking(db, contents, make, options)
    pieces = in_pieces(sources, DOCUMENTS)
    jobs = jobs or processors()
    ahead: list[Piece] = []
    while jobs > 1 and (piece := next(pieces, None)) is not None:
        ahead.append(piece)
        if len(ahead) > 1 and sum(map(_size, ahead)) >= ALONE_BYTES:
            break
    else:
        jobs = 1
    every: Iterator[Piece] = itertools.chain(ahead, pieces)
    ahead_of_it, at_hand = AHEAD, 2
    if not contents and not options.get("regions"):
        limited = options.get("min") or options.get("top")
        every = bundled(every, jobs, BUNDLE_BYTES if limited else UNLIMITED_BYTES)
        ahead_of_it = at_hand = 1
    if jobs > 1:
        given = _paths(db), db.recipe.to_record(), contents, make, options
        crew = Crew(_begin, given, _work, lambda _, found: found, asking.answered, ahead_of_it, at_hand)
        yield from in_processes(every, crew, jobs)
        return
    for piece in every:
        yield from asking.answered(piece)


@dataclass(frozen=True)
class Bundle:
    """Pieces that are answered together, as a `Piece`: the more hashes are looked up at once, the fewer times a block
    is read."""

    pieces: list[Piece]

    @property
    def held(self) -> int:
        """As a `Piece`."""
        return sum(piece.held for piece in self.pieces)

    @property
    def passed(self) -> int:
        """As a `Piece`."""
        return sum(piece.passed for piece in self.pieces)

    def sources(self) -> Iterator[Source | Skipped]:
        """As a `Piece`."""
        return itertools.chain.from_iterable(piece.sources() for piece in self.pieces)


def bundled(pieces: Iterable[Piece], processes: int, most: int) -> Iterator[Bundle]:
    """The pieces in bundles, as few as can be of up to `most` bytes, as blocks are read anew for each, and as many for
    each process; the last one, which this process takes first, is as much larger as it takes the others to start. No
    more than HELD_BYTES are read ahead to know how much there is."""
    waiting: deque[Piece] = deque()
    pieces = iter(pieces)
    known = min(2 * processes * most, HELD_BYTES)
    left = planned = later = 0
    while True:
        while left < known and (piece := next(pieces, None)) is not None:
            waiting.append(piece)
            left += _size(piece)
            planned = 0
        if not waiting:
            return
        if not planned:
            rounds = max(math.ceil((left + (processes - 1) * ALONE_BYTES) / processes / most), 1)
            planned = rounds * processes
            later = ALONE_BYTES if rounds == 1 else 0
        share = (left - later) / planned
        planned -= 1
        bundle = [waiting.popleft()]
        size = _size(bundle[0])
        while waiting and (not planned or size + _size(waiting[0]) / 2 <= share):
            bundle.append(waiting.popleft())
            size += _size(bundle[-1])
        left -= size
        yield Bundle(bundle)


def _size(piece: Piece) -> int:
    return max(piece.held, piece.passed)


@dataclass
class _Asking:
    """Answers pieces, in whichever process."""

    db: "Database | Shards"
    contents: bool
    make: "Callable[[Answer], str] | None"
    options: dict[str, Any]

    def answered(self, piece: Piece) -> list[Answered]:
        """The answers for a piece, in order."""
        found: list[Answered] = []
        read: dict[str, list[tuple[int, str, bytes | str]]] = {}  # by kind
        for index, source in enumerate(piece.sources()):
            if isinstance(source, Skipped):
                found.append(Answered(Source(source.name, asked=source.asked), failure=source.reason))
                continue
            bare = source._replace(content=None)
            try:
                content = content_of(source)
                kind = told_kind(self.db.recipe, source.name, content) if source.kind == AUTO else source.kind
                read.setdefault(kind, []).append((index, source.name, content))
                found.append(self._with_contents(bare, content) if self.contents else Answered(bare))
            except Exception as error:
                found.append(Answered(bare, failure=reason_of(error)))
        for kind, documents in read.items():
            self._ask(kind, documents, found)
        if found:
            found[-1] = found[-1]._replace(passed=piece.passed)
        return found

    def _ask(self, kind: str, documents: list[tuple[int, str, bytes | str]], found: list[Answered]) -> None:
        given = [(name, content) for _, name, content in documents]
        options = {**self.options, "kind": kind}
        asked: Iterable[Answer | Error]
        if options.pop("regions", False):
            query = partial(self.db.query, regions=True, **options)
            asked = (_one(partial(query, content, name=name)) for name, content in given)
        else:
            options.pop("gap", None)
            asked = self.db._queries(given, **options)
        for (index, _, _), answer in zip(documents, asked, strict=True):
            if isinstance(answer, Error):
                found[index] = Answered(found[index].source, failure=reason_of(answer))
            elif self.make is not None:
                found[index] = found[index]._replace(made=self.make(answer))
            else:
                found[index] = found[index]._replace(answer=answer)

    def _with_contents(self, source: Source, content: bytes | str) -> Answered:
        itself = not self.options.get("include_self") and self.db.holds(source.name, content)
        return Answered(source, None, None, itself, content)


def _one(ask: "Callable[[], Answer]") -> "Answer | Error":
    try:
        return ask()
    except (BadName, Unreadable, UnknownKind) as error:
        return error


_asking: _Asking
"""Of a worker process."""


def _paths(db: "Database | Shards") -> list[str]:
    from fpdb.database import Database

    return [db.path] if isinstance(db, Database) else [one.path for one in db.databases.values()]


def _begin(
    paths: list[str],
    recipe: dict[str, Any],
    contents: bool,
    make: "Callable[[Answer], str] | None",
    options: dict[str, Any],
) -> None:
    global _asking
    from fpdb.database import open as open_one
    from fpdb.shards import open_all

    db: Database | Shards = open_one(paths[0], "r") if len(paths) == 1 else open_all(paths)
    db.recipe = Recipe.from_record(recipe)  # with the key, which may be in a file of its own
    _asking = _Asking(db, contents, make, options)


def _work(piece: Piece) -> list[Answered]:
    return _asking.answered(piece)
