"""Whatever is in names, labels, texts and arguments, a terminal gets nothing that it would obey."""

import io
import json
import os
import pty
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.cli.terminal import bar, count_text, printable, size_text
from tests.cli.conftest import Run
from tests.cli.processes import in_terminal
from tests.cli.processes import run as run_process
from tests.cli.prose import prose

SEVERAL = "".join(
    chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp")
)
"""Every control and format character there is; among these the bidirectional ones."""

RICH = "[bold red]x[/] [link=https://evil.example]y[/link] :boom: [@click=app.quit]z[/]"

ESCAPES = "\x1b[2J\x1b]0;title\x07\x1b]8;;https://evil.example\x1b\\\x9b31m\r\x08\x7f"

ALL = f"{ESCAPES}{RICH}{SEVERAL}é\udcff"

SCRIPT = """
import json, os, sys
from fpdb.cli import progress
from fpdb.cli.program import cli
progress.PATIENCE = progress.INTERVAL = 0
for arguments in json.load(open(sys.argv[1])):
    try:
        cli([os.fsdecode(bytes.fromhex(argument)) for argument in arguments], prog_name="fpdb")
    except SystemExit:
        pass
    sys.stdout.flush()
"""


def obeyed(text: str, allowed: str = "\n") -> set[str]:
    """Return the characters of an output that a terminal may obey, or a reader not see."""
    return {
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in allowed
    }


def corpus(name: str, text: str) -> list[str]:
    """Make a file of JSON Lines and a folder, of documents with hostile names and metadata."""
    record = {"text": prose(1) + text, "source": name, "contact": name, "labels": {name: name}}
    lines = [json.dumps({"name": name + end, **record}) for end in ("", ".html", ".py")]
    lines += [json.dumps({"name": name, "text": 5}), name.encode("utf-8", "replace").decode()]
    Path("l").write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    file = name.replace("/", "|").replace("\0", "").encode("utf-8", "surrogateescape")[:120].decode("utf-8", "ignore")
    Path("d").mkdir(exist_ok=True)
    Path("d", f"f{file}").write_text(prose(1) + text, errors="replace")
    Path("d", f"b{file}").write_bytes(b"\0\1")
    Path("d", f"n{file}.ipynb").write_text(name, errors="replace")
    Path("d", f"p{file}.pdf").write_text(name, errors="replace")
    Path("d", f"z{file}.zip").write_bytes(b"PK\3\4" + name.encode("utf-8", "replace"))
    return [str(path) for path in sorted(Path("d").iterdir())]


def commands(name: str, files: list[str]) -> list[list[str]]:
    """Every command, well and badly used."""
    tables: list[list[str]] = [
        ["init", "--preset", name],
        ["init", "--scheme", name],
        ["init", "--set", f"{name}=1"],
        ["init", "--set", f"w={name}"],
        ["init", "--key", name],
        ["init", "--secret-file", f"{name}/k"],
        ["add", "l", "--jsonl", "--keep-text"],
        ["add", "d", "--label", f"{name}={name}", "--contact", name],
        ["add", "d", "--label", name],
        ["add", name, "--kind", name],
        ["add", name],
        ["add", *files, "--keep-text"],
        ["query", *files, "--include-self", "--regions"],
        ["query", name, "--by", name],
        ["pairs", "--by", name],
        ["pairs"],
        ["pairs", "--clusters", "--keep", "longest"],
        ["pairs", "--clusters", "--keep", name],
        ["drop-list", "--min", "0"],
        ["drop-list", "--keep", name],
        ["spans", "--min", "0"],
        ["spans", name],
        ["spans", files[1]],
        ["common", "--min-df", "2"],
        ["common", "--min-df", "2", "--mark", name],
        ["explain", name, f"{name}.html"],
        ["explain", files[1], f"no {name}"],
        ["remove", "--from", name],
        ["fingerprint", files[1]],
        ["fingerprint", name, "--kind", name],
        ["list"],
        ["list", "--glob", name],
        ["show", name],
        ["show", f"no {name}"],
        ["info"],
        ["rotate"],
        ["check"],
        ["backup", f"copy {name}"[:60]],
        ["remove", f"no {name}"],
        ["remove", "--glob", f"no {name}"],
        [name],
        [f"--{name}"],
        ["list", f"--{name}"],
        ["list", f"-{name}"],
        ["list", name],
        ["list", "--format", name],
        ["query", "d", "--top", name],
        ["--timeout", name, "list"],
        ["--db", name, "info"],
        ["--db", name[:60], "init"],
        ["--key-file", name, "init", "--scheme", "full"],
        ["--db", "l", "list"],
        ["remove", name],
        ["compact"],
    ]
    return [[argument.replace("\0", "") for argument in arguments] for arguments in tables]


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(st.sampled_from([*ALL, *"aé"]), min_size=1, max_size=40))
def test_no_output_in_a_pipe(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    from click.testing import CliRunner

    from fpdb.cli.program import cli

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("pipe"))
        patch.setenv("COLUMNS", "200")
        files = corpus(name, name)
        for arguments in commands(name, files):
            result = CliRunner().invoke(cli, arguments)
            assert result.exception is None or isinstance(result.exception, SystemExit), (arguments, result.exception)
            assert obeyed(result.output) == set(), arguments


def test_no_output_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(fpdb.__file__).parent.parent))
    monkeypatch.setenv("TERM", "dumb")  # so that every escape is theirs, and none of ours
    files = corpus(ALL, ALL)
    runs = commands(ALL, files)
    before_removal = runs.index(["remove", ALL.replace("\0", "")])
    for form in ("csv", "json"):
        more = [["list"], ["show", ALL], ["info"], ["check"], ["query", "d", "--include-self"], ["pairs"], ["add", "d"]]
        more += [["drop-list"], ["spans"], ["common", "--min-df", "2"], ["explain", ALL, f"{ALL}.html"]]
        runs[before_removal:before_removal] = [[*one, "--format", form] for one in more] + [
            ["fingerprint", files[1], "--format", form]
        ]
    runs[before_removal:before_removal] = [["list", "--names", "-0"], ["drop-list", "--min", "0", "--names", "-0"]]
    encoded = [
        [argument.replace("\0", "").encode("utf-8", "surrogateescape").hex() for argument in one] for one in runs
    ]
    Path("runs").write_text(json.dumps(encoded))
    main, side = pty.openpty()
    seen = io.BytesIO()
    with subprocess.Popen([sys.executable, "-c", SCRIPT, "runs"], stdin=side, stdout=side, stderr=side) as process:
        os.close(side)
        while True:
            try:
                piece = os.read(main, 1 << 16)
            except OSError:  # the terminal's other end is closed
                break
            seen.write(piece)
        assert process.wait() == 0
    os.close(main)
    text = seen.getvalue().decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    assert "Traceback" not in text
    assert obeyed(text) == set()
    assert RICH in text.replace("\n", "")
    assert text.count("added") > 2


def test_a_document_on_a_terminal_and_in_a_pipe(run: Run) -> None:
    run("add", "-", "--name", "a", "--keep-text", stdin=ESCAPES.encode())
    assert run("show", "a", "--text").stdout_bytes == ESCAPES.encode()  # a pipe gets what was added


any_text = st.text(st.characters(exclude_categories=()))


@given(any_text)
def test_printable_text_holds_nothing_that_moves_a_terminal(text: str) -> None:
    categories = {unicodedata.category(char) for char in printable(text)}
    assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(st.characters(categories=["L", "N", "P", "S", "M", "Zs"])))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_printable_says_what_was_there() -> None:
    assert printable("a\x1b[31m\u202eb\udce9\n\U000e0041") == "a\\x1b[31m\\u202eb\\xe9\\x0a\\U000e0041"


@given(st.floats(0, 1))
def test_a_bar_has_the_length_of_its_share(share: float) -> None:
    drawn = bar(share, 10)
    assert len(drawn) in (int(share * 10), int(share * 10) + 1)
    assert set(drawn) <= set("█▏▎▍▌▋▊▉#")


def test_figures_for_people() -> None:
    assert [size_text(size) for size in (0, 999, 1000, 3_400_000, 2e9)] == [
        "0 bytes",
        "999 bytes",
        "1.0 kB",
        "3.4 MB",
        "2.0 GB",
    ]
    assert [count_text(count, "run") for count in (0, 1, 2000)] == ["0 runs", "1 run", "2,000 runs"]


@pytest.mark.usefixtures("folder")
def test_nothing_in_a_name_reaches_the_terminal() -> None:
    name = "\x1b]0;owned\x07\u202etxt.exe"
    Path(name).write_text(prose(1))
    run_process("add", name)
    shown = in_terminal("list") + in_terminal("list", "--format", "csv") + in_terminal("query", name, "--include-self")
    assert "\x1b]" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert "\\x1b]0;owned" in shown


@pytest.mark.usefixtures("folder")
def test_nothing_in_a_kept_text_reaches_the_terminal() -> None:
    Path("a").write_bytes(b"one\ttwo\r\n\x1b]0;owned\x07 \xe2\x80\xae \xff caf\xc3\xa9\n" + prose(1).encode())
    run_process("add", "a", "--keep-text", "--kind", "text")
    shown = in_terminal("show", "a", "--text")
    assert shown.replace("\r\n", "\n").startswith("one\ttwo\n\\x1b]0;owned\\x07 \\u202e \\xff café\n")
