"""`fpdb add`: what becomes a document, under which name, and what is passed over with which reason."""

import json
import os
import socket
import sys
import zipfile
from pathlib import Path

import pytest

from fpdb.cli.add import add
from tests.cli.conftest import Run, listed, write
from tests.cli.prose import prose


def test_a_name_is_the_path_as_given(run: Run, tmp_path: Path) -> None:
    write("essays/b.txt", prose(1))
    write("essays/inner/a.txt", prose(2))
    run("add", "./essays//")
    run("add", "essays/../essays/b.txt", str(tmp_path / "essays/b.txt"))
    assert list(listed(run)) == sorted(
        ["essays/b.txt", "essays/inner/a.txt", "essays/../essays/b.txt", f"{tmp_path}/essays/b.txt"]
    )


def test_the_folder_itself_gives_no_part_of_the_name(run: Run) -> None:
    write("b.txt", prose(1))
    write("inner/a.txt", prose(2))
    result = run("add", ".")
    assert list(listed(run)) == ["b.txt", "inner/a.txt"]
    assert "corpus.fpdb: the database itself" in result.stderr
    assert "passed over 3 (*.fpdb-lock, *.fpdb-" in run("add", ".").stdout


def test_source_is_the_absolute_path(run: Run, tmp_path: Path) -> None:
    write("a.txt", prose(1))
    run("add", "a.txt", "--name", "alpha")
    assert listed(run)["alpha"]["source"] == f"{tmp_path}/a.txt"


STATED = {
    "labels": ["--label", "owner=ann", "--label", "term=1"],
    "contact": ["--contact", "ann@example.org"],
    "kind": ["--kind", "html"],
    "boilerplate": ["--boilerplate"],
    "keep_text": ["--keep-text"],
}
"""Options of `add` that say something of a document."""

UNSTATED = {
    **{key: ["--label", "owner=", "--label", "term=", "--contact", ""] for key in ("labels", "contact")},
    "kind": ["--kind", "text"],
    "boilerplate": ["--no-boilerplate"],
    "keep_text": ["--no-keep-text"],
}
"""Options that take it back."""

OTHERS = (
    "paths files_from null include exclude verbose name jsonl csv delimiter encoding parquet text_field name_field "
    "label_fields rarity if_absent strict jobs format"
)
"""What says where documents are and how to add them."""


def test_each_option_says_something_of_a_document_or_is_known_not_to() -> None:
    assert {parameter.name for parameter in add.params} == {*STATED, *OTHERS.split()}


@pytest.mark.parametrize("option", STATED)
@pytest.mark.parametrize("changed", [False, True])
def test_what_is_left_out_stays_until_it_is_taken_back(run: Run, option: str, changed: bool) -> None:
    def document() -> dict[str, object]:
        """Return what the database says of the document."""
        (record,) = listed(run).values()
        kept = {name: record[name] for name in ("kind", "boilerplate", "labels", "contact", "source")}
        return kept | {"keep_text": record["text_bytes"] is not None}

    write("page", prose(1))
    run("add", "page")
    as_new = document()
    run("add", "page", *STATED[option])
    stated = document()
    assert stated[option] != as_new[option]
    if changed:
        write("page", prose(2))
    second = json.loads(run("add", "page", "--format", "json").stdout)
    assert document() == stated
    assert second["replaced" if changed else "unchanged"] == 1
    assert second["kept_boilerplate"] == (option == "boilerplate")
    run("add", "page", *UNSTATED[option])
    assert document() == as_new


@pytest.mark.parametrize("changed", [False, True])
def test_what_a_record_leaves_out_stays(run: Run, changed: bool) -> None:
    def add_record(**fields: object) -> None:
        content = json.dumps({"name": "a", "text": prose(changed), **fields})
        run("add", "--jsonl", "-", stdin=content.encode())

    fields = {"kind": "html", "source": "s", "contact": "c", "labels": {"x": "1", "y": "2"}}
    run("add", "--jsonl", "-", stdin=json.dumps({"name": "a", "text": prose(0), **fields}).encode())
    for left_out in fields:
        add_record(**{name: value for name, value in fields.items() if name != left_out})
        assert fields.items() <= listed(run)["a"].items()
    add_record(source="", labels={"x": ""})
    assert fields | {"source": None, "labels": {"y": "2"}} == {name: listed(run)["a"][name] for name in fields}
    run("add", "--jsonl", "-", "--label-field", "x", stdin=b'{"name": "a", "text": "t", "x": 5}')
    assert listed(run)["a"]["labels"] == {"x": "5", "y": "2"}


def test_the_summary_says_what_stays_boilerplate(run: Run) -> None:
    write("corpus/template.txt", prose(1))
    write("corpus/a.txt", prose(2))
    run("add", "--boilerplate", "corpus/template.txt")
    for text in (prose(1), prose(3)):
        write("corpus/template.txt", text)
        assert "boilerplate as before: 1 document; --no-boilerplate" in run("add", "corpus").stderr
    assert [record["boilerplate"] for record in listed(run).values()] == [False, True]
    assert "boilerplate" not in run("add", "corpus", "--no-boilerplate").stderr
    assert not any(record["boilerplate"] for record in listed(run).values())


def test_labels_that_are_too_many_with_those_that_stay(run: Run) -> None:
    write("a.txt", prose(1))
    write("b.txt", prose(2))
    labels = [[f"--label={start + n}=x" for n in range(600)] for start in (0, 600)]
    run("add", "a.txt", *labels[0])
    result = run("add", "a.txt", "b.txt", *labels[1])
    assert "skipped a.txt: 1,200 labels are too many" in result.stderr
    assert {name: len(record["labels"]) for name, record in listed(run).items()} == {"a.txt": 600, "b.txt": 600}


def test_adding_again(run: Run) -> None:
    write("a.txt", prose(1))
    assert json.loads(run("add", "a.txt", "--format", "json").stdout)["added"] == 1
    again = json.loads(run("add", "a.txt", "--format", "json").stdout)
    assert (again["added"], again["unchanged"], again["postings"]) == (0, 1, 0)
    assert json.loads(run("add", "a.txt", "--label", "x=1", "--format", "json").stdout)["updated"] == 1
    write("a.txt", prose(2))
    assert json.loads(run("add", "a.txt", "--format", "json").stdout)["replaced"] == 1
    assert len(listed(run)) == 1


def test_the_same_file_twice_is_one_document(run: Run) -> None:
    write("a.txt", prose(1))
    result = run("add", "a.txt", "./a.txt")
    assert result.stdout.startswith("added 1, unchanged 1:")
    assert list(listed(run)) == ["a.txt"]


def test_labels_contact_and_boilerplate(run: Run) -> None:
    write("a.txt", prose(1))
    run("add", "a.txt", "--label", "term=2024", "--label", "of=a=b", "--contact", "me", "--boilerplate")
    document = listed(run)["a.txt"]
    assert document["labels"] == {"term": "2024", "of": "a=b"}
    assert document["contact"] == "me"
    assert document["boilerplate"] is True
    run("add", "a.txt", "--label", "term", status=2)


def test_a_path_that_is_not_there_is_listed_and_the_rest_goes_on(run: Run) -> None:
    write("a.txt", prose(1))
    result = run("add", "missing.txt", "a.txt", status=1)
    assert "skipped missing.txt: no such file or directory" in result.stderr
    assert "added 1, skipped 1" in result.stdout
    assert list(listed(run)) == ["a.txt"]


def test_binary_and_special_files_are_skipped(run: Run) -> None:
    write("f/a.txt", prose(1))
    write("f/binary", b"\x7fELF\0\0" + bytes(100))
    write("f/large-binary", b"x" * 5000 + b"\0" + b"x" * 200_000)
    write("f/wide.txt", prose(2).encode("utf-16"))
    os.mkfifo("f/pipe")
    os.symlink(".", "f/loop")
    os.symlink("a.txt", "f/link")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("f/socket")
        result = run("add", "f", "--format", "json")
    skipped = {one["name"]: one["reason"] for one in json.loads(result.stdout)["skipped"]}
    assert skipped == {
        "f/binary": "a compiled program",
        "f/large-binary": "binary (it has NUL bytes)",
        "f/link": "a symbolic link, not followed",
        "f/loop": "a symbolic link, not followed",
        "f/pipe": "a pipe (use - to read standard input)",
        "f/socket": "a socket",
    }
    assert all(f"skipped {name}: {reason}" in result.stderr for name, reason in skipped.items())
    assert list(listed(run)) == ["f/a.txt", "f/wide.txt"]
    run("add", "f/binary", status=1)
    run("add", "f/link")  # named, so followed
    assert "f/link" in listed(run)


def test_unreadable_files_are_skipped(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("f/a.txt", prose(1))
    write("f/b.txt", prose(2))
    plain = os.open

    def refusing(path: str, *arguments: int) -> int:
        if path == "f/a.txt":
            raise PermissionError(13, "Permission denied", path)
        return plain(path, *arguments)

    monkeypatch.setattr(os, "open", refusing)
    result = run("add", "f")
    assert "skipped f/a.txt: permission denied" in result.stderr
    assert list(listed(run)) == ["f/b.txt"]


def test_the_databases_own_files_are_never_documents(run: Run) -> None:
    write("a.txt", prose(1))
    run("add", "a.txt")
    os.symlink("corpus.fpdb", "link")
    os.link("corpus.fpdb", "hard-link")
    for path in ("corpus.fpdb", "corpus.fpdb-lock", "link", "hard-link"):
        assert "the database itself" in run("add", path, status=1).stderr
        assert "the database itself" in run("add", "--jsonl", path, status=1).stderr
    assert list(listed(run)) == ["a.txt"]


@pytest.mark.parametrize("content", ["", "x" * 29, " \n,;"])
def test_what_is_too_short_is_added_and_noted(run: Run, content: str) -> None:
    write("short.txt", content)
    result = run("add", "short.txt")
    assert "no fingerprint, since shorter than a k-gram (k=30): short.txt" in result.stderr
    assert listed(run)["short.txt"]["fingerprints"] == 0
    assert "short.txt: 0 fingerprints" in run("query", "short.txt").stdout


def test_names_that_are_not_utf8(run: Run) -> None:
    raw = b"caf\xe9\x1b[31m.txt"
    Path(os.fsdecode(raw)).write_text(prose(1))
    run("add", ".")
    assert list(listed(run)) == [os.fsdecode(raw)]
    assert "caf\\xe9\\x1b[31m.txt" in run("list").stdout
    assert os.fsdecode(raw) == json.loads(run("show", os.fsdecode(raw), "--format", "json").stdout)["name"]
    assert raw in run("list", "--format", "csv").stdout_bytes
    run("remove", os.fsdecode(raw))


def test_long_names(run: Run) -> None:
    name = "/".join(["x" * 79] * 50)
    assert len(name) > 3_900
    run("add", "-", "--name", name, stdin=prose(1).encode())
    assert list(listed(run)) == [name]
    longest = json.dumps({"name": "y" * 65_535, "text": prose(2)}) + "\n"
    too_long = json.dumps({"name": "z" * 70_000, "text": prose(3)}) + "\n"
    result = run("add", "--jsonl", "-", stdin=(longest + too_long).encode())
    assert "added 1, skipped 1" in result.stdout
    assert "y" * 65_535 in listed(run)


def test_a_path_that_is_too_long_for_the_system(run: Run) -> None:
    assert "file name too long" in run("add", "x" * 5_000, status=1).stderr


def test_an_unknown_kind(run: Run) -> None:
    write("a.txt", prose(1))
    assert "choose one of" in run("add", "a.txt", "--kind", "novel", status=2).stderr
    line = json.dumps({"name": "a", "text": prose(1), "kind": "novel"})
    result = run("add", "--jsonl", "-", status=1, stdin=line.encode())
    assert "skipped standard input:1: nothing reads" in result.stderr


def test_formats_of_the_summary(run: Run) -> None:
    write("a.txt", prose(1))
    header, row = run("add", "a.txt", "--format", "csv").stdout.splitlines()
    assert header == "added,replaced,updated,unchanged,skipped,bytes,postings,seconds,duplicates,passed_over"
    assert row.startswith("1,0,0,0,0,")
    run("add", "a.txt", "--jobs", "0", status=2)
    run("add", status=2)


def _compound(stream: str) -> bytes:
    """Return what is like the beginning of an old Office file with a stream."""
    return b"\xd0\xcf\x11\xe0".ljust(512, b"\0") + stream.encode("utf-16-le")


BINARY = {
    "x.bin": (b"\0" * 9000, "binary (it has NUL bytes)"),
    "x.rar": (b"Rar!\x1a\x07\x01\0", "a RAR archive: unpack it"),
    "x.7z": (b"7z\xbc\xaf\x27\x1c\0", "a 7z archive: unpack it"),
    "x.doc": (b"\xd0\xcf\x11\xe0\0", "an old Office file, such as .doc"),
    "x.parquet": (b"PAR1\0", "a Parquet file: add its rows with --parquet"),
    "x.png": (b"\x89PNG\0", "a picture"),
    "x.o": (b"\x7fELF\0", "a compiled program"),
    "x.xlsb": (b"PK\x03\x04\0", "an Office file or a package that is not read"),
    "x.djvu": (b"AT&TFORM\0", "a DjVu document: take its text out (djvutxt FILE FILE.txt)"),
    "x.mobi": (b"A Book".ljust(60, b"\0") + b"BOOKMOBI", "a book for Kindle or Mobipocket (mobi, azw): convert it"),
    "old.doc": (_compound("WordDocument"), "an old Word document (doc): save it in the new format"),
    "old.ppt": (_compound("PowerPoint Document"), "an old PowerPoint presentation (ppt): save it in the new format"),
    "old.xls": (_compound("Workbook"), "an old Excel workbook (xls): save it in the new format"),
    "encrypted.docx": (_compound("EncryptedPackage"), "encrypted with a password: save the document without one"),
    "encrypted": (_compound("EncryptedPackage"), "an Office file that is encrypted with a password"),
    "old.msg": (_compound("__substg1.0_007D001F"), "an e-mail of Outlook (msg): save it as .eml"),
}


def test_binary_files_are_called_what_they_are(run: Run) -> None:
    with zipfile.ZipFile("all.zip", "w") as archive:
        for name, (content, _) in BINARY.items():
            write(f"all/{name}", content)
            archive.writestr(name, content)
    for path in ("all", "all.zip"):
        errors = run("add", path, status=1).stderr
        for name, (_, reason) in BINARY.items():
            assert f"skipped {path}/{name}: {reason}" in errors


@pytest.mark.parametrize("name", ["main.txt", "main", "main.py.bak", "main.py.txt", "README.md"])
def test_a_program_that_is_read_as_text_is_named(run: Run, name: str) -> None:
    """A copy under such a name was no pair of the program, and nothing said why."""
    program = "".join(f"def f{number}(a):\n    return a * {number} + f{number - 1}(a)\n" for number in range(1, 30))
    for path in ("ann/main.py", f"bob/{name}"):
        write(path, program)
    note = f"read as text, not compared with programs: bob/{name}; a program needs a name"
    assert note not in run("add", "ann", "bob").stderr  # of texts, all are compared
    Path("corpus.fpdb").unlink()
    run("init", "--preset", "code")
    assert "read as text" not in run("add", "--boilerplate", "bob").stderr
    run("remove", f"bob/{name}")
    assert note in run("add", "ann", "bob").stderr
    assert "read as text" not in run("add", "ann", "bob").stderr
    assert "no pair" in run("pairs").stdout
    run("add", "--name", "bob/main.py", f"bob/{name}")
    assert "ann/main.py  bob/main.py" in run("pairs").stdout


def test_what_is_said_of_texts_beside_programs_fits_how_they_came(run: Run) -> None:
    """A text that was called one was named, too, and a record was to get an option that only a file can have."""
    run("init", "--preset", "code")
    write("a.txt", "a text beside programs")
    assert "read as text" not in run("add", "--kind", "text", "a.txt").stderr
    write("in.jsonl", '{"id": "b", "text": "a record"}\n')
    said = run("add", "--jsonl", "in.jsonl").stderr
    assert "programs: b; a program needs a name that tells it, such as main.py\n" in said


def test_nothing_to_add_is_a_failure_and_leaves_no_database(run: Run) -> None:
    write("binary/x", b"\0")
    write("not.jsonl", "no record\n")
    Path("empty").mkdir()
    for arguments in (["binary"], ["empty"], ["missing"], ["--jsonl", "not.jsonl"], ["empty", "--strict"]):
        assert "nothing was added" in run("add", *arguments, status=1).stderr
        assert not list(Path().glob("corpus.fpdb*"))
    write("corpus.fpdb-reviews", "fpdb reviews 1\n")  # of a database that was here before
    run("add", "binary", "--strict", status=1)
    assert [path.name for path in Path().glob("corpus.fpdb*")] == ["corpus.fpdb-reviews"]
    run("init")
    run("add", "binary", status=1)
    assert Path("corpus.fpdb").exists()


def test_three_of_each_kind_are_listed_unless_all_are_wanted(run: Run) -> None:
    for number in range(5):
        write(f"d/{number}.bin", b"\0")
        write(f"d/{number}.rar", b"Rar!\x1a\x07\0")
    write("d/a.txt", prose(1))
    few = run("add", "d").stderr
    assert (few.count("skipped d/"), few.count("... and 2 more like this: ")) == (6, 2)
    assert run("add", "d", "--verbose").stderr.count("skipped d/") == 10
    named = [f"d/{number}.bin" for number in range(5)]
    assert run("add", *named, status=1).stderr.count("skipped d/") == 5


def test_what_tools_leave_behind_is_passed_over_and_counted(run: Run) -> None:
    for name in (".git/x", "node_modules/x", "b/__MACOSX/x", "b/.DS_Store", "__pycache__/x", "a.txt"):
        write(f"d/{name}", prose(1))
    with zipfile.ZipFile("d/z.zip", "w") as archive:
        for name in ("__MACOSX/._a.txt", "in/.git/config", "a.txt"):
            archive.writestr(name, prose(2))
    counts = json.loads(run("add", "d", "--format", "json").stdout)
    assert list(listed(run)) == ["d/a.txt", "d/z.zip/a.txt"]
    names = {".git": 2, "node_modules": 1, "__MACOSX": 2, ".DS_Store": 1, "__pycache__": 1}
    assert (counts["passed_over"], counts["skips"]) == (names, 0)
    assert "passed over 7 (" in run("add", "d").stdout
    run("add", "d", "--exclude", "!.git", "--include", "x", "--include", "config")
    run("add", "d/node_modules", "d/b/.DS_Store")
    assert {"d/.git/x", "d/z.zip/in/.git/config", "d/node_modules/x", "d/b/.DS_Store"} < listed(run).keys()


def test_programs_are_told_before_they_are_added_as_texts(run: Run) -> None:
    for number in range(3):
        write(f"d/{number}.py", "x = 1\n" * 20)
    write("d/a.txt", prose(1))
    advice = run("add", "d").stderr
    assert "3 of the first 4 files are programs" in advice
    assert "fpdb --db corpus.fpdb init --preset code" in advice
    assert "programs" not in run("add", "d").stderr  # there is a database already
    write("east.txt", "今天天气很好，我们去公园散步。" * 9)
    advice = run("--db", "east.fpdb", "add", "east.txt").stderr
    assert "fpdb --db east.fpdb init --preset cjk" in advice
    run("--db", "cjk.fpdb", "init", "--preset", "cjk")
    assert "preset" not in run("--db", "cjk.fpdb", "add", "east.txt").stderr


def test_a_scan_is_not_added(run: Run) -> None:
    from fpdf import FPDF

    page = FPDF()
    page.add_page()
    page.rect(10, 10, 50, 50)
    write("scan.pdf", bytes(page.output()))
    assert "skipped scan.pdf: no text in it: a scan? OCR it first" in run("add", "scan.pdf", status=1).stderr
    run("init")
    assert "too short to have a fingerprint; if it is a scan, OCR it first" in run("query", "scan.pdf").stdout


def test_a_file_that_is_mostly_of_no_use_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents that are replaced or removed leave pages free, or dead postings; new ones do not."""
    Path("t").mkdir()
    monkeypatch.setattr(sys.modules["fpdb.cli.add"], "WASTE_BYTES", 10_000)
    said = []
    for seed in range(4):
        for number in range(30):
            Path(f"t/{number}").write_text(prose(100 * seed + number))
        said.append("are of no use now: fpdb --db corpus.fpdb compact" in run("add", "t").stderr)
    assert said[0] is False
    assert said[-1] is True
    assert run("add", "t").stderr.count("of no use") == 1
    run("compact")
    assert run("add", "t").stderr == ""
    monkeypatch.setattr(sys.modules["fpdb.cli.add"], "WASTE_BYTES", 10**9)
    Path("t/1").write_text(prose(1))
    assert "of no use" not in run("add", "t").stderr
