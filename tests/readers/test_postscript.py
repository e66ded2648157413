"""PostScript is read by a program in Ghostscript's place; `test_ghostscript` runs Ghostscript itself."""

import os
import stat

import pytest

from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint import KINDS


@pytest.fixture
def ghostscript(tmp_path, monkeypatch):
    """Replace Ghostscript by a program that runs a line of shell."""

    def place(line):
        program = tmp_path / "gs"
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return place


def test_postscript_is_what_ghostscript_makes_of_it(ghostscript, monkeypatch, limited):
    ghostscript('case "$*" in *-dSAFER*-sDEVICE=txtwrite*-) sed s/%!PS/Größe/ ;; esac')
    symbols = KINDS["postscript"].read(b"%!PS and more", "characters")
    assert (symbols.text, symbols.note) == ("Größe and more", "postscript; offsets in the text taken out")
    ghostscript("echo Error: no such operator >&2; exit 1")
    with pytest.raises(Unreadable, match="Ghostscript failed: 'Error: no such operator'"):
        KINDS["postscript"].read(b"%!PS", "characters")
    limited(seconds=0.2)
    ghostscript("exec sleep 9")
    with pytest.raises(Unreadable, match=r"more than 0.2 s"):
        KINDS["postscript"].read(b"%!PS", "characters")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingPackage, match="Ghostscript is needed"):
        KINDS["postscript"].read(b"%!PS", "characters")
