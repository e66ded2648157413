"""Files of other machines are refused, unless the user insists."""

import os

import pytest

import fpdb
from fpdb.storage.environment import network


@pytest.fixture
def mounted(tmp_path, monkeypatch):
    """Return a function that makes the system's list say that the file's device is of a kind."""

    def mount(kind):
        device = os.stat(tmp_path).st_dev
        lines = [
            "21 1 7:7 / / rw - ext4 /dev/x rw",
            f"22 1 {os.major(device)}:{os.minor(device)} / {tmp_path} rw,relatime shared:1 - {kind} server:/x rw",
        ]
        (tmp_path / "mounts").write_text("\n".join(lines) + "\n")
        monkeypatch.setattr(network, "MOUNTS", str(tmp_path / "mounts"))

    return mount


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "lustre", "fuse.sshfs", "fuse.glusterfs"]
)
def test_network_file_systems_are_refused(path, mounted, monkeypatch, kind):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
    mounted(kind)
    for call in (lambda: fpdb.open(path), lambda: fpdb.open(path, "r"), lambda: fpdb.open(f"{path}.new", "x")):
        with pytest.raises(fpdb.StorageFailure, match=kind) as caught:
            call()
        assert network.ALLOW in str(caught.value)
    assert not os.path.exists(f"{path}.new")
    with fpdb.open(path, "r", immutable=True) as db:
        assert len(db) == 1
    monkeypatch.setenv(network.ALLOW, "1")
    with fpdb.open(path) as db:
        assert db.check() == []


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "fuseblk", "fuse.gocryptfs"])
def test_local_file_systems_are_not(path, mounted, kind):
    mounted(kind)
    with fpdb.open(path) as db:
        assert db.check() == []


def test_what_the_system_says_of_a_device(tmp_path, monkeypatch):
    assert network.file_system(os.makedev(4_000, 4_000)) is None
    if os.path.exists(network.MOUNTS):
        assert network.file_system(os.stat("/proc").st_dev) == "proc"
    monkeypatch.setattr(network, "MOUNTS", str(tmp_path / "none"))
    assert network.file_system(os.stat(tmp_path).st_dev) is None
