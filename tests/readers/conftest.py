"""Read PDFs; skip tests that need a missing program, which `tools/test` installs where it may, saying so if not."""

import shutil

from fpdb.fingerprint import KINDS

collect_ignore = [] if shutil.which("gs") else ["test_ghostscript.py"]


def read_pdf(pdf, version=2):
    """Return the words of a PDF, and its note."""
    symbols = KINDS["pdf"].read(bytes(pdf.output()), "characters", None, version)
    return " ".join(symbols.text.split()), symbols.note
