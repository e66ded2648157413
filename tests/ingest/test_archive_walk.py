"""Archives are walked as folders."""

import gzip
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import chunks, parallel
from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.loading import load
from fpdb.regions.originals import read_original
from fpdb.regions.source_roots import SourceRoots
from tests import crafted_archives as crafted
from tests.ingest.archives.made_archives import GOOD, GOOD_TEXT, MAKERS, found, patient, written

PARTS = st.sampled_from(["a", "b", "c d", "é", "日本", "x" * 120, "[1]", "a!"])


TREES = st.dictionaries(
    st.tuples(st.lists(PARTS, max_size=3), st.sampled_from([".txt", ".html", ".c", "", ".bin"])).map(
        lambda parts: "/".join(["top", *parts[0], "file" + parts[1]])
    ),
    st.sampled_from([b"", b"\0\1\2", b"plain " * 3, "é".encode("latin-1"), "wide".encode("utf-16")])
    | st.binary(max_size=300)
    | st.integers(30_000, 100_000).map(lambda size: random.Random(size).randbytes(size).hex().encode()),
    max_size=6,
)


@patient
@given(tree=TREES, made=st.sampled_from(sorted(MAKERS)))
def test_an_archive_gives_what_a_folder_gives(tmp_path: Path, tree: dict[str, bytes], made: str) -> None:
    tree = {name: data for name, data in tree.items() if not data.startswith((b"PK", b"\x1f\x8b", b"BZh", b"\xfd7z"))}
    assume(tree or made.endswith("zip"))  # a tar of nothing is but zero bytes
    folder, path = tmp_path / "folder", tmp_path / made
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in tree.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    MAKERS[made](path, tree)
    assert found(path) == found(folder)
    for one in discover([str(path)]):
        assert isinstance(one, InputDocument)
        assert one.source == f"{path}!/{one.name.removeprefix(f'{path}/')}"
        assert read_original(one.source, SourceRoots([str(path)])) == tree[one.name.removeprefix(f"{path}/")]


def test_archives_in_archives(tmp_path: Path) -> None:
    inner = gzip.compress(crafted.tarred(("x/y.txt", GOOD_TEXT), ("again.zip", crafted.zipped(crafted.GOOD))))
    path = written(tmp_path / "a.zip", crafted.zipped(("in.tgz", inner), ("a!", b"mark"), ("a!/b", b"of a kind")))
    assert found(path) == {
        "in.tgz/x/y.txt": GOOD_TEXT,
        "in.tgz/again.zip/good.txt": GOOD_TEXT,
        "a!": b"mark",
        "a!/b": b"of a kind",
    }
    sources = {one.name: one.source for one in discover([path]) if isinstance(one, InputDocument)}
    assert sources[f"{path}/in.tgz/again.zip/good.txt"] == f"{path}!/in.tgz!/again.zip!/good.txt"
    for one in discover([path]):
        assert isinstance(one, InputDocument)
        assert read_original(one.source, SourceRoots([str(path)])) == one.content


def test_documents_in_the_form_of_a_zip_are_no_folders(tmp_path: Path) -> None:
    parts = {
        "word/document.xml": b"<x/>",
        "mimetype": b"application/epub+zip",
        "META-INF/MANIFEST.MF": b"x: y",
        "[Content_Types].xml": b"<x/>",
        "p-1.dist-info/WHEEL": b"x",
    }
    for part, data in parts.items():
        (first, *_) = discover([written(tmp_path / "no-extension", crafted.zipped((part, data), crafted.GOOD))])
        packed = part != "word/document.xml"
        assert (first.name == f"{tmp_path}/no-extension") == packed, part
        assert GOOD in found(written(tmp_path / "a.zip", crafted.zipped((part, data), crafted.GOOD)))
    for name in ("a.docx", "a.odt", "a.xlsx", "a.epub", "a.jar", "a.whl"):
        (whole,) = discover([written(tmp_path / name, crafted.zipped(crafted.GOOD))])
        assert isinstance(whole, InputDocument)
        assert (whole.path, whole.content) == (str(tmp_path / name), None)
        (inside,) = discover([written(tmp_path / "outer.zip", crafted.zipped((name, crafted.zipped(crafted.GOOD))))])
        assert isinstance(inside, InputDocument)
        assert inside.content == crafted.zipped(crafted.GOOD)
    (kind,) = discover([str(tmp_path / "no-extension")], kind="docx")
    assert kind.name == f"{tmp_path}/no-extension"


def test_messages_of_a_mailbox_are_documents(tmp_path: Path) -> None:
    """Also of one that is compressed, or in an archive."""
    message = b"Subject: a\n\ntext\n\n"
    mailbox = b"".join(b"From me Fri Jul  8 12:08:34 2011\n" + message for _ in range(2))
    for name, content in (
        ("inbox", mailbox),
        ("inbox.mbox.gz", gzip.compress(mailbox)),
        ("a.zip", crafted.zipped(("inbox.mbox", mailbox))),
    ):
        path = written(tmp_path / name, content)
        inside = {"inbox": "", "inbox.mbox.gz": "/inbox.mbox", "a.zip": "/inbox.mbox"}[name]
        messages = list(discover([path]))
        assert [document.name for document in messages] == [f"{path}{inside}/{number}.eml" for number in (1, 2)]
        assert {document.content for document in messages if isinstance(document, InputDocument)} == {message}


def test_a_known_extension_is_believed(tmp_path: Path) -> None:
    assert found(written(tmp_path / "a.txt", gzip.compress(GOOD_TEXT))) == {"": "binary (it has NUL bytes)"}


def test_an_archive_named_itself_that_is_damaged_counts_as_asked(tmp_path: Path) -> None:
    path = written(tmp_path / "a.zip", crafted.zipped(crafted.GOOD)[:-9])
    (skipped,) = discover([path])
    assert isinstance(skipped, Skipped)
    assert skipped.requested
    (skipped,) = discover([str(tmp_path)])
    assert isinstance(skipped, Skipped)
    assert not skipped.requested


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_load_of_an_archive_and_again(
    db: fpdb.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(parallel, "ALONE_BYTES", 0)
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 1000)
    path = written(tmp_path / "a.zip", crafted.zipped(*((f"{at}.txt", f"{at} ".encode() * 400) for at in range(30))))
    assert load(db, discover([path]), jobs=jobs).added == 30
    assert load(db, discover([path]), jobs=jobs).unchanged == 30
    assert db.document(f"{path}/7.txt").source == f"{path}!/7.txt"
