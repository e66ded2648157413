"""Every recipe has words."""

from pathlib import Path

import pytest

import fpdb
from fpdb.browse.site import Site
from tests.browse.conftest import Browser, words


@pytest.mark.parametrize("preset", ["text", "answers", "code", "web", "koala", "sample"])
def test_every_recipe_has_words(tmp_path: Path, preset: str) -> None:
    with fpdb.open(tmp_path / "t.fpdb", recipe=fpdb.Recipe.preset(preset)) as db:
        text = words(Browser(Site(db)).get("/").text)
    for rule in fpdb.Recipe.preset(preset).rules.values():
        assert f"fewer than {rule.k} never match" in text
