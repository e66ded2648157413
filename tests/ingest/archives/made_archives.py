"""Archives of every form, and what is found in them."""

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

import fpdb
from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument, Skipped, read_content
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


def changed(data: bytes, at: int, *values: int) -> bytes:
    return data[:at] + bytes(values) + data[at + len(values) :]
