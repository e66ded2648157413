"""File systems of other machines, on which LMDB's locks and maps do not do what fpdb relies on."""

import os
from typing import Final

from fpdb.errors import StorageFailure

ALLOW: Final = "FPDB_ALLOW_NETWORK"
"""The environment variable that lets fpdb use them."""

MOUNTS: Final = "/proc/self/mountinfo"

_NAMES = """
9p afs afpfs beegfs ceph cifs coda gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2 orangefs panfs prl_fs pvfs2 smb3
smbfs vboxsf vmhgfs fuse.ceph fuse.cephfs fuse.davfs fuse.gcsfuse fuse.glusterfs fuse.juicefs fuse.mfs fuse.moosefs
fuse.rclone fuse.s3fs fuse.smbnetfs fuse.sshfs fuse.vmhgfs-fuse
"""
NETWORK: Final = frozenset(_NAMES.split())
"""The kinds of file systems that are refused."""


def refuse_network(path: str) -> None:
    """Raise StorageFailure for a file, or a folder, on a network file system, unless the variable allows it."""
    kind = file_system(os.stat(path).st_dev)
    if kind in NETWORK and not os.environ.get(ALLOW):
        raise StorageFailure(
            f"{path!r} is on a network file system ({kind}), where two machines that use it at once can destroy it: "
            f"copy it to a local disk; read it with --immutable if nobody writes to it; or, if this machine alone ever "
            f"uses it, set {ALLOW}=1"
        )


def file_system(device: int) -> str | None:
    """Return the kind of the file system that is mounted as a device, as the system names it, if it tells."""
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        with open(MOUNTS, encoding="utf-8", errors="replace") as mounts:
            for line in mounts:
                fields, _, kind = line.partition(" - ")
                if fields.split(" ", 3)[2] == number:
                    return kind.split(" ", 1)[0]
    except OSError:  # macOS has no such list
        pass
    return None
