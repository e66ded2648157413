"""`fpdb common`: passages that are marked are discarded from then on."""

from tests.cli.conftest import Run


def test_what_is_marked_as_boilerplate_is_discarded(copies: Run) -> None:
    done = copies("common", "--min-df", "2", "--mark", "parts")
    assert "marked as boilerplate: parts" in done.stderr
    assert copies("common", "--min-df", "2").stdout == "no passage is in 2 of 5 documents\n"
    copies("remove", "parts")
    assert "for instance in" in copies("common", "--min-df", "2").stdout
