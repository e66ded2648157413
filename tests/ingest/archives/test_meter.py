"""Archives are read in bounds."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

from fpdb.ingest.archive_walk import walk_archive
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.limits import ArchiveLimits
from tests import crafted_archives as crafted
from tests.ingest.archives.made_archives import GOOD, written


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
    assert len(answers["overlap.zip"]) == 20_000
    assert set(answers["overlap.zip"].values()) == {"it shares bytes with another member, like a zip bomb"}
    answer = answers["truncated.tar.gz"]
    assert (answer[GOOD], answer["late.txt"]) == (None, "cut off: it ends too early")
    assert answer[""] == "not read any further, after X/late.txt: cut off: it ends too early"
