"""Files at or below the roots are opened, and nothing else, whatever a source says."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.regions.source_roots import SourceRoots, identify, path_and_folders, spellings

PARTS = st.sampled_from(["in", "out", "a", "link", "up", "self", "file", "..", ".", "", "none"])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two folders of the same layout, with links between and within them."""
    top = tmp_path_factory.mktemp("roots").resolve()
    for folder, other in (("in", "out"), ("out", "in")):
        (top / folder / "a" / "a").mkdir(parents=True)
        for path in (top / folder, top / folder / "a", top / folder / "a" / "a"):
            (path / "file").write_text(str(path / "file"))
            (path / "link").symlink_to(top / other / "a")
            (path / "up").symlink_to("..")
            (path / "self").symlink_to("self")
    return top


@given(parts=st.lists(PARTS, max_size=7), root=st.sampled_from(["in", "in/a", "in/a/file", "in/link", "in/up"]))
def test_nothing_outside_is_opened(tree: Path, parts: list[str], root: str) -> None:
    """Each file that is opened lies in the root by its path as written, and on the disk."""
    path = f"{tree}/{'/'.join(parts)}"
    try:
        file = SourceRoots(spellings([tree / root])).open(path)
    except OSError:
        return
    if file is not None:
        with file:
            content = file.read().decode()
        real = os.path.realpath(tree / root)
        assert content == os.path.realpath(os.path.normpath(path))
        assert content == real or content.startswith(f"{real}/")
    else:
        written = Path(os.path.normpath(path))
        inside = any(written.is_relative_to(spelling) for spelling in spellings([tree / root]))
        assert not inside or not Path(os.path.realpath(written)).is_relative_to(os.path.realpath(tree / root))


def test_what_is_below_a_root_is_opened(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def content(root: str | Path, path: str | Path) -> str | None:
        file = SourceRoots(spellings([root])).open(str(path))
        if file is None:
            return None
        with file:
            return file.read().decode()

    file = tree / "in" / "a" / "file"
    assert content(file, file) == content("/", file) == content(tree / "in", file) == str(file)
    assert content(tree / "in", tree / "in" / "a" / "up" / "a" / "file") == str(file)  # a link that stays inside
    assert content(tree / "out" / "link", file) == str(file)  # the root itself may be a link, in either spelling
    assert content(tree / "out" / "link", tree / "out" / "link" / "file") == str(file)
    assert content(tree / "in" / "a", tree / "in" / "file") is None
    assert content(tree / "in", f"{tree}/inner") is None
    monkeypatch.chdir(tree / "in")
    assert content("a", file) == content(".", f"/{file}") == str(file)


@pytest.fixture
def _alarm() -> Iterator[None]:
    """Let a call that waits fail, after a time that no other call takes."""

    def fail(*_: object) -> None:
        raise AssertionError("a call waits")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("_alarm")
def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    """Nothing is waited for, and nothing is opened that reading may change."""
    for name in ("file", "own"):
        (tmp_path / name).write_text(name)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        roots = SourceRoots(["/"], identify([str(tmp_path / "own"), str(tmp_path / "none")]))
        names = ("own", "pipe", "folder", "loop", "socket", "none", "file/x", "pipe/x", "pipe/x/y", "socket/x")
        paths = [str(tmp_path / name) for name in names]
        for path in [*paths, "/dev/zero", "/dev/null", "/", "/a\0b", "/\ud800", "/" + "x" * 9999]:
            with pytest.raises((OSError, ValueError)):
                roots.open(path)


def test_a_link_that_is_put_in_meanwhile_is_not_followed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = SourceRoots(spellings([tree / "in"]))
    monkeypatch.setattr(os.path, "realpath", lambda path: path)  # as if the links were made after it was called
    for path in ("link/file", "a/link/file", "self", "a/up/file"):
        with pytest.raises(OSError, match=r"symbolic link|Not a directory"):
            roots.open(str(tree / "in" / path))
    file = roots.open(str(tree / "in" / "file"))
    assert file is not None
    file.close()


@pytest.mark.usefixtures("_alarm")
def test_a_pipe_that_is_put_in_meanwhile_is_not_kept_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lowest_free() -> int:
        file = os.open(os.devnull, os.O_RDONLY)
        os.close(file)
        return file

    (tmp_path / "file").touch()
    status = (tmp_path / "file").stat()
    os.mkfifo(tmp_path / "pipe")
    before = lowest_free()
    monkeypatch.setattr(os, "stat", lambda *_, **__: status)  # as if the pipe came after it was called
    with pytest.raises(OSError, match="not a regular file") as caught:
        SourceRoots([str(tmp_path)]).open(str(tmp_path / "pipe"))
    monkeypatch.undo()
    assert lowest_free() == before
    del caught  # which refers to all that was open


def test_roots_are_spelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    monkeypatch.chdir(tmp_path)
    assert spellings(["link", Path("a/../a")]) == tuple(f"{tmp_path.resolve()}/{name}" for name in ("link", "a"))
    assert spellings(["//", "//etc"])[:1] == ("/",)
    assert list(path_and_folders("/a/b")) == ["/a/b", "/a", "/"]
    for wrong in ("/etc", Path("/etc"), b"/etc", [""]):
        with pytest.raises(ValueError, match="path"):
            spellings(wrong)  # type: ignore[arg-type]
