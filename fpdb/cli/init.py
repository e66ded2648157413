"""`fpdb init`."""

from typing import TYPE_CHECKING

import click

from fpdb.cli.catalogue import recipe_text
from fpdb.cli.options import RecipeCommand, Target, recipe_options

if TYPE_CHECKING:
    from fpdb.fingerprint import Recipe


@click.command(cls=RecipeCommand)
@recipe_options
@click.pass_obj
def init(target: Target, recipe: "Recipe") -> None:
    """Create an empty database.

    Its recipe is fixed from then on. `fpdb add` creates a database by itself; this command is for another
    recipe than that of the `text` preset.

    Example: fpdb --db web.fpdb init --preset web -w 50
    """
    with target.open("x", recipe):
        pass
    click.echo(f"created {click.format_filename(target.path)}: {recipe_text(recipe)}")
