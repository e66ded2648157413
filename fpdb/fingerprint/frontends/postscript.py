"""PostScript, by Ghostscript, if the machine has it: the text that it finds.

There is no plain source: offsets count characters of the text that was taken out.
"""

import shutil
import subprocess

from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint.frontends.decoding import decode
from fpdb.fingerprint.frontends.folding import fold
from fpdb.fingerprint.symbols import Symbols

SECONDS = 60
_COMMAND = ("-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=txtwrite", "-sOutputFile=-", "-")


def read(content: bytes | str, alphabet: str = "characters", _name: str | None = None) -> Symbols:
    """The symbols of a PostScript file's text. MissingPackage: no Ghostscript. Unreadable: it fails, or takes long."""
    given = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    text, _ = decode(_take_text(given))
    return fold(text, "postscript; offsets in the text taken out", alphabet)


def _take_text(content: bytes) -> bytes:
    program = shutil.which("gs")
    if program is None:
        raise MissingPackage("Ghostscript is needed to read PostScript: install ghostscript, so that gs can be run")
    try:
        done = subprocess.run(  # noqa: S603 (a program of this machine, told what to do; the document is its input)
            [program, *_COMMAND], input=content, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Unreadable(f"Ghostscript took more than {SECONDS} s") from error
    except OSError as error:
        raise Unreadable(f"Ghostscript did not start: {error}") from error
    if done.returncode:
        raise Unreadable(f"Ghostscript failed: {done.stdout[-200:].decode('utf-8', 'replace').strip()!r}")
    return done.stdout
