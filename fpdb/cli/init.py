"""`fpdb init`."""

import os
from contextlib import suppress
from dataclasses import replace

import click

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.recipe_options import RecipeCommand, RecipeOptions, recipe_text
from fpdb.cli.target import Target
from fpdb.cli.terminal import say, write_line


@argument_group
class _Arguments:
    recipe: RecipeOptions
    secret: bool = option("Make a random hash key, and store it in the database.")
    secret_file: str | None = option(
        "Make a random secret in a new FILE, and derive the hash key from it; the database stores neither.",
        "--key-file",
        "--secret-file",
        type=click.Path(),
        metavar="FILE",
    )


@command(_Arguments, cls=RecipeCommand)
def init(target: Target, arguments: _Arguments) -> None:
    """Create an empty database.

    The recipe cannot be changed later. `fpdb add` also creates a database, with the `text` preset; use this command
    for another recipe.

    A new database compares texts by what they look like (reader_version=2): letters of other scripts and digits that
    look like a letter count as that letter, such as Cyrillic а as a, and 0 as o. Programs are compared whatever the
    modifiers and types of their declarations. Databases that were made before keep what they have; --set
    reader_version=1 makes a database that can be merged with them.

    With the default key, anyone who knows fpdb can find out which passages of a text are selected, and change only
    these. With --secret, he also needs the database; with --key-file, also FILE. FILE is readable only by you, and
    never overwritten. Adding and querying need it: give it before the command with --key-file, or in
    FPDB_KEY_FILE. Keep a copy: without it, you can neither add documents nor query by content. Several databases may
    share a key file, so that they can be compared: `fpdb --key-file FILE init`.

    Example: fpdb --db web.fpdb init --preset web -w 50
             fpdb --db exams.fpdb init --key-file ~/exams.key
             fpdb --db exams.fpdb --key-file ~/exams.key add exams/
    """
    from fpdb import keys
    from fpdb.fingerprint import DEFAULT_KEY

    recipe, secret, secret_file = arguments.recipe.recipe(), arguments.secret, arguments.secret_file
    has_key = recipe.key != DEFAULT_KEY
    if has_key + secret + ((secret_file or target.key_file) is not None) > 1:
        raise click.UsageError(
            "give one key: --key, --secret, --key-file, or one that exists (before the command, or in FPDB_KEY_FILE)"
        )
    if secret:
        recipe = recipe.with_(key=keys.random_key())
    if secret_file is not None:
        keys.create(secret_file)
        target = replace(target, key_file=secret_file)
    try:
        with target.open("x", recipe):
            pass
    except BaseException:
        if secret_file is not None:
            with suppress(OSError):
                os.unlink(secret_file)
        raise
    write_line(f"created {target.path}: {recipe_text(recipe)}")
    if secret_file is not None:
        say(f"its key is in {secret_file}: keep a copy, and give it with --key-file or FPDB_KEY_FILE")
