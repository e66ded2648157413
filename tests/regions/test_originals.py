"""Originals are files and members of archives below the roots; else there is a reason, outside always the same."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fpdb.regions.originals import is_gone, read_original
from fpdb.regions.source_roots import SourceRoots, spellings
from tests import crafted_archives as crafted

CONTENT = b"content"


def test_the_content_is_read_or_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(CONTENT)
    (tmp_path / "a.zip").write_bytes(crafted.zipped(("../../etc/x", CONTENT)))
    (tmp_path / "pipe").mkdir()
    expected = {
        None: "not_kept",
        "": "not_kept",
        "relative": "not_kept",
        "../relative": "not_kept",
        "a\0b": "not_kept",
        "https://example.org/": "not_kept",
        f"{tmp_path}/text": CONTENT,
        f"{tmp_path}/x/../text": CONTENT,
        f"{tmp_path}/a.zip!/../../etc/x": CONTENT,  # a name in the archive, and no path
        f"{tmp_path}/a.zip!/x": "unavailable",
        f"{tmp_path}/text!/x": "unavailable",
        f"{tmp_path}/none": "gone",
        f"{tmp_path}/none!/x": "gone",
        f"{tmp_path}/text/below": "gone",
        f"{tmp_path}/pipe": "unavailable",
        f"{tmp_path}/a\0b": "unavailable",
        f"{tmp_path}/\ud800": "unavailable",
        str(tmp_path.parent): "outside",
        f"{tmp_path}/../x": "outside",
        f"{tmp_path}x": "outside",
        f"{tmp_path.parent}/a.zip!/{tmp_path}/text": "outside",
        "/etc/passwd": "outside",
        "//etc/passwd": "outside",
        "/a\0b": "outside",
        "/\ud800": "outside",
        "/" + "x" * 9999: "outside",
        "/etc/passwd!/x": "outside",
        "/dev/zero": "outside",
        "/proc/self/environ": "outside",
    }
    roots = SourceRoots(spellings([tmp_path]))
    assert {source: read_original(source, roots) for source in expected} == expected
    assert {read_original(source, SourceRoots([])) for source in expected} == {"not_kept", "outside"}


def test_a_source_is_gone_if_neither_its_file_nor_an_archive_is_there(tmp_path: Path) -> None:
    """Below the roots: elsewhere nothing is looked at. Each file that was opened is closed."""
    (tmp_path / "text").write_bytes(CONTENT)
    (tmp_path / "a.zip").write_bytes(crafted.zipped(("x", CONTENT)))
    (tmp_path / "folder").mkdir()
    expected = {
        None: False,
        "": False,
        "relative": False,
        f"{tmp_path}/text": False,
        f"{tmp_path}/a.zip!/x": False,
        f"{tmp_path}/a.zip!/none": False,
        f"{tmp_path}/text!/x": False,
        f"{tmp_path}/none": True,
        f"{tmp_path}/none!/x": True,
        f"{tmp_path}/text/below": True,
        f"{tmp_path}/folder": False,
        f"{tmp_path}/a\0b": False,
        f"{tmp_path.parent}/none": False,
        "/none": False,
    }
    roots = SourceRoots(spellings([tmp_path]))
    assert {source: is_gone(source, roots) for source in expected} == expected


STATES: dict[str, Callable[[Path], object]] = {
    "missing": lambda _: None,
    "the same": lambda path: path.write_bytes(CONTENT),
    "changed": lambda path: path.write_bytes(b"changed"),
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a link into the root": lambda path: path.symlink_to("../named/text"),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a loop": lambda path: path.symlink_to(path),
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "an archive": lambda path: path.write_bytes(crafted.zipped(("member", CONTENT))),
    "an archive without it": lambda path: path.write_bytes(crafted.zipped(("another", CONTENT))),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("leads_out", ["outside/x", "named/../outside/x", "named/link/x", "named/a/link/x"])
@pytest.mark.parametrize("inside", ["", "!/member", "!/member!/member"])
def test_outside_the_answer_is_always_the_same(tmp_path: Path, state: str, leads_out: str, inside: str) -> None:
    """By a path, or a link below the root: no answer tells what is there, except that a link leads back."""
    for folder in ("outside", "named/a"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "named" / "text").write_bytes(CONTENT)
    for folder in ("named", "named/a"):
        (tmp_path / folder / "link").symlink_to(tmp_path / "outside")
    STATES[state](tmp_path / "outside" / "x")
    told = read_original(f"{tmp_path}/{leads_out}{inside}", SourceRoots(spellings([tmp_path / "named"])))
    if state == "a link into the root" and leads_out.startswith(("named/link", "named/a")):
        assert told == (CONTENT if not inside else "unavailable")  # all of it is readable by another path
    else:
        assert told == "outside"
    shutil.rmtree(tmp_path / "outside")
