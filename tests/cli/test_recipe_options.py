"""Recipe options: what makes no sense is wrong usage."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.prose import prose

BAD_RECIPES = [
    (("-w", "0"), "from 1"),
    (("-w", "x"), "not a valid integer"),
    (("-k", "0"), "from 1"),
    (("-k", "100000"), "from 1"),
    (("--preset", "novel"), "choose one of: text"),
    (("--scheme", "novel"), "choose one of: winnow"),
    (("--set", "v=3"), "no parameter 'v'"),
    (("--set", "self=3"), "no parameter 'self'"),
    (("--set", "name=3"), "no parameter 'name'"),
    (("--set", "key=3"), "use --key"),
    (("--set", "k=3"), "use -k"),
    (("--set", "scheme=3"), "use --scheme"),
    (("--set", "w=x"), "must be a number"),
    (("--set", "w"), "NAME=VALUE"),
]


@pytest.mark.parametrize(("options", "hint"), BAD_RECIPES)
def test_a_recipe_that_makes_no_sense(run: Run, options: tuple[str, ...], hint: str) -> None:
    Path("a.txt").write_text(prose(1))
    assert hint in run("fingerprint", "a.txt", *options, status=2).stderr
    assert hint in run("init", *options, status=2).stderr
    assert not Path("corpus.fpdb").exists()
