"""Members of tars."""

import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.ingest.archives.made_archives import GOOD, GOOD_TEXT, MAKERS, found


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


@pytest.mark.parametrize("cut", [1, 8])
@pytest.mark.parametrize("made", ["a.tar.gz", "a.tar.bz2", "a.tar.xz"])
def test_a_compressed_tar_is_unpacked_to_its_end(tmp_path: Path, made: str, cut: int) -> None:
    path = tmp_path / made
    MAKERS[made](path, {GOOD: GOOD_TEXT})
    path.write_bytes(path.read_bytes()[:-cut])
    answer = found(path)
    assert answer.pop(GOOD) == GOOD_TEXT
    assert answer == {"": f"not read any further, after {path}/{GOOD}: cut off: it ends too early"}
