"""Contents come from the caller or from the sources of a database, but never from the files of the database itself."""

import os

from tests.regions.documents import match_of, words


def test_the_caller_may_have_the_texts(db):
    text = " ".join(words(1, 60))
    db.add("a", text)
    assert match_of(db, text).source == "not_kept"
    assert match_of(db, text, texts=lambda document: {"a": text}[document.name]).source == "same"
    assert match_of(db, text, texts=lambda _: text.encode()).source == "same"
    assert match_of(db, text, texts=lambda _: text + "!").source == "changed"
    assert match_of(db, text, texts=lambda _: None).source == "unavailable"


def test_what_is_no_readable_file_is_unavailable(db, tmp_path):
    """A pipe is not waited for, and the database's own files are not opened: closing them would drop its locks."""
    db.remember_sources(["/"])
    text = " ".join(words(1, 60))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    there = [tmp_path, tmp_path / "pipe", db.path, f"{db.path}-lock", f"{db.path}-writer", "/dev/zero"]
    there += [tmp_path / "loop", "/a\0b", "/" + "x" * 9999]
    elsewhere = ["", "a\0b", "http://example.org/a", "archive.zip/a", "x" * 9999]
    gone = [tmp_path / "a", tmp_path / "pipe" / "a"]
    for state, sources in (("unavailable", there), ("not_kept", elsewhere), ("gone", gone)):
        for source in map(str, sources):
            db.add("a", text, source=source)
            assert match_of(db, text).source == state
    db.add("b", " ".join(words(2, 60)))  # the writer's lock is still held as it should be
