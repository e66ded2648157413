"""`fpdb browse` as a process: it prints its address, answers there, shows nobody the token, and ends at Ctrl-C."""

import os
import select
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import fpdb

BROWSER = """#!/bin/sh
page=${1#file://}
printf '%s\\n' "$(stat -c %a "$page")" "$1" "$(cat "$page")" > opened
"""


@contextmanager
def browsing(
    *options: str, end: int = signal.SIGINT, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, and give the address that it prints; in the end, send it a signal."""
    command = [sys.executable, "-m", "fpdb", "--db", "t.fpdb", "browse", *options]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    signal.signal(signal.SIGINT, before)
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().split()[0]
    finally:
        process.send_signal(end)
        output = process.communicate(timeout=20)
    assert (process.returncode, output) == (0, ("", ""))


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_leads_the_browser_there_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: int
) -> None:
    monkeypatch.chdir(tmp_path)
    fpdb.open("t.fpdb").close()
    Path("browser").write_text(BROWSER)
    Path("browser").chmod(0o755)
    os.mkfifo("opened")
    opened = os.open("opened", os.O_RDWR)
    monkeypatch.setenv("PYTHONPATH", str(Path(fpdb.__file__).parent.parent))
    with browsing(end=end, BROWSER=f"{tmp_path}/browser %s", TMPDIR=str(tmp_path)) as (process, address):
        with urllib.request.urlopen(address) as response:  # noqa: S310 (our own server)
            assert "Continue to the database" in response.read().decode()
            cookie = response.headers["Set-Cookie"].partition(";")[0]
        request = urllib.request.Request(address.partition("?")[0], headers={"Cookie": cookie})  # noqa: S310 (our own server)
        with urllib.request.urlopen(request) as response:  # noqa: S310 (our own server)
            assert "Find shared text" in response.read().decode()
        assert select.select([opened], [], [], 20)[0]
        mode, argument, page = os.read(opened, 1 << 16).decode().split("\n", 2)
        assert mode == "600"
        assert address in page
        for arguments in (argument, Path(f"/proc/{process.pid}/cmdline").read_text()):
            assert address.partition("token=")[2] not in arguments
    os.close(opened)
    assert list(tmp_path.glob("*.html")) == []
