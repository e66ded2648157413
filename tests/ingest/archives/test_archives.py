"""Archives are read as the folders they were made of; whatever they are, they are read in bounds, or named."""

import gzip
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import chunks, parallel, process_pool
from fpdb.ingest.archive_walk import walk_archive
from fpdb.ingest.archives.limits import ArchiveLimits
from fpdb.ingest.archives.member_lookup import MemberCache
from fpdb.ingest.archives.members import MemberLabels
from fpdb.ingest.chunk_preparer import ChunkPreparer, ReadyDocument
from fpdb.ingest.chunks import chunked
from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument, Skipped, read_content
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import load
from fpdb.ingest.parallel import prepare_chunks
from fpdb.ingest.rotation import rotate
from fpdb.regions.originals import identify, read_original
from tests import crafted_archives as crafted

patient = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
GOOD, GOOD_TEXT = crafted.GOOD
Made = Callable[[Path, dict[str, bytes]], None]


def written(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def found(path: str | Path, **options: Any) -> dict[str, bytes | str]:
    """Return contents, or reasons, by the part of their names behind the path."""
    answers = {}
    for one in discover([str(path)], **options):
        name = one.name.removeprefix(str(path)).removeprefix("/")
        assert name not in answers
        answers[name] = one.reason if isinstance(one, Skipped) else content(one)
    return answers


def content(source: InputDocument) -> bytes | str:
    """Return what a worker would read, or the reason why not."""
    try:
        return read_content(source)
    except fpdb.Unreadable as error:
        return str(error)


# ------------------------------------------------------------ archives as folders


def zip_by(method: int) -> Made:
    def made(path: Path, tree: dict[str, bytes]) -> None:
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, data in tree.items():
                archive.writestr(name, data)

    return made


def tar_by(mode: str, form: int) -> Made:
    def made(path: Path, tree: dict[str, bytes]) -> None:
        with tarfile.open(path, f"w:{mode}", format=form) as archive:
            for name, data in tree.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))

    return made


MAKERS = {
    "stored.zip": zip_by(zipfile.ZIP_STORED),
    "deflated.zip": zip_by(zipfile.ZIP_DEFLATED),
    "bzip2.zip": zip_by(zipfile.ZIP_BZIP2),
    "gnu.tar": tar_by("", tarfile.GNU_FORMAT),
    "pax.tar": tar_by("", tarfile.PAX_FORMAT),
    "a.tar.gz": tar_by("gz", tarfile.GNU_FORMAT),
    "a.tgz": tar_by("gz", tarfile.PAX_FORMAT),
    "a.tar.bz2": tar_by("bz2", tarfile.GNU_FORMAT),
    "a.tar.xz": tar_by("xz", tarfile.PAX_FORMAT),
    "no-extension": tar_by("gz", tarfile.PAX_FORMAT),
}
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
        assert read_original(one.source, ()) == tree[one.name.removeprefix(f"{path}/")]


@pytest.mark.parametrize(
    ("name", "label"), [("a.txt.gz", "a.txt"), ("prog.c.gz", "prog.c"), ("x.SVGZ", "x.svg"), ("y.tgz", "y.tar")]
)
def test_a_compressed_file_has_one_member(tmp_path: Path, name: str, label: str) -> None:
    path = written(tmp_path / name, gzip.compress(GOOD_TEXT[:9]) + gzip.compress(GOOD_TEXT[9:]))
    assert found(path) == {label: GOOD_TEXT}


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
        assert read_original(one.source, ()) == one.content


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


def test_a_known_extension_is_believed(tmp_path: Path) -> None:
    assert found(written(tmp_path / "a.txt", gzip.compress(GOOD_TEXT))) == {"": "binary (it has NUL bytes)"}


def test_names_are_labels(tmp_path: Path) -> None:
    names = found(written(tmp_path / "a.zip", crafted.zipped(*((name, GOOD_TEXT) for name in crafted.NAMES))))
    assert list(names) == [
        "../../etc/passwd",
        "etc/passwd",
        "C:\\Windows\\x.txt",
        "a\x1b[31m\u202egnp.txt",
        "a/b.txt",
        "a/b~2.txt",
        "..",
    ]


@patient
@given(st.lists(st.sampled_from(["a", "a.txt", "a~2.txt", "a~2", "./a", "", "b/", "b/.x", ".x", "../a"]), max_size=12))
def test_no_two_members_have_one_label(names: list[str]) -> None:
    labels = MemberLabels(100)
    given = [labels.label(name) for name in names]
    assert len(set(given)) == len(given)
    again = MemberLabels(100)
    assert given == [again.label(name) for name in names]


def test_utf8_names_that_do_not_say_so(tmp_path: Path) -> None:
    plain = crafted.zipped(("naïve.txt", b"1"))
    unsaid = plain.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00")
    assert unsaid != plain
    assert list(found(written(tmp_path / "a.zip", unsaid))) == ["naïve.txt"]


# ------------------------------------------------------------ what cannot be read


def test_members_that_are_no_files_are_named(tmp_path: Path) -> None:
    kinds = {
        tarfile.SYMTYPE: "a symbolic link, not followed",
        tarfile.LNKTYPE: "a hard link, not followed",
        tarfile.CHRTYPE: "a device",
        tarfile.BLKTYPE: "a device",
        tarfile.FIFOTYPE: "a pipe",
    }
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for number, kind in enumerate(kinds):
            info = tarfile.TarInfo(str(number))
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        archive.addfile(tarfile.TarInfo("folder/empty"))
    expected = {str(number): reason for number, reason in enumerate(kinds.values())}
    assert found(tmp_path / "a.tar") == {**expected, "folder/empty": b""}
    link = zipfile.ZipInfo("link")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr(link, "/etc/passwd")
        zipped.mkdir("folder")
    assert found(tmp_path / "a.zip") == {"link": "a symbolic link, not followed"}


def changed(data: bytes, at: int, *values: int) -> bytes:
    return data[:at] + bytes(values) + data[at + len(values) :]


def test_members_that_cannot_be_read_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    bad = crafted.stored(b"It is another text.")
    members = {
        "crc": (bad._replace(crc=1), "damaged: its checksum is wrong"),
        "size": (bad._replace(size=3), "damaged: it has another size than the archive says"),
        "method": (bad._replace(method=14), "compressed by a method that is not read (number 14)"),
        "deflate": (bad._replace(method=8), "damaged: Error -3 while decompressing data: "),
        "bzip2": (bad._replace(method=12), "damaged: Invalid data stream"),
    }
    for name, (packed, reason) in members.items():
        path = written(tmp_path / "a.zip", crafted.zip_of((name, packed), (GOOD, crafted.stored(GOOD_TEXT))))
        answer = found(path)
        assert answer.pop(GOOD) == GOOD_TEXT
        assert str(answer[name]).startswith(reason)
    encrypted = crafted.zip_of(("secret", bad), (GOOD, crafted.stored(GOOD_TEXT)))
    at = encrypted.index(b"PK\1\2") + 8
    path = written(tmp_path / "a.zip", changed(encrypted, at, encrypted[at] | 1))
    assert found(path) == {"secret": "encrypted", GOOD: GOOD_TEXT}


@pytest.mark.parametrize("made", sorted(MAKERS))
@patient
@given(data=st.data())
def test_damage_is_named_and_nothing_is_made_up(tmp_path: Path, made: str, data: st.DataObject) -> None:
    """Wherever some bytes are changed or the end is cut off: what is given is what was there, or is named."""
    tree = {f"{at}.txt": f"{at} ".encode() * 900 for at in range(5)}
    path = tmp_path / made
    MAKERS[made](path, tree)
    whole = path.read_bytes()
    cut = data.draw(st.integers(1, len(whole)))
    at = data.draw(st.integers(0, len(whole) - 1))
    path.write_bytes(changed(whole, at, *data.draw(st.binary(max_size=8)))[:cut])
    given = list(discover([str(path)]))
    read = [content(one) for one in given if isinstance(one, InputDocument) and one.path is None]
    wrong = [data for data in read if isinstance(data, bytes) and data not in tree.values()]
    if made.endswith("zip"):
        assert wrong == []
    elif not made.endswith(".tar"):  # which has checksums of its headers alone
        assert not wrong or any(isinstance(one, Skipped) and one.name == str(path) for one in given)
    for one in given:
        if isinstance(one, InputDocument) and one.path is None and isinstance(content(one), bytes):
            assert read_original(one.source, ()) == one.content


@pytest.mark.parametrize("cut", [1, 8])
@pytest.mark.parametrize("made", ["a.tar.gz", "a.tar.bz2", "a.tar.xz"])
def test_a_compressed_tar_is_unpacked_to_its_end(tmp_path: Path, made: str, cut: int) -> None:
    path = tmp_path / made
    MAKERS[made](path, {GOOD: GOOD_TEXT})
    path.write_bytes(path.read_bytes()[:-cut])
    answer = found(path)
    assert answer.pop(GOOD) == GOOD_TEXT
    assert answer == {"": f"not read any further, after {path}/{GOOD}: cut off: it ends too early"}


def test_an_archive_named_itself_that_is_damaged_counts_as_asked(tmp_path: Path) -> None:
    path = written(tmp_path / "a.zip", crafted.zipped(crafted.GOOD)[:-9])
    (skipped,) = discover([path])
    assert isinstance(skipped, Skipped)
    assert skipped.requested
    (skipped,) = discover([str(tmp_path)])
    assert isinstance(skipped, Skipped)
    assert not skipped.requested


# ------------------------------------------------------------ limits


def limited(content: bytes, **limits: int) -> tuple[list[str], str]:
    """Return the labels of what was read, and the reason of the last part."""
    whole = InputDocument("a.zip", content=content, size=len(content))
    given = list(walk_archive(io.BufferedReader(io.BytesIO(content)), whole, ArchiveLimits(**limits)))
    *_, last = given
    return [one.name for one in given if isinstance(one, InputDocument)], last.reason if isinstance(
        last, Skipped
    ) else ""


def test_each_limit_ends_what_it_should() -> None:
    ten = [(f"{at}.txt", os.urandom(1000).hex().encode()) for at in range(10)]
    tar, zip_ = crafted.tarred(*ten), crafted.zipped(*ten)
    first_four = [f"a.zip/{name}" for name, _ in ten[:4]]
    assert limited(tar, members=4) == (
        first_four,
        "not read any further, from a.zip/3.txt on: it has more than 4 members",
    )
    assert limited(zip_, members=9) == ([], "it has more than 9 members; unpack it first")
    assert limited(zip_, members=10)[1] == ""
    assert limited(zip_, unpacked=8500) == (
        first_four,
        "not read any further, from a.zip/4.txt on (6 of its members): it unpacks to more than 0.0 GB",
    )
    dense = crafted.zipped(*((f"{at}.txt", b"a" * 20_000) for at in range(10)))
    assert limited(dense, ratio=15, free=9_000)[1].endswith(
        ": it unpacks to more than 15 times its size, like a zip bomb"
    )
    assert limited(dense, ratio=2000, free=9_000)[1] == ""
    assert limited(dense, ratio=15, free=200_000)[1] == ""
    assert limited(zip_, directory=100)[1].startswith("its list of members has ")
    assert limited(crafted.gzips(3), depth=2) == ([], "in more than 2 archives, one in another")
    assert limited(crafted.gzips(3), depth=3)[1] == ""
    nested = crafted.tarred(("in.zip", zip_), ("late.txt", b"x"))
    assert limited(nested, held=len(zip_))[0] == ["a.zip/late.txt"]
    assert len(limited(nested, held=len(zip_) + 1)[0]) == 11
    long = crafted.tarred(("y" * 700, b"x"))
    assert limited(long, header=600)[1].endswith(" bytes; the limit is 600")
    assert limited(long, name=10)[0] == ["a.zip/yyyyyyyyyy"]


HOSTILE = """
import json, resource, sys
from fpdb.ingest.discover import discover
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
for path in sys.argv[1:]:
    print(json.dumps([[one.name, getattr(one, "reason", None)] for one in discover([path])]))
"""


def answers_of(folder: Path, archives: dict[str, bytes]) -> dict[str, dict[str, str | None]]:
    """Return the reasons of every archive by name, from a process that may use a gigabyte of memory."""
    paths = [written(folder / name, data) for name, data in archives.items()]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run(
        [sys.executable, "-c", HOSTILE, *paths], capture_output=True, text=True, env=environment, check=True
    )
    lines = map(json.loads, ran.stdout.splitlines())
    return {
        os.path.basename(path): {
            name.removeprefix(path).removeprefix("/"): reason and reason.replace(path, "X") for name, reason in line
        }
        for path, line in zip(paths, lines, strict=True)
    }


BOMB = "it unpacks to more than 250 times its size, like a zip bomb"
REASONS: dict[str, dict[str, str | None]] = {
    "bomb.zip": {"bomb.txt": BOMB, GOOD: None},
    "bomb.gz": {"bomb": BOMB},
    "bomb.bz2": {"": f"not read any further, from X/bomb on: {BOMB}"},
    "bomb.xz": {"bomb": BOMB},
    "bomb.tar.gz": {GOOD: None, "bomb.txt": BOMB, "": f"not read any further, after X/bomb.txt: {BOMB}"},
    "binary-bomb.tar.gz": {"zeros": None, "": f"not read any further, after X/zeros: {BOMB}"},
    "bomb-bz2.zip": {"": f"not read any further, from X/bomb.txt on (1 of its members): {BOMB}"},
    "many.zip": {"": "it has more than 250,000 members; unpack it first"},
    "gzips.gz": {"gzips/gzips/gzips/gzips/gzips": "in more than 5 archives, one in another"},
    "truncated.gz": {"truncated": "cut off: it ends too early"},
    "truncated.zip": {"": "damaged: File is not a zip file"},
    "size-too-large.tar": {
        GOOD: None,
        "x": "cut off: it ends too early",
        "": "not read any further, after X/x: cut off",
    },
    "size-far-away.tar": {
        GOOD: None,
        "x": "cut off: it ends too early",
        "": "not read any further, after X/x: cut off",
    },
    "size-below-zero.tar": {GOOD: None, "": f"not read any further, after X/{GOOD}: damaged: a size below zero"},
    "size-too-small.tar": {GOOD: None, "x": None, "": "not read any further, after X/x: damaged: "},
    "long-name.tar": {GOOD: None, "": f"not read any further, after X/{GOOD}: it has a header of 8,589,934,592 bytes"},
    "pax-long.tar.gz": {GOOD: None, "": f"not read any further, after X/{GOOD}: it has a header of 10,485,760,000 "},
    "pax-records.tar": {GOOD: None, "": f"not read any further, after X/{GOOD}: damaged: an extended header"},
    "pax-endless.tar": {GOOD: None, "": f"not read any further, after X/{GOOD}: damaged: an extended header"},
    "names.tar": {GOOD: None},
    "sparse.tar": {GOOD: None, "holes": "a sparse file", "after.txt": None},
    "deep.zip": {"d/" * 10_000 + "x.txt": None},
}


def test_hostile_archives_are_read_in_bounds(tmp_path: Path) -> None:
    """All of them in one test, since one process reads them."""
    answers = answers_of(tmp_path, crafted.archives())
    for name, reasons in REASONS.items():
        assert answers[name].keys() == reasons.keys(), name
        for member, reason in reasons.items():
            assert reason is None or reason in (answers[name][member] or ""), name
            assert (answers[name][member] is None) == (reason is None), name
    assert (answers["42.zip"][""] or "").endswith(BOMB)
    assert len(answers["42.zip"]) < 20_000
    assert (answers["overlap.zip"][""] or "").endswith(BOMB)
    assert len(answers["overlap.zip"]) < 20
    answer = answers["truncated.tar.gz"]
    assert (answer[GOOD], answer["late.txt"]) == (None, "cut off: it ends too early")
    assert answer[""] == "not read any further, after X/late.txt: cut off: it ends too early"


# ------------------------------------------------------------ from loading to rotating


def test_content_on_its_way_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "QUEUED_BYTES", 1 << 20)
    monkeypatch.setattr(parallel, "ALONE_BYTES", 0)
    path = written(tmp_path / "a.zip", crafted.zipped(*((f"{at}", f"{at:09} ".encode() * 30_000) for at in range(60))))
    given = 0

    def members() -> Iterator[InputDocument | Skipped]:
        nonlocal given
        for one in discover([path]):
            given += 1
            yield one

    done = 0
    preparer = ChunkPreparer(fpdb.Recipe.preset(), LoadOptions())
    for _, outcomes in prepare_chunks(chunked(members()), preparer, 2):
        assert all(isinstance(outcome, ReadyDocument) for outcome in outcomes)
        assert given - done <= 20
        done += len(outcomes)


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


def test_an_original_is_the_member_as_it_is_now(tmp_path: Path) -> None:
    path = written(tmp_path / "a!", crafted.zipped(("x!/y", GOOD_TEXT), ("bad", b"")))
    source = f"{path}!/x!/y"
    assert read_original(source, ()) == GOOD_TEXT
    assert read_original(source, identify([path])) is None
    assert read_original(f"{path}!/x", ()) is None
    assert read_original(f"{path}!/", ()) is None
    assert read_original(f"{path}/x", ()) is None
    written(tmp_path / "a!", crafted.tarred(("x!/y", b"another")))
    assert read_original(source, ()) == b"another"
    written(tmp_path / "a!", b"no archive")
    assert read_original(source, ()) is None


@patient
@given(
    members=st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=20)), min_size=1, max_size=6),
    asked=st.lists(st.tuples(st.sampled_from([".tar", ".tgz", ".zip"]), st.sampled_from(["a", "b~2", "c", "d"]))),
    room=st.integers(0, 60),
)
def test_what_is_passed_changes_no_answer(
    tmp_path: Path, members: list[tuple[str, bytes]], asked: list[tuple[str, str]], room: int
) -> None:
    written(tmp_path / "x.tar", crafted.tarred(*members))
    written(tmp_path / "x.tgz", gzip.compress(crafted.tarred(*members)))
    with warnings.catch_warnings(action="ignore"):  # of names that are there twice
        written(tmp_path / "x.zip", crafted.zipped(*members))
    passed = MemberCache(room)
    for form, label in asked:
        source = f"{tmp_path}/x{form}!/{label}"
        assert read_original(source, (), passed) == read_original(source, ())


def test_rotation_reads_members_again(tmp_path: Path) -> None:
    text = " ".join(f"word{at * 7919 % 1009}" for at in range(900)).encode()
    path = written(tmp_path / "a.tar.gz", gzip.compress(crafted.tarred(("a.txt", text), ("b.txt", text[::-1]))))
    with fpdb.open(tmp_path / "k.fpdb", recipe=fpdb.Recipe.preset("koala")) as db:
        load(db, discover([path]))
        rotated = rotate(db, db.documents(), rotation=1)
        assert (rotated.documents, rotated.stale) == (2, [])
        written(tmp_path / "a.tar.gz", gzip.compress(crafted.tarred(("a.txt", text))))
        (stale,) = rotate(db, db.documents(), rotation=2).stale
        assert (stale.name, stale.reason) == (f"{path}/b.txt", "the source cannot be read")
        os.remove(path)
        gone = "the source is gone, and the text was not kept"
        assert {one.reason for one in rotate(db, db.documents(), rotation=3).stale} == {gone}
        assert db.check() == []
