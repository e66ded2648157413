"""Change a database on a full disk, and with files that may not grow (RLIMIT_FSIZE).

    python -m tests.stress.full_disks FOLDER SEED EVERY

EVERY: try every nth amount of free space only. The disks are real (a tmpfs, and ext4 in a file) and mounted where no
other process sees them, which needs root.
"""

import ctypes
import errno
import os
import resource
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from functools import partial

import fpdb
from tests.stress.child_process import fork
from tests.stress.fault_injection import SampleChanges, attempt, outcome
from tests.stress.shim import tell
from tests.stress.workload import difference, small_limits

NEW_NAMESPACE = 0x00020000  # CLONE_NEWNS
MEGABYTES = 8
LEFT = [0, 4_096, 8_192, 16_384, 20_480, 32_768, 40_960, 65_536, 98_304, 131_072, 262_144]


def run(*command):
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "LD_PRELOAD": ""})


def mounted(folder, sort):
    """Mount a small disk; return None, or the reason why it is impossible."""
    os.makedirs(f"{folder}/{sort}")
    commands = [["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "none", f"{folder}/{sort}"]]
    if sort == "ext4":
        with open(f"{folder}/image", "wb") as file:
            file.truncate(MEGABYTES << 20)
        commands = [
            ["mkfs.ext4", "-q", "-m", "0", f"{folder}/image"],
            ["mount", "-o", "loop", f"{folder}/image", f"{folder}/{sort}"],
        ]
    for command in commands:
        try:
            run(*command)
        except (OSError, subprocess.CalledProcessError) as error:
            return f"{command[0]} cannot be used here ({getattr(error, 'stderr', b'') or error})"
    return None


def fill(disk, left):
    """Fill the disk except for `left` bytes."""
    with open(f"{disk}/ballast", "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12):
            try:
                while True:
                    file.write(bytes(size))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
        os.truncate(f"{disk}/ballast", max(0, os.fstat(file.fileno()).st_size - left))
        os.sync()


def make_room(disk):
    with suppress(FileNotFoundError):
        os.unlink(f"{disk}/ballast")


def limit(folder, more):
    size = os.stat(f"{folder}/t.fpdb").st_size + more
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def lift():
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def open_and_read(send, folder, model, begin, end, mode):
    """Open a database without lock files on a full disk; then with free space."""
    for beside in ("-lock", "-writer", "-merge"):
        with suppress(FileNotFoundError):
            os.unlink(f"{folder}/t.fpdb{beside}")
    begin()
    raised = message = ""
    try:
        with fpdb.open(f"{folder}/t.fpdb", mode) as db:
            len(db)
    except fpdb.Error as error:
        raised, message = type(error).__name__, str(error)
    end()
    send("tried", raised, message)
    with fpdb.open(f"{folder}/t.fpdb", mode) as db:
        send("ended", 0, difference(db, model))


def create(send, folder, begin, end):
    """Create a database on a full disk; then with free space."""
    begin()
    raised = message = ""
    try:
        fpdb.open(f"{folder}/new.fpdb", "x").close()
    except fpdb.Error as error:
        raised, message = type(error).__name__, str(error)
    end()
    left = [name for name in os.listdir(folder) if name.startswith("new.fpdb.")]
    send("tried", raised, message)
    with fpdb.open(f"{folder}/new.fpdb", "a") as db:
        send("ended", 0, f"left behind: {left}" if left else difference(db, {}))


def tried(changes, where, lefts, trouble, relief):
    """Try every change, and opening, with each amount of free space."""
    totals, messages = Counter(), set()
    for left in lefts:
        begin = partial(trouble, left)
        works = {
            what: partial(attempt, folder=where, step=step, model=changes.model, begin=begin, end=relief)
            for what, step in changes.steps.items()
        }
        for mode in ("r", "r+"):
            works[f"open {mode}"] = partial(
                open_and_read, folder=where, model=changes.model, begin=begin, end=relief, mode=mode
            )
        works["create"] = partial(create, folder=where, begin=begin, end=relief)
        for what, work in works.items():
            with changes.copied(where):
                ended = fork(work)
            relief()
            raised, message, which, wrong = outcome(ended)
            totals["attempts"] += 1
            totals["raised"] += bool(raised)
            if raised:
                messages.add(f"{raised}: {message.replace(where, '')}")
            if (
                what in changes.steps
                and changes.steps[what].what == "batch"
                and wrong is None
                and which != (not raised)
            ):
                wrong = "it was said to be done, and is not, or the other way round"
            if wrong:
                tell(bad=f"{what}, {left} bytes left on {where}: {wrong}; {message}")
    return {**totals, "messages": sorted(messages)}


def main(folder, seed, every):
    small_limits()
    changes = SampleChanges(seed, folder)
    lefts = LEFT[seed % every :: every]
    private = ctypes.CDLL(None, use_errno=True).unshare(NEW_NAMESPACE) == 0
    if private:
        run("mount", "--make-rprivate", "/")
    for sort in ("tmpfs", "ext4"):
        why = mounted(folder, sort) if private else "this needs root"
        if why:
            tell(where=sort, impossible=why)
            continue
        disk = f"{folder}/{sort}"
        tell(where=sort, **tried(changes, f"{disk}/now", lefts, partial(fill, disk), partial(make_room, disk)))
    where = f"{folder}/now"
    tell(where="RLIMIT_FSIZE", **tried(changes, where, lefts, partial(limit, where), lift))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
