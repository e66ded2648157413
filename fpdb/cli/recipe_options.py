"""Options of the commands that make fingerprints by a recipe of their own."""

from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.arguments import Command, argument_group, option
from fpdb.cli.parameters import LazyChoice, hash_key, name_value
from fpdb.cli.target import usage_errors

if TYPE_CHECKING:
    from fpdb.fingerprint import Recipe, Scheme

OWN_OPTIONS = {"k": "-k", "scheme": "--scheme", "key": "--key"}
"""Options for what --set does not set."""


class RecipeCommand(Command):
    """A command with recipe options; its help ends with the presets and the schemes."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each preset is for, what each scheme selects, and its parameters."""
        from fpdb.fingerprint import SCHEMES
        from fpdb.fingerprint.presets import PRESETS

        with formatter.section("Presets"):
            formatter.write_dl([(name, preset.about) for name, preset in PRESETS.items()])
        with formatter.section("Schemes, and what --set takes"):
            formatter.write_dl([(name, _scheme_text(scheme)) for name, scheme in SCHEMES.items()])
        super().format_epilog(ctx, formatter)


@argument_group
class RecipeOptions:
    """A preset, and what changes it."""

    preset: str = option(
        "Recipe to start from; see below.", type=LazyChoice("fpdb.fingerprint.presets", "PRESETS"), default="text"
    )
    scheme: str | None = option(
        "Scheme that selects k-grams; see below.", type=LazyChoice("fpdb.fingerprint", "SCHEMES")
    )
    k: int | None = option("Length of a k-gram, in symbols.", "-k", metavar="K")
    window: int | None = option("Window of the scheme, in k-grams.", "-w", "--window", metavar="W")
    parameters: tuple[tuple[str, str], ...] = option(
        "Set a parameter of the scheme, or hash_bits, positions (0: store none), max_df, max_ignored, reader_version "
        "(1: read documents as databases do that were made before version 2); repeatable.",
        "--set",
        type=name_value,
        metavar="NAME=VALUE",
    )
    key: int | None = option(
        "Hash key, from 0 to 2^64 - 1; other users of the machine can see it.  [default: a public key]",
        type=hash_key,
        metavar="N",
    )

    def recipe(self) -> "Recipe":
        """Make the recipe."""
        from fpdb.fingerprint import Recipe

        for name, own_option in OWN_OPTIONS.items():
            if name in dict(self.parameters):
                raise click.UsageError(f"--set does not set {name}: use {own_option}")
        values: dict[str, Any] = {name: _number(name, value) for name, value in self.parameters}
        if self.window is not None:
            values["w"] = self.window
        if values.get("positions") in (0, 1):
            values["positions"] = bool(values["positions"])
        with usage_errors():
            return Recipe.preset(self.preset).with_(**values, k=self.k, scheme=self.scheme, key=self.key)


def recipe_text(recipe: "Recipe") -> str:
    """Format a recipe: `characters: robust-winnow, k=30, w=21; reader_version=2`."""
    rules = [
        f"{alphabet}: "
        + ", ".join([rule.scheme, f"k={rule.k}", *(f"{name}={value}" for name, value in rule.parameters.items())])
        for alphabet, rule in recipe.rules.items()
    ]
    return "; ".join([*rules, f"reader_version={recipe.reader_version}"])


def _scheme_text(scheme: "Scheme") -> str:
    parameters = ", ".join(f"{name}={row.default}" for name, row in scheme.parameters.items())
    return f"{scheme.about} ({parameters})" if parameters else scheme.about


def _number(name: str, value: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    raise click.UsageError(f"{name} must be a number, not {value!r}")
