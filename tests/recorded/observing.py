"""Describe outputs and files in a form that is the same on every run and good to read."""

import filecmp
import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import fpdb

OUTPUT = 6000
"""Characters of an output that is kept whole; of a longer one its beginning and a digest."""
FILE = 1500
"""The same of a file."""
BESIDE = ("-lock", "-writer", "-merge")
"""Ends of names of the files beside a database, in which there is nothing for users."""
UNSTABLE = (
    (re.compile(r" in [\d.,]+ s \([\d.]+ (?:bytes|kB|MB|GB)/s\)"), " in # s (#/s)"),
    (re.compile(r'"seconds": [\d.e-]+'), '"seconds": "#"'),
    (re.compile(r"(added,replaced[\w,]*,seconds,duplicates[\w,]*\n(?:\d+,){7})[\d.e-]+"), r"\1#"),
    (re.compile(r"\bprocess \d+"), "process #"),
    (re.compile(r'"text_file_bytes": \d+'), '"text_file_bytes": "#"'),
    (re.compile(r" kept, ([\d.]+ \w+) in [\d.]+ \w+"), r" kept, \1 in #"),
    (re.compile(r"\bpid:\[\d+\]"), "pid:[#]"),
    (re.compile(r"""(file.system(?:  |"?: ["'])|,\[\],)[\w.-]+"""), r"\1#"),
    (re.compile(r',"checksum":"[0-9a-f]{16}"'), ""),
)
"""Values that differ between runs, or between versions of packages that pack."""
OF_EVERY_PAGE = re.compile(r"<(style|script)>.*?</\1>|sha256-[\w+/=]+|<time>.*?</time>", re.DOTALL)
"""The parts of a page that say nothing of its contents: style, script, and when it was made."""


def stable(text: str, folder: Path) -> str:
    """Return the text without what is another on each run; a page without what is the same on all."""
    if text.startswith("<!DOCTYPE html>"):
        text = OF_EVERY_PAGE.sub("#", text)
    text = text.replace(str(folder), "FOLDER")
    for pattern, instead in UNSTABLE:
        text = pattern.sub(instead, text)
    return text


def output(content: bytes, folder: Path, whole: int = OUTPUT) -> Any:
    """Return what was written, as lines; of what is long, or no text, a digest and how it begins."""
    if content.startswith(b"PAR1") and content.endswith(b"PAR1"):
        rows = rows_of(content, folder)
        more = [] if sum(map(len, rows)) <= whole else [f"... of {len(rows)}: {digest(chr(10).join(rows))}"]
        return {"parquet": [line[:500] for line in rows[:4]] + more if more else rows}
    text = stable(content.decode("utf-8", "surrogateescape"), folder)
    if len(text) > whole:
        head = [line[:200] for line in text.split("\n", 8)[:8]]
        return {"length": len(text), "digest": digest(text), "head": head}
    return text.split("\n")


def rows_of(content: bytes, folder: Path) -> list[str]:
    """Return the columns of a Parquet file with their types, and its rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(content))
    columns = [f"{field.name}: {field.type}" for field in table.schema]
    rows = [json.dumps(list(row.values()), default=str) for row in table.to_pylist()]
    return [", ".join(columns), *(stable(row, folder) for row in rows)]


def digest(text: str) -> str:
    """Return a digest of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def files(folder: Path, before: Path, *, timeless: bool) -> dict[str, Any]:
    """Return what there is to see of the files that are new, or are others than before.

    Args:
        folder: What to look into.
        before: A folder that holds what this one did.
        timeless: Leave out times, since the clock was the true one.
    """
    old, new = _names(before), _names(folder)
    seen: dict[str, Any] = {name: "gone" for name in old if name not in new and not name.endswith(BESIDE)}
    for name in new:
        if name in old and (name.endswith(BESIDE) or filecmp.cmp(before / name, folder / name)):
            continue
        seen[stable(name, folder)] = file(folder / name, folder, timeless=timeless)
    return seen


def _names(folder: Path) -> list[str]:
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [str(path.relative_to(folder)) for path in found]


def file(path: Path, folder: Path, *, timeless: bool = False) -> Any:
    """Return what there is to see of a file."""
    if path.name.endswith(BESIDE):
        return "beside a database"
    if path.name.endswith(".fpdb") and path.stat().st_size > 4096:
        return database(path, folder, timeless=timeless)
    content = path.read_bytes()
    if b"\nfpdb key " in b"\n" + content[:200]:
        return f"a key, mode {path.stat().st_mode & 0o777:o}"
    if content.startswith(b'{"format":"fpdb-export"'):
        return exported(content, folder)
    return output(content, folder, FILE)


def exported(content: bytes, folder: Path) -> Any:
    """Return what there is to see of an export. Checksums are left out: they are of paths, too."""
    text = stable(content.decode(), folder)
    return {"export": text.count("\n"), "digest": digest(text), "head": [line[:300] for line in text.split("\n")[:2]]}


def database(path: Path, folder: Path, *, timeless: bool = False) -> Any:
    """Return what a database says of itself and of its documents, and a digest of its export."""
    try:
        with fpdb.open(path, "r") as db:
            info = db.info()
            recipe = json.dumps(info.pop("recipe"))
            for name in ("path", "text_file_bytes", "file_bytes", "free_bytes", "file_system", "pid_namespace"):
                info.pop(name)
            documents = [_document(document, timeless=timeless) for document in db.documents()]
            written = None if timeless else _digest_of_export(db, folder)
    except fpdb.Error as error:
        return stable(f"{type(error).__name__}: {error}", folder)
    figures = " ".join(f"{name}={value}" for name, value in info.items())
    lines = [stable(line, folder) for line in documents]
    if sum(map(len, lines)) > FILE:
        lines = [*(line[:100] for line in lines[:5]), f"... of {len(lines)}: {digest(chr(10).join(lines))}"]
    return {"info": figures, "recipe": recipe, "documents": lines, "export": written}


def _document(document: fpdb.Document, *, timeless: bool) -> str:
    told = {name: getattr(document, name) for name in sorted(document._fields)}
    named = f"{told.pop('name')!r} {told.pop('kind')}"
    told["digest"] = document.digest.hex()[:8]
    told["added"] = None if timeless else document.added.isoformat()
    told["labels"] = dict(document.labels)
    return " ".join([named, *(f"{name}={value}" for name, value in told.items() if value not in (None, {}, "", 0))])


def _digest_of_export(db: fpdb.Database, folder: Path) -> Any:
    out = io.BytesIO()
    try:
        db.export(out, texts=True)
    except fpdb.Error as error:
        return f"{type(error).__name__}: {error}".replace(str(folder), "FOLDER")
    lines = re.sub(rb'"key":"\d+"', b'"key":"#"', out.getvalue())  # which may be random
    return exported(lines, folder)["digest"]
