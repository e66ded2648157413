"""`fpdb check`, `compact` and `backup`."""

import json
import os
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.json_lines import fill


def test_check_says_sound(run: Run) -> None:
    fill(run)
    assert run("check").stdout == "sound\n"
    sound = {"sound": True, "problems": [], "unchecked": [], "quick": False, "repaired": None, "lost": None}
    assert json.loads(run("check", "--format", "json").stdout) == sound
    assert json.loads(run("check", "--quick", "--format", "json").stdout) == {**sound, "quick": True}
    assert run("check", "--format", "csv").stdout == "problem\n"


def test_check_finds_damage(run: Run) -> None:
    fill(run)
    run("backup", "damaged.fpdb")
    content = bytearray(Path("damaged.fpdb").read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 + 2000] ^= 0xFF
    Path("damaged.fpdb").write_bytes(content)
    result = run("--db", "damaged.fpdb", "check", status=1)
    assert result.stdout or result.stderr.startswith("fpdb: ")


def test_compact(run: Run) -> None:
    fill(run)
    run("remove", "--glob", "d1*")
    before = run("list").stdout
    assert "compacted corpus.fpdb" in run("compact").stderr
    assert run("list").stdout == before


def test_backup(run: Run) -> None:
    fill(run)
    assert "wrote copy.fpdb" in run("backup", "copy.fpdb").stderr
    assert run("--db", "copy.fpdb", "list").stdout == run("list").stdout
    assert run("--db", "copy.fpdb", "check").stdout == "sound\n"
    before = os.stat("copy.fpdb").st_mtime_ns
    assert "copy.fpdb" in run("backup", "copy.fpdb", status=1).stderr
    assert os.stat("copy.fpdb").st_mtime_ns == before
    run("backup", "missing/copy.fpdb", status=1)
    run("backup", status=2)


def test_without_a_database(run: Run) -> None:
    for command in (["check"], ["compact"], ["backup", "x"], ["list"], ["show", "x"], ["info"], ["remove", "x"]):
        error = run(*command, status=1).stderr
        assert error.startswith("fpdb: ")
        assert "corpus.fpdb" in error
        assert os.listdir() == []


def test_a_folder_that_is_missing_is_called_that(run: Run) -> None:
    run("init")
    Path("a.txt").write_text("some words")
    commands = (["--db", "f/x.fpdb", "add", "a.txt"], ["--db", "f/x.fpdb", "init"], ["backup", "f/x.fpdb"])
    for command in (*commands, ["export", "--output", "f/x"], ["pairs", "--output", "f/x"]):
        errors = run(*command, status=1).stderr
        assert "there is no folder" in errors
        assert ".new" not in errors


def test_repair_is_a_command(run: Run) -> None:
    run("init")
    assert run("repair", "new.fpdb").stdout == run("check", "--repair", "new.fpdb").stdout == "sound\n"
    Path("damaged.fpdb").write_bytes(Path("corpus.fpdb").read_bytes()[:4096] + bytes(4096))
    checked, repaired = (
        run("--db", "damaged.fpdb", *command, "--format", "json", status=1)
        for command in (["check", "--repair", "a.fpdb"], ["repair", "b.fpdb"])
    )
    assert checked.stdout == repaired.stdout


def test_repair(run: Run) -> None:
    fill(run)
    assert run("check", "--repair", "new.fpdb").stdout == "sound\n"
    assert not Path("new.fpdb").exists()
    content = bytearray(Path("corpus.fpdb").read_bytes())
    content[8:4096] = bytes(4088)  # a meta page, whichever it is, and nothing else
    Path("damaged.fpdb").write_bytes(content)
    result = run("--db", "damaged.fpdb", "check", "--repair", "new.fpdb")
    assert "wrote new.fpdb: 20 documents" in result.stderr
    assert run("--db", "new.fpdb", "list").stdout == run("list").stdout
    assert Path("damaged.fpdb").read_bytes() == content
    assert "already" in run("--db", "damaged.fpdb", "check", "--repair", "new.fpdb", status=1).stderr
    run("check", "--quick", "--repair", "other.fpdb", status=2)


def test_what_a_repair_could_not_save_is_listed(run: Run) -> None:
    fill(run)
    content = bytearray(Path("corpus.fpdb").read_bytes())
    page = next(at for at in range(8192, len(content), 4096) if content[at + 10] == 4)  # an overflow page: a block
    content[page + 100 : page + 4096] = bytes(3996)
    Path("damaged.fpdb").write_bytes(content)
    plain = run("--db", "damaged.fpdb", "check", "--repair", "new.fpdb", status=1)
    assert run("--db", "new.fpdb", "check").stdout == "sound\n"
    said = run("--db", "damaged.fpdb", "check", "--repair", "other.fpdb", "--format", "json", status=1)
    found = json.loads(said.stdout)
    assert not found["sound"]
    assert found["repaired"]["documents"] == 20
    incomplete = [loss["name"] for loss in found["lost"]]
    assert incomplete
    assert all(f"incomplete {name}: " in plain.stdout for name in incomplete)
