"""Progress: a bar on a terminal, and none in a pipe."""

import re
from pathlib import Path

import pytest

from tests.cli.processes import in_terminal, many_files, run, with_setting

pytestmark = pytest.mark.usefixtures("folder")


def test_a_terminal_gets_a_bar_and_a_pipe_does_not() -> None:
    many_files(20)
    shown = in_terminal("add", "many", command=with_setting("fpdb.cli.progress:PATIENCE = 0"))
    assert "adding" in shown
    assert "/s" in shown
    assert "added 20: " in shown
    Path("corpus.fpdb").unlink()
    result = run("add", "many")
    assert result.stderr == ""
    assert result.stdout.startswith("added 20: ")


def test_long_comparisons_and_queries_of_many_show_how_they_get_on() -> None:
    """On a terminal only: where the answers go to a file, the bar is all that there is to see."""
    many_files(20, words=6_000)
    run("add", "many")
    eager = with_setting("fpdb.cli.progress:PATIENCE = m.INTERVAL = 0")
    for options in ((), ("--clusters",), ("--by", "weighted-containment")):
        shown = in_terminal("pairs", *options, command=eager)
        assert "reading" in shown
        assert re.search(r"comparing.* 20 documents, [\d,]+ documents/s, 0:00 left of 20 documents", shown)
        assert "many/" in shown.rpartition("comparing")[2]
    assert run("pairs").stderr == ""
    assert "querying" not in in_terminal("query", "many", command=eager)
    line = [*eager, "query", "many", "--format", "json"]
    shown = in_terminal(command=["sh", "-c", 'exec "$@" > out.json', "sh", *line])
    assert re.search(r"querying.*/s, 0:00 left of", shown)
    assert Path("out.json").read_text() == run("query", "many", "--format", "json").stdout
    assert run("query", "many").stderr == ""
