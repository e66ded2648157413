"""Tables of `fpdb query`."""

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.prose import prose


def test_table(half_copied: Run) -> None:
    lines = half_copied("query", "draft.txt").stdout.splitlines()
    assert lines[0].startswith("draft.txt: ")
    assert lines[1].split() == ["#", "name", "shared", "containment", "reverse", "resemblance"]
    assert lines[2].split()[:2] == ["1", "c/a.txt"]
    assert "█" in lines[2]


def test_what_is_only_boilerplate_is_said(half_copied: Run) -> None:
    """By query, pairs and show, in the table and beside or in the JSON."""
    because = "all of its fingerprints are boilerplate"
    assert "discarded" not in half_copied("show", "c/a.txt").stdout
    half_copied("add", "c/a.txt", "--boilerplate", "--name", "template")
    assert half_copied("query", "c/a.txt").stdout.endswith(f"no match: {because}\n")
    answer = json.loads(half_copied("query", "c/a.txt", "--format", "json").stdout)
    assert (answer["query"]["note"], answer["query"]["looked_up"], answer["matches"]) == (because, 0, [])
    assert "note" not in json.loads(half_copied("query", "c/b.txt", "--format", "json").stdout)["query"]
    for form in ("table", "json", "csv"):
        said = "in no pair, since all of their fingerprints are boilerplate: c/a.txt\n"
        assert half_copied("pairs", "--format", form).stderr == said
    assert "hashes, boilerplate: all of its fingerprints" in half_copied("show", "c/a.txt").stdout
    shown = json.loads(half_copied("show", "c/a.txt", "--format", "json").stdout)
    assert shown["boilerplate_hashes"] == shown["hashes"]
    Path("tiny.txt").write_text("Name:")
    assert "shorter than a k-gram" in half_copied("add", "--boilerplate", "tiny.txt").stderr


def test_no_match_is_not_an_error(half_copied: Run) -> None:
    Path("new.txt").write_text(prose(7))
    assert half_copied("query", "new.txt").stdout.endswith("\nno match: no document shares a fingerprint with it\n")
    assert json.loads(half_copied("query", "new.txt", "--format", "json").stdout)["matches"] == []
    assert len(half_copied("query", "new.txt", "--format", "csv").stdout.splitlines()) == 1


def test_long_tables_are_cut(half_copied: Run) -> None:
    for index in range(25):
        half_copied("add", "c/a.txt", "--name", f"copy{index}")
    result = half_copied("query", "draft.txt")
    assert len(result.stdout.splitlines()) == 23
    assert result.stdout.endswith("6 more; see them with --top\n")
    assert len(half_copied("query", "draft.txt", "--top", "30").stdout.splitlines()) == 28
    assert len(json.loads(half_copied("query", "draft.txt", "--format", "json").stdout)["matches"]) == 26
    assert len(json.loads(half_copied("query", "draft.txt", "--format", "json", "--top", "2").stdout)["matches"]) == 2


def test_signs_of_a_disguise_are_told(half_copied: Run) -> None:
    """In the table and in the JSON, of short texts and long ones, and of files that are not plain text."""
    plain = Path("draft.txt").read_text()
    assert "signs" not in half_copied("query", "draft.txt").stdout
    assert "signs" not in json.loads(half_copied("query", "draft.txt", "--format", "json").stdout)["query"]
    disguised = plain.replace("o", "о").replace("e", "\u200be\u200b")
    counts = None
    for name, text in {"short.txt": disguised, "long.txt": disguised * 300, "page.html": f"<p>{disguised}</p>"}.items():
        Path(name).write_text(text)
        signs = json.loads(half_copied("query", name, "--format", "json").stdout)["query"]["signs"]
        assert set(signs) == {"look_alikes", "invisible_characters"}
        said = f"signs of a disguise: {signs['look_alikes']:,} letters of another script that look Latin, "
        assert half_copied("query", name).stdout.splitlines()[1].startswith(said)
        counts = counts or signs
        assert counts == (signs if name != "long.txt" else {key: value // 300 for key, value in signs.items()})
    Path("hidden.html").write_text(f"<p>{plain}</p><p hidden>unseen</p>")
    assert "signs of a disguise: 6 hidden letters and digits\n" in half_copied("query", "hidden.html").stdout
