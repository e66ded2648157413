"""Arguments of commands, declared once as the fields of dataclasses."""

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from itertools import pairwise
from types import NoneType
from typing import Any, TypeVar, dataclass_transform, get_args, get_origin

import click

from fpdb.cli.target import Target

T = TypeVar("T")


class Command(click.Command):
    """A command that refuses surplus arguments, and names the switch in front of one: switches take no value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError if there are too many."""
        given = list(args)
        ctx.allow_extra_args = True
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            ctx.fail(self._about_extra(given, extra))
        return extra

    def _about_extra(self, given: list[str], extra: list[str]) -> str:
        flags = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and parameter.is_flag
            for name in (*parameter.opts, *parameter.secondary_opts)
        }
        text = f"Got unexpected extra argument{'s' if len(extra) > 1 else ''} ({' '.join(extra)})"
        for before, argument in pairwise(given):
            if before in flags and argument in extra:
                return f"{text}: {before} takes no value"
        if os.path.exists(extra[0]):
            return f"{text}: 'fpdb {self.name}' takes no paths; quote a pattern, so that the shell leaves it as it is"
        return text


def option(text: str, *names: str, minimum: int | None = None, choices: Sequence[str] = (), **settings: Any) -> Any:
    """Declare a field as an option; its type follows from the annotation.

    Args:
        text: The help text.
        names: The names of the option, if it is not called like the field: --min-shared for min_shared.
        minimum: The least value of a whole number.
        choices: The values allowed.
        settings: Further settings of click.Option.
    """
    if minimum is not None:
        settings["type"] = click.IntRange(min=minimum)
    elif choices:
        settings["type"] = click.Choice(choices)
    return field(metadata={"help": text, "names": names, **settings})


def argument(**settings: Any) -> Any:
    """Declare a field as an argument without a name, with settings of click.Argument."""
    return field(metadata=settings)


@dataclass_transform(eq_default=False, frozen_default=True, kw_only_default=True, field_specifiers=(option, argument))
def argument_group(declaration: type[T]) -> type[T]:
    """Make a dataclass of a class that declares arguments. A field that is such a dataclass adds its arguments."""
    # Each method that dataclass makes takes half a millisecond, and help needs all groups.
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(declaration)


def command(
    arguments: type[T], name: str | None = None, cls: type[Command] = Command
) -> Callable[[Callable[[Target, T], None]], click.Command]:
    """Make a command of a function, whose docstring is the help text.

    Args:
        arguments: The group of all its arguments.
        name: The name of the command, if it is not called like the function.
        cls: The class of the command.
    """

    def decorate(function: Callable[[Target, T], None]) -> click.Command:
        @click.pass_obj
        def callback(target: Target, /, **values: Any) -> None:
            function(target, _build(arguments, values))

        text = help_text(function.__doc__)
        return cls(name or function.__name__, callback=callback, params=_parameters(arguments), help=text)

    return decorate


def help_text(docstring: str | None) -> str:
    """Return a docstring as a help text; mark paragraphs of examples, so that click keeps their lines."""
    return inspect.cleandoc(docstring or "").replace("\n\nExample:", "\n\n\b\nExample:")


def _build(group: Any, values: dict[str, Any]) -> Any:
    return group(
        **{
            field.name: _build(field.type, values) if is_dataclass(field.type) else values[field.name]
            for field in fields(group)
        }
    )


def _parameters(group: Any) -> list[click.Parameter]:
    parameters: list[click.Parameter] = []
    for declared in fields(group):
        parameters += _parameters(declared.type) if is_dataclass(declared.type) else [_parameter(declared)]
    return parameters


def _parameter(declared: Field[Any]) -> click.Parameter:
    settings = dict(declared.metadata)
    is_multiple = get_origin(declared.type) is tuple
    if "help" not in settings:
        return click.Argument([declared.name], nargs=-1 if is_multiple else 1, **settings)
    names = settings.pop("names") or (f"--{declared.name.replace('_', '-')}",)
    if declared.type is bool:
        return click.Option([*names, declared.name], is_flag=True, **settings)
    if declared.type == bool | None:  # three states: yes, no, and not stated
        return click.Option([f"{names[0]}/--no-{names[0][2:]}", declared.name], default=None, **settings)
    kinds = [kind for kind in get_args(declared.type) if kind is not NoneType] or [declared.type]
    settings.setdefault("type", kinds[0] if kinds[0] in (int, float) else None)
    settings.setdefault("show_default", bool(settings.get("default")))
    return click.Option([*names, declared.name], multiple=is_multiple, **settings)
