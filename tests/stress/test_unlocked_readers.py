"""Row 18: who cannot lock a database is told so beside a writer; with `--immutable`, a change is an error."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

import fpdb
from tests.storage.environment.mounts import in_own_mounts
from tests.storage.environment.users import STRANGER, folder, needs_root
from tests.storage.processes import hear, running, tell
from tests.stress.unlocked_readers import COMMANDS, create

__all__ = ["folder"]

WRITE = """
import threading
from tests.stress.unlocked_readers import TURN, write

done = threading.Event()
commit = TURN
small_merges()
with fpdb.open(path) as db:
    write(db, commit := commit + 1)
    say("open")
    threading.Thread(target=lambda: (hear(), done.set())).start()
    while not done.is_set():
        write(db, commit := commit + 1)
say(commit)
"""
MOUNT = 'mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" && shift 2 && exec "$@"'
"""Mount a folder for reading only elsewhere, and run a command there."""


ENDS_READER = (signal.SIGABRT, signal.SIGBUS, signal.SIGSEGV)
SECONDS = {"a read-only mount": 600, "another user's folder and lock file": 120}
"""How long they read in full, by where."""


def allowed(use):
    """Return the outcomes that a command or a call may have. LMDB may end the process that makes a call."""
    if not use.startswith("--immutable"):
        return ("refused",)
    command = use.removeprefix("--immutable ") in COMMANDS
    return "right", "changed", *(("ended",) if command else map("DIED of signal {}".format, ENDS_READER))


@needs_root
@pytest.mark.parametrize("place", SECONDS)
def test_readers_beside_a_writer(folder, amount, figure, place):
    data, mount = folder / "data", folder / "mount"
    for each in (data, mount):
        each.mkdir(mode=0o755)
    path = str(data / "t.fpdb")
    create(path)
    os.chmod(path, 0o644)
    seconds = amount(0, SECONDS[place])
    command = [sys.executable, "-m", "tests.stress.unlocked_readers"]
    if place == "a read-only mount":
        command = in_own_mounts("sh", "-c", MOUNT, "sh", data, mount, *command, mount / "t.fpdb", seconds, os.getuid())
    else:
        command += [path, seconds, STRANGER]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    with running(WRITE, path) as writer, ExitStack() as stack:
        assert hear(writer) == "open"
        readers = [
            stack.enter_context(
                subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True, env=environment)
            )
            for _ in range(amount(1, 2))
        ]
        outcomes = Counter()
        for reader in readers:
            outcomes.update(json.loads(reader.communicate()[0]))
        tell(writer)
        commits = int(hear(writer))
    kinds = Counter()
    for outcome, times in outcomes.items():
        use, _, kind = outcome.partition(": ")
        assert kind in allowed(use), (outcome, times)
        kinds["died" if kind.startswith("DIED") else kind] += times
    with fpdb.open(path) as db:
        assert db.check() == []
    said = f"{kinds['changed']} told of the change, {kinds['ended']} commands and {kinds['died']} calls ended by LMDB"
    figure(
        18,
        f"{place}, beside {commits} commits",
        f"{kinds['refused']} uses without --immutable, all refused; with it {kinds['right']} right answers, {said}",
    )
