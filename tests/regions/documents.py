"""Documents for tests of regions, and what a query says of them."""

import numpy as np

SEPARATORS = ["\n", "\r\n", "\r", " ", "\t", "\f", "\v", "\x85", "\u2028", "\u2029", "", ", "]


def words(seed, count):
    """Words of no meaning in lower case; other seeds share no passage."""
    rng = np.random.default_rng(seed)
    return ["".join(map(chr, rng.integers(97, 123, rng.integers(2, 9)))) for _ in range(count)]


def folded(text):
    return "".join(filter(str.isalnum, text.casefold()))


def add(db, tmp_path, name, text):
    """Add a document whose source is a file, which may be read."""
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    path = tmp_path / name
    path.write_bytes(content)
    db.add(name, content, source=str(path))
    db.remember_sources([path])
    return path


def match_of(db, content, **options):
    (match,) = db.query(content, regions=True, **options).matches
    return match


def plain_line(text, index):
    """Return the line of a character, counted from the first one."""
    line, at = 1, 0
    while at < index:
        if text[at] == "\n" or (text[at] == "\r" and text[at + 1 : at + 2] != "\n"):
            line += 1
        at += 1
    return line
