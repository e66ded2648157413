"""`fpdb export` and `import`."""

from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.json_lines import fill


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
