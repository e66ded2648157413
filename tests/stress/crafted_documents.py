"""Documents made to do harm, as files: to take memory or time, to write elsewhere, or to run scripts."""

import io
import json
import zipfile

import numpy as np

from fpdb.fingerprint import DEFAULT_KEY, Recipe
from fpdb.fingerprint.hashing import GOLDEN, derive
from fpdb.readers.folding import fold_character
from tests import crafted_archives as crafted

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_LAUGHS = "".join(f'<!ENTITY {to} "{(chr(38) + of + ";") * 50}">' for of, to in ("bc", "cd", "de"))
ENTITIES = f'<!DOCTYPE a [<!ENTITY b "{"b" * 50}">{_LAUGHS}<!ENTITY f SYSTEM "file:///etc/passwd">]>'
ESCAPES = "\x1b[2J\x1b]0;title\x07\u202e[bold red]"
SCRIPTS = (
    "</script><script>document.title='obeyed'</script>",
    "<img src=x onerror=\"document.title='obeyed'\">",
    "\"' onmouseover=\"document.title='obeyed'\" autofocus onfocus=\"document.title='obeyed'\" x='",
    "javascript:document.title='obeyed'",
    "{{ 7 * 7 }}{% raw %}<!--<script>]]></style><svg onload=\"document.title='obeyed'\">",
    "\u2028\u2029\ufeff\u202e&lt;script&gt;document.title='obeyed'&lt;/script&gt;",
)


def office(part: str, xml: str) -> bytes:
    """Return an office document of one part."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(part, xml)
    return out.getvalue()


def word(body: str) -> bytes:
    return office("word/document.xml", f'<w:document xmlns:w="{WORD}">{body}</w:document>')


def nested(levels: int) -> dict[str, bytes]:
    """Return documents whose elements are nested too deeply."""
    source = {"cells": [{"source": "a"}]}
    brackets = {name: opening * levels + closing * levels for name, opening, closing in (
        ("py", "(", ")"), ("c", "{", "}"), ("js", "[", "]"), ("kt", "{", "}"), ("json5", "[", "]"), ("java", "(", ")"),
    )}  # fmt: skip
    return {
        "deep.html": b"<div>" * levels + b"text" + b"</div>" * levels,
        "deep.docx": word("<w:p>" * levels + "</w:p>" * levels),
        "deep.ipynb": b'{"cells":' + b"[" * levels + b"]" * levels + b"}",
        "deep-source.ipynb": json.dumps(source).replace('"a"', "[" * levels + "]" * levels).encode(),
        "deep.zip": crafted.zipped(("d/" * levels + "x.txt", b"text")),
        "deep.tar": crafted.tarred(("d/" * min(levels, 100) + "x.txt", b"text")),
        "archives.gz": crafted.gzips(20),
        **{f"deep.{name}": text.encode() for name, text in brackets.items()},
    }


def slow(size: int) -> dict[str, bytes]:
    """Return documents that careless readers take quadratic time for, or more."""
    return {
        "name.html": b"&" + b"a" * size,
        "number.html": b"&#" + b"9" * size + b"; &#x" + b"f" * size,
        "open.html": b"<a " * (size // 3),
        "quotes.html": b"<a b='" * (size // 6),
        "scripts.html": b"<script>" + b"</script" * (size // 8),
        "comments.html": b"<!--" * (size // 4),
        "comments": b"<!---->" * 580 + b"x",
        "semicolons.py": b";" * size,
        "dashes.hs": b"-" * size,
        "lines": b"#!\n" + b"\n" * min(size, 20_000),
        "braces.unknown": b"#!/usr/bin/kotlin\n" + b"{" * min(size, 20_000),
        "quotes.kt": b'"' * min(size, 100_000),
        "attribute.docx": word(f'<a x="{"y" * 64 * size}"/>'),
        "comment.docx": word(f"<!--{'y' * 64 * size}-->"),
        "attributes.docx": word("<a " + " ".join(f"a{number}=''" for number in range(size)) + "/>"),
        "entities.docx": office("word/document.xml", f"{ENTITIES}<a>&e;</a>"),
        "outside.docx": office("word/document.xml", f"{ENTITIES}<a>&f;</a>"),
        "entities.odt": office("content.xml", f"{ENTITIES}<a>&e;</a>"),
        "inflates.docx": word("<w:p><w:r><w:t>" + "a " * (80 * size) + "</w:t></w:r></w:p>"),
        "number.ipynb": b'{"cells": [{"source": ' + b"9" * size + b"}]}",
        "marks.txt": "e\u0301".encode() + "\u0301".encode() * size,
        "ligatures.txt": "\ufdfa".encode() * size,
        "not-utf-8.txt": bytes(range(128, 256)) * (size // 128),
        "pages.pdf": b"%PDF-1.4\n1 0 obj<</Type/Pages/Kids[1 0 R]/Count 99999999>>endobj trailer<</Root 1 0 R>>",
        "loop.ps": b"%!PS\n{} loop",
    }


@np.errstate(over="ignore")
def selected_throughout(length: int) -> str:
    """Return a text of which winnowing with the default key selects nearly every k-gram.

    The hashes of its k-grams descend, so that each is the least of the window that it ends. Letters are found one by
    one, with the key, by the formulas of `fpdb.fingerprint.hashing`.
    """
    recipe = Recipe.preset("text")
    k, hashing = recipe.rule_for("text")[1].k, derive(DEFAULT_KEY, "characters")
    codes = (code for code in range(0x4E00, 0xA000) if fold_character(chr(code)) == chr(code))
    letters = np.fromiter(codes, np.uint64)
    spread = mixed(np.uint64(hashing.spread) + letters * np.uint64(GOLDEN))
    base, power = np.uint64(hashing.base), np.uint64(pow(hashing.base, k, 1 << 64))
    text = list(range(k - 1))
    rolling = np.uint64(0)
    for at in text:
        rolling = (rolling + spread[at]) * base
    last = np.uint64(2**64 - 1)
    while len(text) < length:
        sums = (rolling + spread) * base
        hashes = (sums ^ (sums >> np.uint64(32))) * np.uint64(hashing.multiplier)
        hashes ^= hashes >> np.uint64(32)
        below = np.where(hashes < last, hashes, np.uint64(0))
        chosen = int(np.argmax(below if below.any() else hashes))
        last = hashes[chosen]
        text.append(chosen)
        rolling = sums[chosen] - spread[text[-k]] * power
    return "".join(chr(int(letters[at])) for at in text)


def mixed(x: np.ndarray) -> np.ndarray:
    """Mix bits by the finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
