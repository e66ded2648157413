"""`fpdb init`."""

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from fpdb.cli.catalogue import recipe_text
from fpdb.cli.options import RecipeCommand, Target, recipe_options
from fpdb.cli.output import say, write_line

if TYPE_CHECKING:
    from fpdb.fingerprint import Recipe


@click.command(cls=RecipeCommand)
@recipe_options
@click.option("--secret", is_flag=True, help="Make a random hash key, kept in the database.")
@click.option(
    "--secret-file",
    type=click.Path(),
    metavar="FILE",
    help="Make a random secret in a new FILE, and the key from it; the database knows neither.",
)
@click.pass_obj
def init(target: Target, recipe: "Recipe", secret: bool, secret_file: str | None) -> None:
    """Create an empty database.

    Its recipe is fixed from then on. `fpdb add` creates a database by itself; this command is for another
    recipe than that of the `text` preset.

    With the default key, whoever knows fpdb can work out which passages of a text are selected, and change just these.
    With --secret he can if he has the database; with --secret-file he also needs FILE. FILE is made readable for you
    alone, and never overwritten. It is needed to add and to query: give it before the command, or in FPDB_KEY_FILE.
    Keep a copy: without it nothing can be added or looked for by content. Further databases may share it, so that
    they can be compared: `fpdb --key-file FILE init`.

    \b
    Example: fpdb --db web.fpdb init --preset web -w 50
             fpdb --db exams.fpdb init --secret-file ~/exams.key
             fpdb --db exams.fpdb --key-file ~/exams.key add exams/
    """
    from fpdb import keys
    from fpdb.fingerprint import DEFAULT_KEY

    given = recipe.key != DEFAULT_KEY
    if given + secret + ((secret_file or target.key_file) is not None) > 1:
        raise click.UsageError("give one key: --key, --secret, --secret-file, or a key file (also in FPDB_KEY_FILE)")
    if secret:
        recipe = recipe.with_(key=keys.random_key())
    if secret_file is not None:
        keys.create(secret_file)
        target = replace(target, key_file=secret_file)
    try:
        with target.open("x", recipe):
            pass
    except BaseException:
        if secret_file is not None:  # no database was made with it
            with suppress(OSError):
                os.unlink(secret_file)
        raise
    write_line(f"created {target.path}: {recipe_text(recipe)}")
    if secret_file is not None:
        say(f"its key is in {secret_file}: keep a copy, and give it with --key-file or FPDB_KEY_FILE")
