"""`fpdb query`."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.arguments import command
from fpdb.cli.fail_over import FailOver
from fpdb.cli.output import encode_json, write_bytes, write_results, write_rows
from fpdb.cli.query_arguments import QueryArguments
from fpdb.cli.query_table import show_answer
from fpdb.cli.table import DEFAULT_TOP
from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import say, write_line
from fpdb.columns import MATCH, RANK, ResultColumn, measure_groups, select

if TYPE_CHECKING:
    from fpdb import Answer, Database, Match, MultiDatabase
    from fpdb.cli.nothing_found import NothingFound
    from fpdb.ingest.process_pool import ForkedPool
    from fpdb.search.batch_query import BatchAnswer


@command(QueryArguments)
def query(target: Target, arguments: QueryArguments) -> None:
    """Find the documents that share text with a file.

    PATH is a file, a folder or an archive (each file in it is a query), or - for standard input. With --jsonl,
    --csv or --parquet, each record is a query: see `fpdb add --help`.

    Containment is the share of the query that is in the document; reverse containment is the share of the document
    that is in the query; resemblance is the share of both together that they have in common. All are counted in
    fingerprints, without boilerplate. Weighted measures count log(N / M) for a fingerprint that M of the N documents
    contain; the query is one of the N.

    Several databases, one --db each, must have one recipe. They give the answer of a single database with all of
    their documents and boilerplate; the answer also names the database of each match.

    Example: fpdb query draft.txt
             fpdb query draft.txt --min 0.1 --format json
             fpdb query --db 2023.fpdb --db 2024.fpdb draft.txt
             fpdb query --stored essays/ann.txt --label term=2026
             fpdb query --jsonl new.jsonl.gz --min 0.5 --format json > found.jsonl
    """
    paths = (*target.paths, *arguments.databases)
    if arguments.databases:
        target = replace(target, path=paths[0], paths=paths)
    if len(paths) > 1 and arguments.report.report:
        raise click.UsageError("--report shows the documents of one database; give one --db")
    if len(paths) > 1 and arguments.stored:
        raise click.UsageError("--stored names a document of one database; give one --db")
    arguments.check()
    arguments.queries.look("query")
    run = _Run(target, arguments)
    with (
        run.spool_folder() as folder,
        run.workers() as workers,
        arguments.output.redirect(),
        target.open_all() if len(paths) > 1 else target.open("r") as db,
        run.watcher,
    ):
        _Answers(run, db, folder, workers).write()
    if run.failed:
        sys.exit(1)
    run.fail_over.exit()


class _Run:
    """Resources that `fpdb query` prepares before it opens a database."""

    def __init__(self, target: Target, arguments: QueryArguments) -> None:
        from fpdb.cli.progress import ProgressDisplay

        self.target, self.arguments = target, arguments
        self.failed = False
        self.fail_over = FailOver(arguments.fail_over, arguments.by)
        # Answers on a terminal show the progress themselves.
        shown = arguments.output.path != "-" or not sys.stdout.isatty()
        self.watcher = ProgressDisplay(
            "querying", lambda: arguments.queries.size(target), shown=shown, verbose=arguments.queries.verbose
        )

    def spool_folder(self) -> "AbstractContextManager[str | None]":
        """Open a folder for long answers if workers make the lines of JSON. Workers must end before it closes."""
        arguments = self.arguments
        if not arguments.queries.record_format or arguments.output.format != "json" or arguments.report.report:
            return nullcontext()
        if arguments.fail_over is not None:  # which the lines of JSON do not tell
            return nullcontext()
        from fpdb.search.spool import spool_folder

        return spool_folder()

    def workers(self) -> "AbstractContextManager[ForkedPool | None]":
        """Fork worker processes if there are many queries; this must happen before a database is open."""
        from fpdb.search.batch_query import ALONE_BYTES

        queries = self.arguments.queries
        if not queries.record_format or (queries.size(self.target) or 0) < ALONE_BYTES:
            return nullcontext()
        from fpdb.ingest.process_pool import available_processors, forked_pool
        from fpdb.multi_database import open_for_worker  # forked processes need not import it again

        paths = self.target.paths or (self.target.path,)
        processes = self.arguments.jobs or available_processors()
        real_paths = tuple(map(os.path.realpath, paths))
        roots, immutable = (self.target.roots(),) * len(paths), (self.target.immutable,) * len(paths)
        return forked_pool(processes, partial(open_for_worker, paths, real_paths, roots, immutable))


class _Answers:
    """Asks an open database, and writes the answers."""

    def __init__(
        self, run: _Run, db: "Database | MultiDatabase", folder: str | None, workers: "ForkedPool | None"
    ) -> None:
        import fpdb

        self._run, self._arguments, self._db = run, run.arguments, db
        self._folder, self._workers = folder, workers
        self._nothing: NothingFound | None = None
        by, report = self._arguments.by, self._arguments.report
        self._measure = db.recipe.measure(self._arguments.queries.kind) if by is None else by.replace("-", "_")
        self._page = None
        if report.report and isinstance(db, fpdb.Database):
            self._page = db.report(by=self._measure, **report.heading(run.target))

    def write(self) -> None:
        """Write all answers, and the report."""
        format, regions = self._arguments.output.format, self._arguments.output.regions
        if self._folder is not None:
            for answered in self._ask():
                if answered.lines is not None:
                    write_bytes(answered.lines.pieces())
        elif format == "table":
            self._write_tables()
        elif format == "json":
            write_results(format, (), self._answers())
        elif format == "sarif":
            from fpdb.cli.sarif import answer_results, write_sarif

            write_sarif(answer_results(self._answers()))
        else:
            groups = measure_groups(self._measure, regions=regions)
            groups |= {"labels"} if self._arguments.with_labels else set()
            groups |= {"databases"} if len(self._run.target.paths) > 1 else set()
            columns = select(MATCH, groups)
            write_rows(format, (ResultColumn("query"), RANK, *columns), self._rows([c.name for c in columns]))
        self._arguments.report.write(self._page)

    def _options(self) -> dict[str, Any]:
        """Return the options of `Database.query`."""
        arguments, page = self._arguments, self._page
        top = arguments.top if page is None else arguments.top or page.limits.rows
        regions = arguments.output.regions or page is not None
        if arguments.output.format == "table":
            # One match more than is shown tells that there are more; without regions, which take time, all are counted.
            top = max(arguments.top or DEFAULT_TOP, top or 0)
            top += regions or self._measure.endswith("coverage")
        options = (
            vars(arguments.search)
            | arguments.subset.options()
            | arguments.output.region_options()
            | {"top": top, "regions": regions, "with_labels": arguments.with_labels}
            | {"with_total": arguments.output.format == "table"}
        )
        return options if arguments.by is None else options | {"by": self._measure}

    def _ask(self) -> "Iterator[BatchAnswer]":
        """Answer the queries in order; report those that cannot be read."""
        from fpdb.ingest.files import Skipped
        from fpdb.search.batch_query import answer_documents

        run, arguments = self._run, self._arguments
        with usage_errors():
            if arguments.stored:
                yield from self._ask_stored()
            for answered in answer_documents(
                self._db,
                arguments.queries.open(run.target),
                jobs=arguments.jobs,
                contents=self._page is not None or arguments.output.format == "table",
                folder=self._folder,
                workers=self._workers,
                encoding=arguments.queries.document_encoding,
                **self._options(),
            ):
                if answered.failure is None:
                    yield answered
                else:
                    run.watcher.skipped(Skipped(answered.document.place, answered.failure))
                    run.failed |= arguments.strict or answered.document.requested
                    if arguments.strict:
                        say(f"stopped at {answered.document.place}")
                        return
                if answered.input_bytes:
                    run.watcher.done(answered.input_bytes)

    def _ask_stored(self) -> "Iterator[BatchAnswer]":
        """Answer the queries by documents of the database."""
        from fpdb import Database
        from fpdb.cli.regions import original_text
        from fpdb.cli.similar_names import require_document
        from fpdb.ingest.files import InputDocument
        from fpdb.search.batch_query import BatchAnswer

        db = self._db
        if not isinstance(db, Database):
            return
        for name in self._arguments.stored:
            require_document(db, name)
            answer = db.query_stored(name, **self._options())
            if self._folder is not None:
                from fpdb.search.spool import SpooledLines

                yield BatchAnswer(InputDocument(name), lines=SpooledLines(answer.to_json().encode()))
                continue
            has_content = self._page is not None or (answer.matches and answer.matches[0].regions is not None)
            content = original_text(db, db.document(name)) if has_content else None
            yield BatchAnswer(InputDocument(name), answer, content=content, omits_query=True)

    def _complete(self) -> "Iterator[tuple[BatchAnswer, Answer]]":
        """Return the answers, and add each one to the report."""
        keep_regions = self._arguments.output.regions or self._arguments.output.format == "table"
        for answered in self._ask():
            answer = answered.answer
            if answer is None:
                continue
            self._run.fail_over.note(getattr(match, self._measure) for match in answer.matches[:1])
            if self._page is not None:
                reported = replace(answer, matches=answer.matches[: self._arguments.top])
                self._page.add_answer(reported, answered.content or b"")
                answer = answer if keep_regions else answer.without_regions(self._measure)
            yield answered, answer

    def _answers(self) -> "Iterator[Answer]":
        return (answer for _, answer in self._complete())

    def _rows(self, names: list[str]) -> Iterator[tuple[object, ...]]:
        for answer in self._answers():
            for rank, match in enumerate(answer.matches, start=1):
                values = (getattr(match, name) for name in names)
                texts = (encode_json(value) if isinstance(value, dict) else value for value in values)
                yield (answer.query.name, rank, *texts)

    def _write_tables(self) -> None:
        top = self._arguments.top or DEFAULT_TOP
        for index, (answered, answer) in enumerate(self._complete()):
            if index:
                write_line()
            why = "" if answer.matches or answer.query.note else self._why_nothing(answered, answer)
            show_answer(answer, self._measure, top, left_out=answered.omits_query, why=why)
            if self._arguments.output.regions and answer.matches:
                from fpdb.cli.regions import show_match_regions, text_of

                text = text_of(self._db.recipe, answered.content or b"", answer.query.kind, answer.query.name)
                other_text = self._document_text if self._arguments.output.both else None
                show_match_regions(answer.matches[:top], text, other_text)

    def _why_nothing(self, answered: "BatchAnswer", answer: "Answer") -> str:
        """Return why a query has no match, if that can be told."""
        from fpdb import MultiDatabase
        from fpdb.cli.nothing_found import NothingFound

        db, options = self._db, self._options()
        if self._nothing is None:
            self._nothing = NothingFound(*db.databases.values()) if isinstance(db, MultiDatabase) else NothingFound(db)
        ask = None
        if answered.content is not None:
            ask = partial(db.query, answered.content, name=answer.query.name, kind=answer.query.kind)
        elif not isinstance(db, MultiDatabase) and self._arguments.stored:
            ask = partial(db.query_stored, answered.document.name)
        options |= {"top": None, "regions": False}
        return self._nothing.no_match(answer, options, self._measure, ask, omits_query=answered.omits_query)

    def _document_text(self, match: "Match") -> str | None:
        """Return the text of a match, if its regions have places in it."""
        if match.source != "same":
            return None
        import fpdb
        from fpdb.cli.regions import document_text

        db = self._db.databases[match.database or ""] if isinstance(self._db, fpdb.MultiDatabase) else self._db
        return document_text(db, match.name)
