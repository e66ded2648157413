"""A folder of submissions as it arrives, one `add` and one `pairs --report`: the report tells who shares what."""

import gzip
import io
import json
import os
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fpdf import FPDF

from tests.cli.conftest import Run
from tests.cli.prose import prose

PASSAGE = prose(1, 300)
"""The text that alice, bob, carla and dora share."""


def own(seed: int) -> str:
    return prose(seed, 250)


def pdf(text: str) -> bytes:
    document = FPDF()
    document.add_page()
    document.set_font("Helvetica", size=9)
    document.multi_cell(0, text=text)
    return bytes(document.output())


def tarred(**members: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(f"src/{name}.txt")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


@pytest.fixture
def submissions(run: Run) -> Run:
    """In the folder where the database will be, too."""
    files = {
        "bob/essay.txt": f"{own(2)}\n{PASSAGE} à la fin".encode("latin-1"),
        "bob/drafts/old/essay.txt": f"{PASSAGE}\n{own(3)}".encode(),
        "carla/essay.txt": f"Größe: {own(4)}\n{PASSAGE}".encode("utf-16"),
        "dora/thesis.pdf": pdf(f"{own(5)}\n\n{PASSAGE}"),
        "erik/essay.txt": own(6).encode(),
        "fay/empty.txt": b"",
        "gil/photo.raw": bytes(range(256)) * 50,
        "alice/not mine.txt": own(7).encode(),
    }
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)
    with zipfile.ZipFile("alice.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("final/essay.txt", f"{PASSAGE}\n{own(8)}")
        archive.writestr("final/\x1b[2J.txt", own(9))
        archive.writestr("final/cover.png", b"\x89PNG\r\n\0\0")
        archive.writestr("final/more.tgz", tarred(part=own(6).encode()))
    os.symlink("..", "bob/drafts/loop")
    return run


def data(page: str) -> Any:
    return json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)[0])


def text(page: str, source: int) -> str:
    (found,) = re.findall(rf'<script type="application/json" id="t{source}">(.*?)</script>', page)
    return str(json.loads(found)["text"])


def letters(passage: str) -> str:
    return re.sub(r"\W", "", passage).lower()


def test_one_add_and_one_report(submissions: Run) -> None:
    added = submissions("add", ".")
    assert "added 10, skipped 4, passed over 2" in added.stdout
    assert sorted(line for line in added.stderr.splitlines() if line.startswith("skipped")) == [
        "skipped alice.zip/final/cover.png: a picture: no text in it",
        "skipped bob/drafts/loop: a symbolic link, not followed",
        "skipped corpus.fpdb: the database itself",
        "skipped gil/photo.raw: binary (it has NUL bytes)",
    ]
    assert "shorter than a k-gram (k=30): fay/empty.txt" in added.stderr
    assert "added 0, unchanged 10" in submissions("add", ".").stdout

    plain = submissions("pairs", "--owners", "path:1", "--min", "0.2", "--report", "report.html", "--format", "json")
    pairs = {(pair["a"], pair["b"]) for pair in map(json.loads, plain.stdout.splitlines())}
    copies = ["alice.zip/final/essay.txt", "bob/drafts/old/essay.txt", "bob/essay.txt", "carla/essay.txt"]
    copies.append("dora/thesis.pdf")
    expected = {(a, b) for a in copies for b in copies if a < b and a.split("/")[0] != b.split("/")[0]}
    assert pairs == expected | {("alice.zip/final/more.tgz/src/part.txt", "erik/essay.txt")}

    page = Path("report.html").read_text("utf-8")
    shown = data(page)
    assert {source["state"] for source in shown["sources"]} == {"same"}
    assert "\x1b" not in page
    assert "\x1b" not in added.output + submissions("list").stdout
    names = [source["name"] for source in shown["sources"]]
    assert {(names[row["a"]], names[row["b"]]) for row in shown["rows"]} == pairs
    for row in shown["rows"]:
        (region,) = row["regions"]
        ours = letters(text(page, row["a"])[region[0] : region[1]])
        assert ours == letters(text(page, row["b"])[region[2] : region[3]])
        assert letters(own(6) if names[row["b"]] == "erik/essay.txt" else PASSAGE) in ours


def test_an_archive_is_an_owner_of_its_own(submissions: Run) -> None:
    """`alice.zip` and `alice` are two names; whoever means one person by them gives a label."""
    Path("alice/again.txt").write_text(f"{PASSAGE}\n{own(8)}")
    submissions("add", "alice", "alice.zip")
    (pair,) = submissions("pairs", "--owners", "path:1", "--format", "json").stdout.splitlines()
    assert (json.loads(pair)["a"], json.loads(pair)["b"]) == ("alice.zip/final/essay.txt", "alice/again.txt")
    submissions("add", "alice", "alice.zip", "--label", "owner=alice")
    assert submissions("pairs", "--format", "json").stdout == ""


def test_show_and_regions_of_members(submissions: Run, tmp_path: Path) -> None:
    submissions("add", "alice.zip")
    name = "alice.zip/final/more.tgz/src/part.txt"
    shown = json.loads(submissions("show", name, "--format", "json").stdout)
    assert shown["source"] == f"{tmp_path}/alice.zip!/final/more.tgz!/src/part.txt"
    answer = json.loads(submissions("query", "erik/essay.txt", "--regions", "--format", "json").stdout)
    (match,) = answer["matches"]
    assert match["name"] == name
    assert match["regions"][0]["document"]["first_line"] == 1
    assert " = line 1:" in submissions("query", "erik/essay.txt", "--regions").stdout


def test_queries_and_fingerprints_of_archives(submissions: Run) -> None:
    submissions("add", "bob")
    lines = submissions("query", "alice.zip", "--format", "json", "--min", "0.2").stdout.splitlines()
    answers = {each["query"]["name"]: [match["name"] for match in each["matches"]] for each in map(json.loads, lines)}
    assert answers["alice.zip/final/essay.txt"] == ["bob/drafts/old/essay.txt", "bob/essay.txt"]
    assert answers["alice.zip/final/more.tgz/src/part.txt"] == []
    assert len(submissions("fingerprint", "alice.zip", "--format", "json").stdout.splitlines()) == 3


def test_archives_by_standard_input_and_by_another_name(submissions: Run) -> None:
    stdin = Path("alice.zip").read_bytes()
    submissions("add", "-", "--name", "a.zip", stdin=stdin)
    submissions("add", "alice.zip", "--name", "b")
    listed = [json.loads(line) for line in submissions("list", "--format", "json").stdout.splitlines()]
    assert {one["name"]: one["source"] is None for one in listed}.items() >= {
        "a.zip/final/essay.txt": True,
        "b/final/essay.txt": False,
    }.items()
    assert len(listed) == 6


def test_a_member_with_a_name_too_long_stops_no_other(submissions: Run) -> None:
    submissions("add", "erik")
    with zipfile.ZipFile("deep.zip", "w") as archive:
        archive.writestr("😀" * 16_000 + ".zip", tarred(**{"😀" * 8_000: own(9).encode()}))
        archive.writestr("a.txt", own(6))
    for command in ("add", "query"):
        assert "bytes long; 65535 is the most" in submissions(command, "deep.zip").stderr
    assert "erik/essay.txt" in submissions("query", "deep.zip").stdout


def test_a_damaged_archive_is_said_and_the_rest_goes_on(submissions: Run) -> None:
    Path("erik/late.txt.gz").write_bytes(gzip.compress(own(9).encode())[:-9])
    assert "skipped erik/late.txt.gz/late.txt: cut off: it ends too early" in submissions("add", "erik").stderr
    assert "added 0, skipped 1" in submissions("add", "erik/late.txt.gz", status=1).stdout
