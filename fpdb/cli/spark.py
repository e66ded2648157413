"""`fpdb spark`: the same work on Apache Spark."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast

import click

from fpdb.cli.options import Command, collect, combine, paths_argument, strict_option
from fpdb.cli.output import write_csv, write_json
from fpdb.cli.pair_options import PairSelection, keep_option, pair_options
from fpdb.cli.parameters import LazyChoice, NameValue
from fpdb.cli.recipe_options import RecipeArguments, RecipeCommand, recipe_options
from fpdb.cli.record_options import Records, records_options
from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import count_text, say

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from fpdb.fingerprint import Recipe

PROBLEM_LIMIT = 20
"""Documents that could not be read to print."""


@dataclass(frozen=True)
class SparkCluster:
    """Where Spark runs, and its settings."""

    master: str | None
    settings: Mapping[str, str]


@dataclass(frozen=True)
class SparkInput:
    """Which documents to read, and how."""

    paths: tuple[str, ...]
    records: Records
    kind: str
    duplicates: str
    strict: bool
    boilerplate: tuple[str, ...]
    work: str | None
    recipe: Recipe


@dataclass(frozen=True)
class SparkOutput:
    """Where to write rows, and in which format."""

    folder: str | None
    format: str | None


@click.group()
@click.option(
    "--master",
    metavar="URL",
    help="Master URL of Spark.  [default: that of spark-submit, else local[*], this machine]",
)
@click.option("--conf", "settings", multiple=True, type=NameValue(), metavar="NAME=VALUE", help="Setting of Spark.")
@click.pass_context
def spark(ctx: click.Context, master: str | None, settings: tuple[tuple[str, str], ...]) -> None:
    """Work on Apache Spark, for more documents than one machine can hold: pairs, drop lists and databases.

    Reads JSON Lines or Parquet from wherever Spark can. Needs Java 17 and the packages of fpdb[spark]. The results are
    those of `fpdb pairs` and the other commands. docs/guide/spark.md tells how to run it on a cluster.

    Example: fpdb spark pairs --parquet corpus/ --min 0.5 --to pairs/
             fpdb spark --master 'local[4]' drop-list --jsonl corpus/ --keep longest
             fpdb spark build --parquet s3a://bucket/corpus/ folder/
    """
    ctx.meta["fpdb.spark"] = SparkCluster(master, dict(settings))


def input_options(command: Command) -> Command:
    """Add PATH... and how to read it; pass a `SparkInput` as `documents`."""

    @combine(
        paths_argument(),
        records_options,
        click.option(
            "--kind",
            type=LazyChoice("KINDS", "auto"),
            default="auto",
            show_default=True,
            help="Kind of documents that do not name theirs; auto tells it from name and content.",
        ),
        click.option(
            "--duplicates",
            type=click.Choice(["error", "first"]),
            default="error",
            show_default=True,
            help="Documents of the same name: fail, or take the first.",
        ),
        strict_option,
        click.option(
            "--boilerplate",
            multiple=True,
            metavar="PATH",
            help="Ignore what these documents contain; they are read in the same way; repeatable.",
        ),
        click.option(
            "--work",
            metavar="FOLDER",
            help="Keep the fingerprints in a new folder, and leave them there.  [default: with Spark's executors]",
        ),
        click.option("--like", metavar="DATABASE", type=click.Path(), help="Use the recipe of this database."),
        recipe_options,
    )
    @functools.wraps(command)
    def with_input(*positional: Any, like: str | None, recipe: Recipe, records: Records | None, **values: Any) -> Any:
        if records is None:
            raise click.UsageError("say what the files are: --jsonl or --parquet")
        with usage_errors():
            recipe = _recipe(click.get_current_context(), like, recipe)
        return collect(SparkInput, "documents")(command)(*positional, records=records, recipe=recipe, **values)

    return cast(Command, with_input)


def result_options(command: Command) -> Command:
    """Add --to and --format; pass a `SparkOutput` as `output`."""

    @click.option("--to", "folder", metavar="FOLDER", help="Write into a new folder, in parallel.  [default: print]")
    @click.option(
        "--format",
        type=click.Choice(["parquet", "json", "csv"]),
        help="Output format.  [default: parquet with --to, else json]",
    )
    @collect(SparkOutput, "output")
    @functools.wraps(command)
    def with_output(*positional: Any, output: SparkOutput, **values: Any) -> Any:
        if output.folder is None and output.format == "parquet":
            raise click.UsageError("Parquet is not printed: give --to FOLDER")
        with usage_errors():
            return command(*positional, output=output, **values)

    return cast(Command, with_output)


@spark.command(cls=RecipeCommand)
@input_options
@pair_options()
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the first N results.")
@result_options
@collect(PairSelection, "selection")
@click.pass_context
def pairs(
    ctx: click.Context, documents: SparkInput, selection: PairSelection, top: int | None, output: SparkOutput
) -> None:
    """Compare all documents with each other; print the rows of `fpdb pairs`."""
    from fpdb.spark import pairs as find_pairs

    with _fingerprints(ctx, documents) as (fingerprints, boilerplate):
        _write(find_pairs(fingerprints, boilerplate, top=top, **vars(selection)), output)


@spark.command("drop-list", cls=RecipeCommand)
@input_options
@pair_options()
@keep_option("first")
@result_options
@collect(PairSelection, "selection")
@click.pass_context
def drop_list(
    ctx: click.Context, documents: SparkInput, selection: PairSelection, keep: str, output: SparkOutput
) -> None:
    """List the documents to remove so that one of each cluster is left; print the rows of `fpdb drop-list`.

    The document with the smallest name counts as the one added first.
    """
    from fpdb.spark import drop_list as find_drops

    with _fingerprints(ctx, documents) as (fingerprints, boilerplate):
        _write(find_drops(fingerprints, boilerplate, keep=keep, **vars(selection)), output)


@spark.command(cls=RecipeCommand)
@input_options
@click.argument("folder")
@click.option("--files", type=click.IntRange(min=1), metavar="N", help="Number of hash ranges.")
@click.pass_context
def build(ctx: click.Context, documents: SparkInput, folder: str, files: int | None) -> None:
    """Make a FOLDER that a database can adopt without fingerprinting again (docs/design/adopt-format.md).

    Documents are in the order of their names. If the key is in a file of its own (fpdb --key-file), the folder does not
    contain it.
    """
    from fpdb import keys
    from fpdb.spark import build as build_folder

    if documents.boilerplate:
        raise click.UsageError("boilerplate is added to the database itself: fpdb add --boilerplate")
    key_file = _key_file(ctx)
    digest = None if key_file is None else keys.read(key_file).digest
    with usage_errors(), _fingerprints(ctx, documents) as (fingerprints, _):
        build_folder(fingerprints, folder, documents.recipe, files=files, key_digest=digest)
    say(f"written: {folder}")


def _write(rows: DataFrame, output: SparkOutput) -> None:
    if output.folder is not None:
        options = {"header": "true"} if output.format == "csv" else {}
        rows.write.format(output.format or "parquet").options(**options).save(output.folder)
    elif output.format == "csv":
        write_csv(rows.columns, rows.toLocalIterator())
    else:
        for row in rows.toLocalIterator():
            write_json({name: value for name, value in row.asDict().items() if value is not None})


@contextmanager
def _fingerprints(ctx: click.Context, documents: SparkInput) -> Iterator[tuple[DataFrame, DataFrame | None]]:
    """Fingerprint the documents, and the boilerplate if there is any. Raises SparkFailure."""
    from fpdb.spark.failures import plainly
    from fpdb.spark.fingerprints import fingerprints, problems, readable
    from fpdb.spark.session import running

    cluster: SparkCluster = ctx.meta["fpdb.spark"]
    with plainly(), running(cluster.master, cluster.settings) as session:
        read = functools.partial(_read, session, documents)
        options: Any = {"kind": documents.kind, "duplicates": documents.duplicates, "strict": documents.strict}
        found = fingerprints(read(documents.paths), documents.recipe, folder=documents.work, **options)
        boilerplate = None
        if documents.boilerplate:
            boilerplate = fingerprints(read(documents.boilerplate), documents.recipe, purpose="discard", **options)
        _say_problems(problems(found))
        say(f"fingerprinted {count_text(readable(found).count(), 'document')}")
        yield found, boilerplate


def _read(session: SparkSession, documents: SparkInput, paths: tuple[str, ...]) -> DataFrame:
    from fpdb.spark import documents as read_documents

    return read_documents(session, paths, documents.records.format, fields=documents.records.fields)


def _say_problems(problems: DataFrame) -> None:
    count = problems.count()
    for row in problems.orderBy("file", "name").limit(PROBLEM_LIMIT).collect():
        place = ": ".join(part for part in (row["file"], row["name"]) if part)
        say(f"skipped {place or 'a document without a name'}: {row['error']}")
    if count:
        rest = f", of which the first {PROBLEM_LIMIT} are listed" if count > PROBLEM_LIMIT else ""
        say(f"skipped {count_text(count, 'document')}{rest}")


def _recipe(ctx: click.Context, like: str | None, recipe: Recipe) -> Recipe:
    """Return the recipe of the options, with the key of the key file if there is one. Raises click.UsageError."""
    import fpdb
    from fpdb import keys

    names = [field.name for field in fields(RecipeArguments)]
    given = [name for name in names if ctx.get_parameter_source(name) != click.core.ParameterSource.DEFAULT]
    key_file = _key_file(ctx)
    if like is not None:
        if given:
            raise click.UsageError("--like takes the recipe of a database: leave out --preset and what changes it")
        with fpdb.open(like, "r", key_file=key_file) as db:
            return db.recipe
    if key_file is not None:
        if "key" in given:
            raise click.UsageError("give one key: --key, or a key file (also in FPDB_KEY_FILE)")
        return recipe.with_(key=keys.read(key_file).key)
    return recipe


def _key_file(ctx: click.Context) -> str | None:
    target = ctx.find_object(Target)
    return None if target is None else target.key_file
