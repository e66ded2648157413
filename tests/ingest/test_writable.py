"""Files are added under the names, and by the rules, of the commands."""

import zipfile
from pathlib import Path

import pytest

import fpdb
from tests.cli.prose import prose


def test_files_are_named_and_read_as_by_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    Path("essays").mkdir()
    Path("essays/page.html").write_text(f"<html><p>{prose(1, 300)}</p></html>")
    Path("essays/other.txt").write_text(prose(1, 300))
    with fpdb.open("corpus.fpdb") as db:
        assert db.add_file("./essays//page.html", labels={"a": "b"}) == "added"
        assert db.add_file(Path("essays/other.txt"), name="other") == "added"
        document = db.document("essays/page.html")
        assert (document.kind, document.source) == ("html", str(tmp_path / "essays/page.html"))
        assert [match.name for match in db.query_file("essays/page.html")] == ["other"]
        assert db.query_file("essays/page.html", regions=True)[0].source == "same"
        for wrong in ("essays", "nothing.txt", "corpus.fpdb", "corpus.fpdb-lock"):
            with pytest.raises(fpdb.Unreadable, match=wrong):
                db.add_file(wrong)
        with zipfile.ZipFile("all.zip", "w") as archive:
            archive.write("essays/page.html")
        with pytest.raises(fpdb.Unreadable, match="an archive"):
            db.query_file("all.zip")
        db.add("still", "locked")  # reading the database's own files would have dropped its locks
        assert db.check() == []
