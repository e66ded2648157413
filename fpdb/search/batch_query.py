"""Query many documents, in worker processes if there are enough; order is kept, memory bounded."""

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from fpdb.errors import Error
from fpdb.fingerprint import AUTO, Recipe
from fpdb.ingest.chunks import Chunk, chunked, estimate_work
from fpdb.ingest.files import InputDocument, Skipped, error_text, read_content
from fpdb.ingest.prepare import document_kind
from fpdb.ingest.process_pool import ForkedPool, PoolTask, available_processors, run_in_pool
from fpdb.search.chunk_bundles import bundle_chunks
from fpdb.search.options import ContentOptions
from fpdb.search.query_fingerprints import QueryDocument
from fpdb.search.results import Answer
from fpdb.search.searchable import Searchable
from fpdb.search.spool import SpooledLines, spool_lines

ALONE_BYTES = 4 << 20
"""Less text than this is answered sooner by one process than by several."""
STARTING_BYTES = 2 << 20
"""What is answered while a worker process starts."""
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
    lines: SpooledLines | None = None  # of JSON: the answers to this document and those that follow
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
    workers: ForkedPool | None = None,
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
    asked = ContentOptions.of(options)
    answerer = _Answerer(db, contents, folder, asked)
    chunks = chunked(documents, CHUNK_DOCUMENTS)
    jobs = jobs or available_processors()
    ahead: list[Chunk] = []
    work = 0
    while jobs > 1 and (chunk := next(chunks, None)) is not None:
        ahead.append(chunk)
        work += estimate_work(chunk, db.recipe)
        if len(ahead) > 1 and (work >= ALONE_BYTES or workers is not None):
            break
    else:
        jobs = 1
    chunks = itertools.chain(ahead, chunks)
    chunks_ahead, at_hand = CHUNKS_AHEAD, 2
    if not contents and not asked.needs_regions:
        is_limited = folder or options.get("min") or options.get("top")
        start = STARTING_BYTES if workers is None else 0
        chunks = bundle_chunks(chunks, jobs, BUNDLE_BYTES if is_limited else UNLIMITED_BYTES, start)
        chunks_ahead, at_hand = 2 if folder else 1, 1
    if jobs > 1:
        given = db.opener(), db.recipe.to_record(), contents, folder, asked
        task = PoolTask(_begin, given, lambda _, answers: answers, answerer.answer, chunks_ahead, at_hand)
        yield from run_in_pool(chunks, task, jobs, workers)
        return
    for chunk in chunks:
        yield from answerer.answer(chunk)


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
            answers: Iterator[Any]
            if self.folder is None:
                answers = searcher.rank_documents(queries, self.options)
            else:
                answers = searcher.json_lines(queries, self.options)
            for each in read:
                if isinstance(each, BatchAnswer):
                    yield each
                    continue
                answer = next(answers)
                if isinstance(answer, Error):
                    yield BatchAnswer(each.document, failure=error_text(answer))
                elif isinstance(answer, bytes):
                    yield BatchAnswer(each.document, lines=SpooledLines(answer))
                else:
                    content = each.query.content if self.contents else None
                    omits_query = bool(answer.query.omitted_ids)
                    yield BatchAnswer(each.document, answer.answer, content=content, omits_query=omits_query)

    def _read(self, document: InputDocument | Skipped) -> _Readable | BatchAnswer:
        """Read a document, or say why it is not read."""
        if isinstance(document, InputDocument):
            try:
                content = read_content(document)
                kind = document.kind
                if kind == AUTO:
                    kind = document_kind(self.db.recipe, document.name, content)
                query = QueryDocument(document.name, content, kind)
                return _Readable(document._replace(content=None), query)
            except Exception as error:
                document = Skipped(document.place, error_text(error), document.requested)
        return BatchAnswer(InputDocument(document.name, requested=document.requested), failure=document.reason)


def _spool(answers: Iterable[BatchAnswer], folder: str) -> Iterator[BatchAnswer]:
    """Yield the answers, with lines that follow each other as one; failures come in between."""
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
