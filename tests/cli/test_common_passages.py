"""`fpdb common`: passages that are marked are discarded from then on."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.prose import prose


@pytest.fixture
def copies(run: Run) -> Run:
    """Make documents: a and b are nearly the same, c is a part of b, d differs; one name holds a line break."""
    text = prose(1, 300)
    for name, content in {
        "a": text[:1_200],
        "b\nb": text[:1_500],
        "c": text[1_000:1_500],
        "d": prose(2, 300),
        "é": prose(2, 300)[:1_000],
    }.items():
        Path("text").write_text(content)
        run("add", "text", "--keep-text", "--name", name, "--label", f"language={'fr' if name == 'é' else 'en'}")
    return run


def test_what_is_marked_as_boilerplate_is_discarded(copies: Run) -> None:
    done = copies("common", "--min-df", "2", "--mark", "parts")
    assert "marked as boilerplate: parts" in done.stderr
    assert copies("common", "--min-df", "2").stdout == "no passage is in 2 documents\n"
    copies("remove", "parts")
    assert "for instance in" in copies("common", "--min-df", "2").stdout
