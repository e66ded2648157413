"""`fpdb spark`: the same work on Apache Spark."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.arguments import argument, argument_group, command, help_text, option
from fpdb.cli.input_options import Records
from fpdb.cli.options import kind_option
from fpdb.cli.output import write_csv, write_json
from fpdb.cli.pair_options import PairSelection, keep_option
from fpdb.cli.parameters import name_value
from fpdb.cli.recipe_options import RecipeCommand, RecipeOptions
from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import count_text, say

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from fpdb.fingerprint import Recipe

PROBLEM_LIMIT = 20
"""Documents that could not be read to print."""

LOCATION = "fpdb.spark"
"""The key in click's context of the master URL and the settings of Spark."""


@argument_group
class SparkDocuments(Records):
    """Options for the documents to read."""

    kind: str = kind_option("Kind of documents that do not name theirs; auto tells it from name and content.")
    duplicates: str = option(
        "Documents of the same name: fail, or take the first.", choices=("error", "first"), default="error"
    )
    strict: bool = option("Stop at the first document that cannot be read.")
    boilerplate: tuple[str, ...] = option(
        "Ignore what these documents contain; they are read in the same way; repeatable.", metavar="PATH"
    )
    work: str | None = option(
        "Keep the fingerprints in a new folder, and leave them there.  [default: with Spark's executors]",
        metavar="FOLDER",
    )
    like: str | None = option("Use the recipe of this database.", type=click.Path(), metavar="DATABASE")
    recipe: RecipeOptions

    def open_recipe(self, target: Target) -> "Recipe":
        """Return the recipe, with the key of the key file if there is one. Raises click.UsageError."""
        import fpdb
        from fpdb import keys

        context = click.get_current_context()
        names = [field.name for field in fields(RecipeOptions)]
        given = [name for name in names if context.get_parameter_source(name) != click.core.ParameterSource.DEFAULT]
        if self.like is not None:
            if given:
                raise click.UsageError("--like takes the recipe of a database: leave out --preset and what changes it")
            with fpdb.open(self.like, "r", key_file=target.key_file, immutable=target.immutable) as db:
                return db.recipe
        recipe = self.recipe.recipe()
        if target.key_file is None:
            return recipe
        if "key" in given:
            raise click.UsageError("give one key: --key, or a key file (also in FPDB_KEY_FILE)")
        return recipe.with_(key=keys.read(target.key_file).key)


@argument_group
class SparkOutput:
    """Options for the output folder and its format."""

    folder: str | None = option("Write into a new folder, in parallel.  [default: print]", "--to", metavar="FOLDER")
    format: str | None = option(
        "Output format.  [default: parquet with --to, else json]", choices=("parquet", "json", "csv")
    )


@argument_group
class _SparkPairsArguments:
    documents: SparkDocuments
    selection: PairSelection
    top: int | None = option("Only the first N results.", minimum=1, metavar="N")
    output: SparkOutput


@argument_group
class _SparkDropListArguments:
    documents: SparkDocuments
    selection: PairSelection
    keep: str = keep_option("first")
    output: SparkOutput


@argument_group
class _SparkBuildArguments:
    documents: SparkDocuments
    folder: str = argument()
    files: int | None = option("Number of hash ranges.", minimum=1, metavar="N")


HELP = help_text("""Work on Apache Spark, for more documents than one machine can hold.

    Reads JSON Lines or Parquet from wherever Spark can. Needs Java 17 and the packages of fpdb[spark]. The results are
    those of `fpdb pairs` and the other commands. docs/guide/spark.md tells how to run it on a cluster.

    Example: fpdb spark pairs --parquet corpus/ --min 0.5 --to pairs/
             fpdb spark --master 'local[4]' drop-list --jsonl corpus/ --keep longest
             fpdb spark build --parquet s3a://bucket/corpus/ folder/
    """)


@click.group(help=HELP)
@click.option(
    "--master", metavar="URL", help="Master URL of Spark.  [default: that of spark-submit, else local[*], this machine]"
)
@click.option("--conf", "settings", multiple=True, type=name_value, metavar="NAME=VALUE", help="Setting of Spark.")
@click.pass_context
def spark(context: click.Context, master: str | None, settings: tuple[tuple[str, str], ...]) -> None:
    """Note where Spark runs."""
    context.meta[LOCATION] = (master, dict(settings))


@spark.add_command
@command(_SparkPairsArguments, cls=RecipeCommand)
def pairs(target: Target, arguments: _SparkPairsArguments) -> None:
    """Compare all documents with each other; print the rows of `fpdb pairs`."""
    from fpdb.spark import pairs as find_pairs

    _print_rows(target, arguments, partial(find_pairs, top=arguments.top, **arguments.selection.options()))


@spark.add_command
@command(_SparkDropListArguments, "drop-list", cls=RecipeCommand)
def drop_list(target: Target, arguments: _SparkDropListArguments) -> None:
    """List the documents to remove so that one of each cluster is left; print the rows of `fpdb drop-list`.

    The document with the smallest name counts as the one added first.
    """
    from fpdb.spark import drop_list as find_drops

    _print_rows(target, arguments, partial(find_drops, keep=arguments.keep, **arguments.selection.options()))


@spark.add_command
@command(_SparkBuildArguments, cls=RecipeCommand)
def build(target: Target, arguments: _SparkBuildArguments) -> None:
    """Make a FOLDER that a database can adopt without fingerprinting again (docs/design/adopt-format.md).

    Documents are in the order of their names. If the key is in a file of its own (fpdb --key-file), the folder does not
    contain it.
    """
    from fpdb import keys
    from fpdb.spark import build as build_folder

    with _recipe(target, arguments.documents) as recipe:
        if arguments.documents.boilerplate:
            raise click.UsageError("boilerplate is added to the database itself: fpdb add --boilerplate")
        digest = None if target.key_file is None else keys.read(target.key_file).digest
        with _fingerprints(recipe, arguments.documents) as (fingerprints, _):
            build_folder(fingerprints, arguments.folder, recipe, files=arguments.files, key_digest=digest)
    say(f"written: {arguments.folder}")


def _print_rows(
    target: Target,
    arguments: _SparkPairsArguments | _SparkDropListArguments,
    find: "Callable[[DataFrame, DataFrame | None], DataFrame]",
) -> None:
    """Write the rows that a search finds in the fingerprints of the documents and of the boilerplate."""
    output = arguments.output
    with _recipe(target, arguments.documents) as recipe:
        if output.folder is None and output.format == "parquet":
            raise click.UsageError("Parquet is not printed: give --to FOLDER")
        with _fingerprints(recipe, arguments.documents) as (fingerprints, boilerplate):
            _write(find(fingerprints, boilerplate), output)


@contextmanager
def _recipe(target: Target, documents: SparkDocuments) -> "Iterator[Recipe]":
    """Return the recipe of the documents; what raises in the block may be wrong usage."""
    if documents.encoding:
        raise click.UsageError("on Spark, JSON Lines are UTF-8: leave --encoding out")
    if documents.csv:
        raise click.UsageError("CSV is not read on Spark: make JSON Lines or Parquet of it")
    if not documents.record_format:
        raise click.UsageError("say what the files are: --jsonl or --parquet")
    recipe = documents.open_recipe(target)
    with usage_errors():
        yield recipe


def _write(rows: "DataFrame", output: SparkOutput) -> None:
    if output.folder is not None:
        options = {"header": "true"} if output.format == "csv" else {}
        rows.write.format(output.format or "parquet").options(**options).save(output.folder)
    elif output.format == "csv":
        write_csv(rows.columns, rows.toLocalIterator())
    else:
        for row in rows.toLocalIterator():
            write_json({name: value for name, value in row.asDict().items() if value is not None})


@contextmanager
def _fingerprints(recipe: "Recipe", documents: SparkDocuments) -> "Iterator[tuple[DataFrame, DataFrame | None]]":
    """Fingerprint the documents, and the boilerplate if there is any. Raises SparkFailure."""
    from fpdb.spark.failures import plain_errors
    from fpdb.spark.fingerprints import fingerprints, problems, readable
    from fpdb.spark.session import running

    with plain_errors(), running(*click.get_current_context().meta[LOCATION]) as session:
        read = partial(_read, session, documents)
        options: Any = {"kind": documents.kind, "duplicates": documents.duplicates, "strict": documents.strict}
        found = fingerprints(read(documents.paths), recipe, folder=documents.work, **options)
        boilerplate = None
        if documents.boilerplate:
            boilerplate = fingerprints(read(documents.boilerplate), recipe, purpose="discard", **options)
        _say_problems(problems(found))
        say(f"fingerprinted {count_text(readable(found).count(), 'document')}")
        yield found, boilerplate


def _read(session: "SparkSession", documents: SparkDocuments, paths: tuple[str, ...]) -> "DataFrame":
    from fpdb.spark import documents as read_documents

    return read_documents(session, paths, "jsonl" if documents.jsonl else "parquet", fields=documents.fields())


def _say_problems(problems: "DataFrame") -> None:
    count = problems.count()
    for row in problems.orderBy("file", "name").limit(PROBLEM_LIMIT).collect():
        place = ": ".join(part for part in (row["file"], row["name"]) if part)
        say(f"skipped {place or 'a document without a name'}: {row['error']}")
    if count:
        rest = f", of which the first {PROBLEM_LIMIT} are listed" if count > PROBLEM_LIMIT else ""
        say(f"skipped {count_text(count, 'document')}{rest}")
