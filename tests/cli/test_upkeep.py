"""`fpdb check`, `compact` and `backup`."""

import json
import os
from pathlib import Path

from .conftest import Run
from .samples import prose


def fill(run: Run, documents: int = 20) -> None:
    lines = (json.dumps({"name": f"d{seed}", "text": prose(seed)}) for seed in range(documents))
    run("add", "--jsonl", "-", stdin="\n".join(lines).encode())


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
