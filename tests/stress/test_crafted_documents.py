"""Row 15: documents made to do harm cost little and harm nothing, and the documents beside them are read."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import fpdb
from fpdb.cli.program import cli
from fpdb.fingerprint import Recipe
from fpdb.limits import MAX_DOCUMENT_BYTES
from tests import crafted_archives as crafted
from tests.stress.crafted_documents import ESCAPES, SCRIPTS, nested, selected_throughout, slow

GOOD = "It is good text, that nothing happens to, and it is longer than thirty letters."
MEMORY = 1500
"""MB that reading any of it may come to, unless one document is larger."""
LOAD = """
import json, resource, sys
import fpdb
from bench.measuring import peak_memory
from fpdb.ingest.loading import load
from fpdb.ingest.discover import discover

resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[3]), int(sys.argv[3])))
with fpdb.open(sys.argv[1], recipe=fpdb.Recipe.preset("code")) as db:
    report = load(db, discover([sys.argv[2]], kind="auto"), jobs=1)
    problems = db.check()
megabytes = max(peak_memory() >> 20, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
skipped = {one.name: one.reason for one in report.skipped}
print(json.dumps({"added": report.added, "skipped": skipped, "problems": problems, "megabytes": megabytes}))
"""


def loaded(folder: Path, seconds: int = 900) -> dict:
    """Load a folder in a process with this limit of processor time, and return the outcome."""
    command = [sys.executable, "-c", LOAD, str(folder.parent / "t.fpdb"), folder.name, str(seconds)]
    environment = {**os.environ, "PYTHONPATH": str(Path(fpdb.__file__).parents[1])}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder.parent)
    assert result.returncode == 0, result.stderr
    outcome = json.loads(result.stdout)
    assert outcome["problems"] == []
    with fpdb.open(folder.parent / "t.fpdb", "r") as db:
        outcome["names"] = [document.name for document in db.documents()]
    assert "d/zz-good.txt" in outcome["names"]
    assert sorted(path.name for path in folder.parent.iterdir() if "fpdb" not in path.name) == ["d"]
    return outcome


def laid_out(tmp_path: Path, documents: dict[str, bytes]) -> Path:
    folder = tmp_path / "d"
    folder.mkdir()
    for name, content in documents.items():
        (folder / name).write_bytes(content)
    (folder / "zz-good.txt").write_text(GOOD)
    return folder


def test_documents_that_are_deep_or_slow(tmp_path, amount, figure):
    documents = nested(amount(300, 10_000)) | slow(amount(2_000, 1_000_000))
    if amount(True, False):
        del documents["loop.ps"]  # Ghostscript is given a minute
    outcome = loaded(laid_out(tmp_path, documents))
    for name in documents:  # or what is in it
        told = [*outcome["names"], *outcome["skipped"]]
        assert any(f"{one}/".startswith(f"d/{name}/") for one in told), name
    for name in ("entities.docx", "outside.docx", "entities.odt"):
        assert "document type" in outcome["skipped"][f"d/{name}"]
    assert outcome["megabytes"] < MEMORY
    read = len(outcome["names"]) - 1
    done = f"{read} read, {len(outcome['skipped'])} refused, at most {outcome['megabytes']:,} MB"
    figure(15, f"{len(documents)} deep and slow documents", done)


CHEAP = ("names.zip", "deep.zip", "gzips.gz", "truncated.tar.gz", "size-far-away.tar", "pax-endless.tar", "sparse.tar")


def test_archives_that_unpack_to_more_than_there_is(tmp_path, amount, figure):
    """In short, only what `tests/ingest/archives/test_limits.py` does not read."""
    documents = {name: content for name, content in crafted.archives().items() if name in amount(CHEAP, name)}
    outcome = loaded(laid_out(tmp_path, documents))
    assert not Path("/etc/passwd.txt").exists()
    assert outcome["megabytes"] < MEMORY
    done = f"{len(outcome['skipped']):,} parts of them refused, no file written, at most {outcome['megabytes']:,} MB"
    figure(15, f"{len(documents)} archives", done)


REPEATED = {
    "a character": ("a.txt", "a", 4, (MAX_DOCUMENT_BYTES >> 20) - 1),
    "a ligature": ("a.txt", "\ufdfa", 34, 10),
    "a tag": ("a.html", "<a b=c>", 24, 40),
}
"""Multiples of its size that a document may take, and megabytes that are read; U+FDFA stands for 18 letters."""


@pytest.mark.parametrize("what", REPEATED)
def test_one_thing_over_and_over(tmp_path, amount, figure, what):
    """A character: one file just below the limit of a document, in full, and one of 1 GB."""
    name, unit, times, largest = REPEATED[what]
    one = what == "a character"
    size = amount(10, largest) if one else amount(1, largest)
    folder = laid_out(tmp_path, {name: (unit.encode() * (1 << 20))[: 1 << 20]})
    piece = (folder / name).read_bytes()
    for path, megabytes in ((folder / name, size), (folder / "larger.txt", amount(1, 1_000))):
        with path.open("wb") as file:
            for _ in range(megabytes):
                file.write(piece)
    os.truncate(folder / "larger.txt", 1_000_000_000)  # in short, it is mostly a hole
    outcome = loaded(folder)
    assert outcome["added"] == 2
    assert outcome["skipped"] == {"d/larger.txt": "too large (1.0 GB; the limit is 0.5 GB)"}
    assert outcome["megabytes"] < 150 + times * size
    figure(15, f"{what}, over and over", f"{size} MB in {outcome['megabytes']:,} MB{'; 1 GB refused' if one else ''}")


@pytest.mark.parametrize("scheme", ["winnow", "robust-winnow"])
def test_a_text_that_is_selected_throughout(scheme, amount, figure):
    text = selected_throughout(amount(1_500, 20_000))
    recipe = Recipe.preset("text").with_(scheme=scheme)
    known, *others = (recipe.with_(key=key).fingerprint(text) for key in (recipe.key, *range(1, 9)))
    share, least = (len(found.hashes) / found.kgrams for found in (known, max(others, key=lambda one: len(one.hashes))))
    assert 0.95 < share <= 1
    assert least < 0.15
    what = f"a text that {scheme} is to select all of"
    figure(15, what, f"{share:.1%} of its k-grams with the known key, at most {least:.0%} with eight others")


def test_nothing_in_a_report_is_obeyed(tmp_path, browser, figure):
    prose = " ".join(f"{word} {word * 7919 % 1009}" for word in range(60))
    payloads = [*SCRIPTS, ESCAPES]
    with fpdb.open(tmp_path / "t.fpdb") as db:
        with db.batch() as batch:
            for number, payload in enumerate(payloads):
                about = {"source": payload, "contact": payload, "labels": {"owner": payload, payload: payload}}
                batch.add(f"{number} {payload}", f"{payload} {prose}", keep_text=True, **about)
        page = db.report()
        page.add_pairs(db.pairs())
        page.add_answer(db.query(prose + payloads[0], name=payloads[1], regions=True), prose + payloads[0])
        (tmp_path / "report.html").write_text(page.html(), "utf-8")
        assert db.check() == []
    browser.get((tmp_path / "report.html").as_uri())
    rows = browser.find_elements("css selector", "tbody tr")
    shown = browser.find_element("tag name", "body").text
    for element in [*rows[:: max(len(rows) // 8, 1)], *browser.find_elements("tag name", "button")]:
        browser.execute_script("arguments[0].click(); arguments[0].focus()", element)
        for link in element.find_elements("tag name", "a"):
            browser.execute_script("arguments[0].click()", link)
        shown += browser.find_element("tag name", "body").text
    assert "obeyed" not in browser.title
    assert browser.find_elements("css selector", "img, iframe, object, a[href^='javascript']") == []
    assert [entry for entry in browser.get_log("browser") if "favicon" not in entry["message"]] == []
    for payload in SCRIPTS[:4]:
        assert payload in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    figure(15, "scripts and escapes in names, labels, sources and texts", f"{len(payloads)} in a report, 0 obeyed")


def test_no_escape_reaches_a_terminal(tmp_path, monkeypatch, figure):
    monkeypatch.chdir(tmp_path)
    for name in (ESCAPES, f"b {ESCAPES}"):
        Path(name).write_text(f"{ESCAPES} {GOOD} {ESCAPES}")
    Path(f"c {ESCAPES}").write_bytes(b"\0")
    labels = ("--label", f"author={ESCAPES}", "--label", f"{ESCAPES}={ESCAPES}", "--contact", ESCAPES)
    commands = [
        ("add", *labels, "--kind", "text", "."),
        ("add", f"missing {ESCAPES}"),
        ("list",),
        ("show", ESCAPES),
        ("show", f"missing {ESCAPES}"),
        ("query", "--regions", ESCAPES),
        ("pairs", "--regions", "--by", "coverage"),
        ("remove", f"missing {ESCAPES}"),
        ("--db", ESCAPES, "list"),
    ]
    said = [CliRunner().invoke(cli, command).output for command in commands]
    assert [line for line in "".join(said).split("\n") if not line.isprintable()] == []
    assert [one for one in said if "\\x1b[2J" not in one] == []
    figure(15, "escapes in names, labels, texts and arguments", f"{len(said)} commands, none reaches the terminal")
