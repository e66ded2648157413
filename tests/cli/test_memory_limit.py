"""Memory is limited for databases from somebody else, and for them only."""

import resource
import subprocess
import sys
from pathlib import Path

from fpdb.cli.memory_limit import FACTOR, FIXED, limited_memory
from tests.cli.prose import prose

LIMITED = """
import sys
from fpdb.cli import main, memory_limit
memory_limit.FIXED = 150_000_000
main()
"""


def test_the_limit_grows_with_the_files_and_is_lifted(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1000)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with limited_memory([str(tmp_path / "a"), str(tmp_path / "none")]):
        assert resource.getrlimit(resource.RLIMIT_DATA) == (FIXED + FACTOR * 1000, before[1])
        with limited_memory([]):
            assert resource.getrlimit(resource.RLIMIT_DATA)[0] == FIXED
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_too_little_memory_is_said(folder: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", LIMITED, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    (folder / "a.txt").write_text(prose(1))
    (folder / "large.txt").write_text(prose(2) * 8_000)
    assert run("add", "a.txt").returncode == 0
    assert run("--foreign", "query", "a.txt", "--include-self").stdout.count("a.txt") == 2
    result = run("--foreign", "query", "large.txt")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "fpdb: this takes more memory than --foreign allows for a database of this size\n"
