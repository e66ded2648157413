"""Read PostScript by Ghostscript, if the machine has it: the text that it extracts.

A PostScript file is a foreign program. It runs without access to files, in an empty folder, with limits of time, memory
and output. Offsets are indices into the extracted text.
"""

import shutil
import subprocess
import tempfile
from typing import IO

from fpdb.errors import MissingPackage, Unreadable
from fpdb.limits import MAX_POSTSCRIPT_OUTPUT, Reading, timed_reading
from fpdb.readers.encodings import decode
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.symbols import Symbols

# The document's own output goes to standard error, apart from the text of its pages.
_ARGUMENTS = (
    *("-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dNOPROMPT", "-sDEVICE=txtwrite"),
    *("-sstdout=%stderr", "-sOutputFile=-", "-"),
)

# A shell sets the limits, since Python code between fork and exec is unsafe beside threads. Not every system limits
# memory (-v).
_LIMITED = 'ulimit -v {memory} 2>/dev/null; ulimit -t {seconds}; ulimit -f {output}; ulimit -c 0; exec "$0" "$@"'


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a PostScript file's text; MissingPackage, or Unreadable if Ghostscript fails."""
    encoded = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    text, _ = decode(_extract_text(encoded))
    return fold(text, "postscript; offsets in the text taken out", alphabet, version)


def _extract_text(content: bytes) -> bytes:
    program = shutil.which("gs")
    if program is None:
        raise MissingPackage("Ghostscript is needed to read PostScript: install ghostscript, so that gs can be run")
    with (
        timed_reading() as reading,
        tempfile.TemporaryDirectory(prefix="fpdb-") as folder,
        tempfile.TemporaryFile() as document,
        tempfile.TemporaryFile() as text,
        tempfile.TemporaryFile() as errors,
    ):
        document.write(content)
        document.seek(0)
        status = _run(program, folder, (document, text, errors), reading)
        if status > 0:
            raise Unreadable(f"Ghostscript failed: {_first_error(errors)!r}")
        if status < 0:
            raise Unreadable(
                f"Ghostscript was stopped by signal {-status}: it may take {reading.limits.seconds:g} s "
                f"(see --max-seconds) and write {MAX_POSTSCRIPT_OUTPUT} bytes"
            )
        text.seek(0)
        return text.read()


def _run(program: str, folder: str, files: tuple[IO[bytes], IO[bytes], IO[bytes]], reading: Reading) -> int:
    """Run Ghostscript and return its exit status; files: of standard input, output and errors."""
    document, text, errors = files
    seconds, memory = reading.limits
    limits = _LIMITED.format(memory=memory >> 10, seconds=max(int(seconds), 1), output=MAX_POSTSCRIPT_OUTPUT >> 9)
    command = ["/bin/sh", "-c", limits, program, *_ARGUMENTS]
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": folder, "LC_ALL": "C"}
    try:
        # The shell's script is a constant with numbers in it. The document is standard input, and in no argument.
        return subprocess.run(  # noqa: S603 (a constant script with numbers)
            command,
            stdin=document,
            stdout=text,
            stderr=errors,
            cwd=folder,
            env=environment,
            timeout=seconds,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired as error:
        raise Unreadable(reading.limits.time_fault()) from error
    except OSError as error:
        raise Unreadable(f"Ghostscript did not start: {error}") from error


def _first_error(errors: IO[bytes]) -> str:
    """Return the line that names the error, else the first line."""
    errors.seek(0)
    lines = errors.read(1 << 16).decode("utf-8", "replace").splitlines()
    return next((line for line in lines if line.startswith("Error:")), lines[0] if lines else "")[:200].strip()
