"""`fpdb check`, `compact` and `backup`."""

import json
import os
from pathlib import Path

import pytest

from fpdb.errors import Corrupt

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


def test_export_and_import(run: Run) -> None:
    fill(run)
    assert run("export", "out.jsonl").stderr == "exported 20 documents\n"
    assert run("export").stdout_bytes == Path("out.jsonl").read_bytes()
    assert run("--db", "new.fpdb", "import", "out.jsonl").stderr == "imported 20 documents: 20 added\n"
    again = run("--db", "new.fpdb", "import", stdin=Path("out.jsonl").read_bytes())
    assert again.stderr == "imported 20 documents: 20 unchanged\n"
    assert run("--db", "new.fpdb", "list").stdout == run("list").stdout
    assert run("--db", "new.fpdb", "check").stdout == "sound\n"
    Path("cut.jsonl").write_bytes(Path("out.jsonl").read_bytes()[:-60])
    assert "line 21: " in run("--db", "new.fpdb", "import", "cut.jsonl", status=1).stderr
    run("import", "missing.jsonl", status=2)


def test_an_output_never_takes_the_place_of_the_database_or_a_device(run: Run) -> None:
    fill(run)
    before = Path("corpus.fpdb").read_bytes()
    os.symlink("corpus.fpdb", "link")
    os.mkfifo("pipe")
    for path in ("corpus.fpdb", "link", "corpus.fpdb-lock"):
        assert "the database itself" in run("export", path, status=2).stderr
        assert "the database itself" in run("pairs", "--report", path, status=2).stderr
    assert Path("corpus.fpdb").read_bytes() == before
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        run("--db", "empty.fpdb", "init")
        run("--db", "empty.fpdb", "export", "pipe")
        assert os.read(reader, 9) == b'{"format"'
    finally:
        os.close(reader)
    assert Path("pipe").is_fifo()


def test_an_output_is_whole_or_as_it_was(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(run)
    Path("out.jsonl").write_text("before")
    os.chmod("out.jsonl", 0o640)
    with monkeypatch.context() as patch:
        patch.setattr("fpdb.exchange.jsonl_export.export", fail)
        run("export", "out.jsonl", status=1)
    assert Path("out.jsonl").read_text() == "before"
    run("export", "out.jsonl")
    assert os.stat("out.jsonl").st_mode & 0o777 == 0o640
    run("export", "missing/out.jsonl", status=1)
    assert sorted(name for name in os.listdir() if "new" in name) == []


def fail(*_: object, **__: object) -> int:
    raise Corrupt("damage")
