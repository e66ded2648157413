"""Arguments declared as fields arrive as values of these fields."""

import click
import pytest
from click.testing import CliRunner

from fpdb.cli.arguments import argument, argument_group, command, help_text, option
from fpdb.cli.program import cli
from fpdb.cli.target import Target


@argument_group
class Shape:
    min_size: int = option("The least size.", minimum=1, default=2, metavar="N")
    labels: tuple[str, ...] = option("A label.", "--label")


@argument_group
class Arguments:
    names: tuple[str, ...] = argument(metavar="[NAME]...")
    shape: Shape
    share: float | None = option("A share.", "-s", "--share")
    quick: bool = option("Be quick.")


@argument_group
class OtherArguments(Arguments):
    quick: bool = option("Do not wait.", "-q", "--quick")


@command(Arguments)
def show(_: Target, arguments: Arguments) -> None:
    """Show.

    Example: show a
             show b
    """
    click.echo(repr(vars(arguments) | {"shape": vars(arguments.shape)}))


def run(*arguments: str) -> str:
    return CliRunner().invoke(show, arguments, obj=Target("x", 1.0)).output


def test_values_arrive_in_groups() -> None:
    given = {"names": ("a", "b"), "shape": {"min_size": 3, "labels": ("x", "y")}, "share": 0.5, "quick": True}
    assert run("a", "b", "--min-size", "3", "--label", "x", "--label", "y", "-s", "0.5", "--quick") == f"{given!r}\n"
    defaults = {"names": (), "shape": {"min_size": 2, "labels": ()}, "share": None, "quick": False}
    assert run() == f"{defaults!r}\n"


def test_wrong_values_are_refused() -> None:
    assert "is not in the range x>=1" in run("--min-size", "0")
    assert "is not a valid float" in run("--share", "x")


def test_help_keeps_the_lines_of_examples() -> None:
    shown = run("--help")
    assert "Example: show a\n           show b\n" in shown
    assert "--min-size N" in shown
    assert "[default: 2; x>=1]" in shown
    assert help_text(None) == ""


def test_a_group_can_change_an_option_of_its_base() -> None:
    made = command(OtherArguments, "other")(lambda *_: None)
    assert [parameter.name for parameter in made.params] == ["names", "min_size", "labels", "share", "quick"]
    assert made.params[-1].opts == ["-q", "--quick"]


FLAGS = [
    (name, option)
    for name in cli.list_commands(click.Context(cli))
    for command in [cli.get_command(click.Context(cli), name)]
    if command is not None and not any(isinstance(one, click.Argument) for one in command.params)
    for parameter in command.params
    if isinstance(parameter, click.Option) and parameter.is_flag
    for option in (*parameter.opts, *parameter.secondary_opts)
]


@pytest.mark.parametrize(("name", "option"), FLAGS)
def test_a_value_of_a_flag_is_refused_by_name(name: str, option: str) -> None:
    done = CliRunner().invoke(cli, [name, option, "path:2"])
    assert done.exit_code == 2
    assert done.output.endswith(f"Error: Got unexpected extra argument (path:2): {option} takes no value\n")


def test_other_arguments_too_many_are_only_named() -> None:
    done = CliRunner().invoke(cli, ["list", "--names", "--label", "a=b", "path:2"])
    assert done.output.endswith("Error: Got unexpected extra argument (path:2)\n")


@pytest.mark.parametrize("name", ["pairs", "list", "check"])
def test_paths_that_a_command_does_not_take_are_told_from_patterns(name: str) -> None:
    done = CliRunner().invoke(cli, [name, __file__])
    assert done.output.endswith(
        f"'fpdb {name}' takes no paths; quote a pattern, so that the shell leaves it as it is\n"
    )
