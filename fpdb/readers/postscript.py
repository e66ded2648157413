"""PostScript, by Ghostscript, if the machine has it: the text that it finds.

A PostScript file is a program of somebody else's. It runs without access to files, in an empty folder, with limits of
time, memory and output. There is no plain source: offsets count characters of the text that was taken out.
"""

import shutil
import subprocess
import tempfile
from typing import IO

from fpdb.errors import MissingPackage, Unreadable
from fpdb.readers.encodings import decode
from fpdb.readers.folding import fold
from fpdb.readers.symbols import Symbols

SECONDS = 60
MEMORY = 1 << 30
OUTPUT = 1 << 26

# What the document prints goes elsewhere than the text of its pages.
_COMMAND = ("-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dNOPROMPT", "-sDEVICE=txtwrite")
_OUTPUT = ("-sstdout=%stderr", "-sOutputFile=-", "-")

# A shell sets the limits, since nothing that runs between fork and exec of ours is safe beside threads. Not every
# system limits memory (-v).
_LIMITED = 'ulimit -v {memory} 2>/dev/null; ulimit -t {seconds}; ulimit -f {output}; ulimit -c 0; exec "$0" "$@"'


def read(content: bytes | str, alphabet: str = "characters", _name: str | None = None) -> Symbols:
    """The symbols of a PostScript file's text. MissingPackage: no Ghostscript. Unreadable: it fails, or takes long."""
    given = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    text, _ = decode(_take_text(given))
    return fold(text, "postscript; offsets in the text taken out", alphabet)


def _take_text(content: bytes) -> bytes:
    program = shutil.which("gs")
    if program is None:
        raise MissingPackage("Ghostscript is needed to read PostScript: install ghostscript, so that gs can be run")
    with (
        tempfile.TemporaryDirectory(prefix="fpdb-") as folder,
        tempfile.TemporaryFile() as document,
        tempfile.TemporaryFile() as text,
        tempfile.TemporaryFile() as said,
    ):
        document.write(content)
        document.seek(0)
        status = _run(program, folder, document, text, said)
        if status:
            raise Unreadable(f"Ghostscript failed: {_complaint(said)!r}" if status > 0 else _killed(status))
        text.seek(0)
        return text.read()


def _run(program: str, folder: str, document: IO[bytes], text: IO[bytes], said: IO[bytes]) -> int:
    """Ghostscript's exit status."""
    limits = _LIMITED.format(memory=MEMORY >> 10, seconds=max(int(SECONDS), 1), output=OUTPUT >> 9)
    command = ["/bin/sh", "-c", limits, program, *_COMMAND, *_OUTPUT]
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": folder, "LC_ALL": "C"}
    try:
        return subprocess.run(  # noqa: S603 (the shell is given constants and a path of ours; the document is input only)
            command, stdin=document, stdout=text, stderr=said, cwd=folder, env=environment, timeout=SECONDS, check=False
        ).returncode
    except subprocess.TimeoutExpired as error:
        raise Unreadable(f"Ghostscript took more than {SECONDS} s") from error
    except OSError as error:
        raise Unreadable(f"Ghostscript did not start: {error}") from error


def _complaint(said: IO[bytes]) -> str:
    """The line that names the error, else how what was said begins."""
    said.seek(0)
    lines = said.read(1 << 16).decode("utf-8", "replace").splitlines()
    return next((line for line in lines if line.startswith("Error:")), lines[0] if lines else "")[:200].strip()


def _killed(status: int) -> str:
    return f"Ghostscript was stopped by signal {-status}: it may take {SECONDS} s and write {OUTPUT} bytes"
