"""The server needs its packages and a port that is free."""

import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import fpdb
from fpdb.browse.server import check_packages
from fpdb.cli.program import cli


def test_a_port_that_is_taken_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fpdb.open("t.fpdb").close()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(cli, ["--db", "t.fpdb", "browse", "--no-open", "--port", port])
    assert (result.exit_code, result.output) == (
        1,
        f"fpdb: port {port} cannot be used: Address already in use; give another one, or none\n",
    )


@pytest.mark.parametrize("package", ["jinja2", "waitress", "werkzeug"])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(fpdb.MissingPackage, match=rf"{package} is needed to browse: pip install 'fpdb\[browse\]'"):
        check_packages()
