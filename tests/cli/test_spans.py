"""`fpdb spans`: what cannot be read says why."""

from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.prose import prose


def test_spans_that_cannot_be_told_say_why(run: Run) -> None:
    for name in ("a", "b"):
        Path("text").write_text(prose(1, 100) + name)
        run("add", "text", "--name", name)
    Path("text").unlink()
    assert run("spans").stdout.splitlines()[1].endswith("cannot be read: gone")
    assert "gone" in run("spans", "b", status=1).stderr
    assert run("spans", "--min-shared", "9999").stdout.startswith("nothing to cut")
