"""Query many documents, in worker processes if there are enough; order is kept, memory bounded."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fpdb import limits
from fpdb.errors import Error
from fpdb.fingerprint import Recipe
from fpdb.ingest.chunks import Chunk, chunked, estimate_work
from fpdb.ingest.files import InputDocument, Skipped, error_text, read_content
from fpdb.search.options import ContentOptions
from fpdb.search.query_fingerprints import QueryDocument
from fpdb.search.ranking import RankedMatches
from fpdb.search.results import Answer
from fpdb.search.searchable import Searchable

if TYPE_CHECKING:
    from fpdb.ingest.process_pool import ForkedPool
    from fpdb.search.spool import SpooledLines

ALONE_BYTES = 4 << 20
"""Less text than this is answered sooner by one process than by several."""
STARTING_BYTES = 2 << 20
"""Bytes that are answered while a worker process starts."""
CHUNK_DOCUMENTS = 20
"""Of a chunk: so many files are read before the first is answered."""
CHUNKS_AHEAD = 3
"""Chunks that are answered ahead, for each process: answers may be long."""
BUNDLE_BYTES = 8 << 20
"""Of documents that are answered together, at most;"""
UNLIMITED_BYTES = 2 << 20
"""and if nothing limits how long the answers are."""


class BatchAnswer(NamedTuple):
    """The answer to a document; exactly one of answer, failure and lines is given."""

    document: InputDocument  # without its content
    answer: Answer | None = None
    failure: str | None = None
    lines: "SpooledLines | None" = None  # of JSON: the answers to this document and those that follow
    content: bytes | str | None = None  # if contents are asked for
    omits_query: bool = False  # a document was left out that is the query itself, by name and content
    input_bytes: int = 0  # that are done with this document


def answer_documents(
    db: Searchable,
    documents: Iterable[InputDocument | Skipped | Chunk],
    *,
    jobs: int | None = None,
    contents: bool = False,
    folder: str | None = None,
    workers: "ForkedPool | None" = None,
    **options: Any,
) -> Generator[BatchAnswer]:
    """Yield the answer to each document, in order; a document that cannot be read has a failure and stops no other.

    Args:
        db: What is queried.
        documents: The documents, alone or in chunks.
        jobs: The number of processes that answer, this one among them; by default one for each processor.
        contents: Whether to give the documents' contents, too.
        folder: If given, answers come as lines of JSON, and long ones are kept in this folder until they are read.
        workers: Worker processes that have started, one fewer than jobs.
        options: As `Searchable.query` takes them, but name, kind and texts.

    Raises:
        Error: MissingKey; WorkerError: a worker process died.
    """
    db.recipe.check_key()
    answerer = _Answerer(db, contents, folder, ContentOptions.of(options))
    with limits.one_run():
        yield from _answer_chunks(answerer, chunked(documents, CHUNK_DOCUMENTS), jobs, workers)


def _answer_chunks(
    answerer: "_Answerer", chunks: Iterator[Chunk], jobs: int | None, workers: "ForkedPool | None"
) -> Generator[BatchAnswer]:
    db, folder, options = answerer.db, answerer.folder, answerer.options
    ahead = list(itertools.islice(chunks, 2))
    if len(ahead) < 2:
        yield from itertools.chain.from_iterable(map(answerer.answer, ahead))
        return
    from fpdb.ingest.process_pool import PoolTask, available_processors, run_in_pool

    jobs = jobs or available_processors()
    if jobs > 1 and workers is None:
        work = sum(estimate_work(chunk, db.recipe) for chunk in ahead)
        while work < ALONE_BYTES and (chunk := next(chunks, None)) is not None:
            ahead.append(chunk)
            work += estimate_work(chunk, db.recipe)
        jobs = jobs if work >= ALONE_BYTES else 1
    chunks, chunks_ahead, per_worker = itertools.chain(ahead, chunks), CHUNKS_AHEAD, 2
    if not answerer.contents and not options.needs_regions:
        is_limited = folder or options.ranking.get("min") or options.ranking.get("top")
        start = STARTING_BYTES if workers is None else 0
        chunks = bundle_chunks(chunks, jobs, BUNDLE_BYTES if is_limited else UNLIMITED_BYTES, start)
        chunks_ahead, per_worker = 2 if folder else 1, 1
    if jobs == 1:
        yield from itertools.chain.from_iterable(map(answerer.answer, chunks))
        return
    arguments = db.opener(), db.recipe.to_record(), answerer.contents, folder, options
    task = PoolTask(_begin, arguments, lambda _, answers: answers, answerer.answer, chunks_ahead, per_worker)
    yield from run_in_pool(chunks, task, jobs, workers)


@dataclass(frozen=True)
class Bundle:
    """Chunks that are answered together, as one `Chunk`."""

    chunks: list[Chunk]

    @property
    def content_bytes(self) -> int:
        """See `Chunk`."""
        return sum(chunk.content_bytes for chunk in self.chunks)

    @property
    def input_bytes(self) -> int:
        """See `Chunk`."""
        return sum(chunk.input_bytes for chunk in self.chunks)

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """See `Chunk`."""
        return itertools.chain.from_iterable(chunk.documents() for chunk in self.chunks)


def bundle_chunks(chunks: Iterable[Chunk], processes: int, limit: int, start_bytes: int) -> Iterator[Bundle]:
    """Yield the chunks in as few bundles of `limit` bytes as there can be, the same number for each process.

    No more than QUEUED_BYTES are read ahead to know how much there is. start_bytes: what a process answers while the
    others start; the last bundle, which this process takes first, is larger by that.
    """
    from fpdb.ingest.process_pool import QUEUED_BYTES

    waiting: deque[Chunk] = deque()
    chunks = iter(chunks)
    known = min(2 * processes * limit, QUEUED_BYTES)
    left = planned = later = 0
    while True:
        while left < known and (chunk := next(chunks, None)) is not None:
            waiting.append(chunk)
            left += _size(chunk)
            planned = 0
        if not waiting:
            return
        if not planned:
            rounds = max(math.ceil((left + (processes - 1) * start_bytes) / processes / limit), 1)
            planned = rounds * processes
            later = start_bytes if rounds == 1 else 0
        share = (left - later) / planned
        planned -= 1
        bundle = [waiting.popleft()]
        size = _size(bundle[0])
        while waiting and (not planned or size + _size(waiting[0]) / 2 <= share):
            bundle.append(waiting.popleft())
            size += _size(bundle[-1])
        left -= size
        yield Bundle(bundle)


def _size(chunk: Chunk) -> int:
    return max(chunk.content_bytes, chunk.input_bytes)


class _Readable(NamedTuple):
    """A document that has been read."""

    document: InputDocument
    query: QueryDocument


@dataclass
class _Answerer:
    """Answers chunks, in any process."""

    db: Searchable
    contents: bool
    folder: str | None
    options: ContentOptions

    def answer(self, chunk: Chunk) -> list[BatchAnswer]:
        """Return the answers to a chunk, in order."""
        answers = self._answer(chunk)
        batch = list(answers if self.folder is None else _spool(answers, self.folder))
        if batch:
            batch[-1] = batch[-1]._replace(input_bytes=chunk.input_bytes)
        return batch

    def _answer(self, chunk: Chunk) -> Iterator[BatchAnswer]:
        read = list(map(self._read, chunk.documents()))
        queries = [each.query for each in read if isinstance(each, _Readable)]
        with self.db.searcher() as searcher:
            ask = searcher.rank_documents if self.folder is None else searcher.json_lines
            answers: Iterator[RankedMatches | bytes | Error] = ask(queries, self.options)
            for each in read:
                yield each if isinstance(each, BatchAnswer) else self._batch_answer(each, next(answers))

    def _batch_answer(self, read: "_Readable", answer: RankedMatches | bytes | Error) -> BatchAnswer:
        if isinstance(answer, Error):
            return BatchAnswer(read.document, failure=error_text(answer))
        if isinstance(answer, bytes):
            from fpdb.search.spool import SpooledLines

            return BatchAnswer(read.document, lines=SpooledLines(answer))
        content = read.query.content if self.contents else None
        if content is not None and self.options.encoding is not None:
            from fpdb.readers.encodings import decode_given

            content = decode_given(content, read.query.kind, self.options.encoding)
        return BatchAnswer(read.document, answer.answer, content=content, omits_query=bool(answer.query.omitted_ids))

    def _read(self, document: InputDocument | Skipped) -> _Readable | BatchAnswer:
        """Read a document, or say why it is not read."""
        if isinstance(document, InputDocument):
            try:
                content = read_content(document, self.options.encoding)
                kind = self.db.recipe.resolve_kind(document.kind, content, document.name)
                query = QueryDocument(document.name, content, kind)
                return _Readable(document._replace(content=None), query)
            except Exception as error:
                document = Skipped(document.place, error_text(error), document.requested)
        return BatchAnswer(InputDocument(document.name, requested=document.requested), failure=document.reason)


def _spool(answers: Iterable[BatchAnswer], folder: str) -> Iterator[BatchAnswer]:
    """Yield the answers, with lines that follow each other as one; failures come in between."""
    from fpdb.search.spool import spool_lines

    for has_lines, group in itertools.groupby(answers, lambda answer: answer.lines is not None):
        if has_lines:
            lines = spool_lines((answer.lines.last for answer in group if answer.lines), folder)
            yield BatchAnswer(InputDocument(""), lines=lines)
        else:
            yield from group


def _begin(
    open_databases: Callable[[], Searchable],
    recipe: dict[str, Any],
    contents: bool,
    folder: str | None,
    options: ContentOptions,
) -> Callable[[Chunk], list[BatchAnswer]]:
    """Return what answers chunks in a worker process."""
    db = open_databases()
    db.recipe = Recipe.from_record(recipe)  # with the key, which may be in a file of its own
    return _Answerer(db, contents, folder, options).answer
