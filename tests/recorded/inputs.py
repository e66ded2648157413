"""The files that cases work on: what there is, and how it is made."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from . import containers
from .programs import program
from .texts import FOOTER, edited, essay, paragraph

KEY_LINE = f"fpdb key {'5e' * 32}\n"
OTHER_KEY_LINE = f"fpdb key {'c3' * 32}\n"


def _essays() -> dict[str, str]:
    return {
        "essays/ann.txt": essay(1, 2, 3, footer=True),
        "essays/bob.txt": essay(2, 4, 3, footer=True),
        "essays/carl.txt": essay(5, 1, 6, footer=True),
        "essays/dora.txt": essay(7, 8, 9, footer=True),
        "essays/emma.txt": edited(essay(7, 8, 9), 5),
        "essays/finn.txt": essay(10, 11),
        "essays/deep/gus.txt": essay(12, 10, 13).upper(),
        "essays/deep/hal.md": essay(14, 15, 16, footer=True),
        "essays/empty.txt": "",
        "essays/short.txt": "Too short.\n",
        "template.txt": FOOTER + "\n" + paragraph(90),
        "draft.txt": essay(20, 2, 21, 10, footer=True),
        "other.txt": essay(30, 31),
        "own.txt": essay(1, 2, 3, footer=True),
    }


def _programs() -> dict[str, str]:
    found = {
        "programs/tools.py": program("py", 1, 2, 3),
        "programs/renamed.py": program("py", 2, 1, 3, names=7).replace("    ", "\t"),
        "programs/apart.py": program("py", 4, 5, 6),
        "programs/tools.c": program("c", 1, 2, 3, 4),
        "programs/copy.c": program("c", 5, 2, 3, names=8),
        "programs/noname": "#!/usr/bin/env python3\n" + program("py", 1, 7),
        "new.py": program("py", 8, 2, 3, names=9),
    }
    for language in ("cpp", "cs", "go", "java", "js", "rb", "sql", "ts"):
        found[f"programs/more.{language}"] = program(language, 1, 2, 3)
    return found


def _kinds() -> dict[str, bytes]:
    accents = essay(40, 41).replace("e", "é").replace("Later", "Später")
    return {
        "kinds/page.html": containers.page(essay(1, 42)),
        "kinds/paper.pdf": containers.pdf(essay(43, 2)),
        "kinds/letter.docx": containers.docx(essay(44, 3)),
        "kinds/letter.odt": containers.odt(essay(44, 5)),
        "kinds/work.ipynb": containers.notebook(essay(45), program("py", 1, 2)),
        "kinds/latin.txt": accents.encode("latin-1"),
        "kinds/wide.txt": accents.encode("utf-16"),
        "kinds/marked.txt": b"\xef\xbb\xbf" + accents.encode(),
        "kinds/greek.txt": ("Ο φύλακας της γέφυρας μέτρησε τα βαρέλια πριν έρθει ο χειμώνας. " * 4).encode(),
        "kinds/bytes.bin": bytes(range(256)) * 8,
        "paper.ps": containers.postscript(essay(46)),
    }


def _archives() -> dict[str, bytes]:
    inner = containers.zipped({"one.txt": essay(50), "two/page.html": containers.page(essay(51, 2))})
    members: dict[str, bytes | str] = {
        "ann/essay.txt": essay(1, 52),
        "ann/tool.py": program("py", 1, 2),
        "bob/../essay.txt": essay(53, 3),
        "same.txt": essay(54),
        "binary.bin": bytes(range(256)),
        "inner.zip": inner,
    }
    tar = containers.tarred(members)
    return {
        "archives/all.zip": containers.zipped(members),
        "archives/all.tar": tar,
        "archives/all.tgz": containers.gzipped(tar),
        "archives/essay.txt.gz": containers.gzipped(essay(1, 55).encode()),
        "archives/essay.txt.bz2": containers.bzipped(essay(2, 56).encode()),
        "archives/tool.c.xz": containers.xzipped(program("c", 1, 2).encode()),
        "archives/cut.zip": containers.zipped(members)[:-40],
        "archives/cut.tgz": containers.gzipped(tar)[:5000],
    }


def _records() -> dict[str, bytes]:
    rows = [
        {"name": "r1", "text": essay(60, 61), "meta": {"url": "http://u:p@example.org/1"}, "lang": "en"},
        {"id": 2, "text": essay(62, 61), "lang": "de", "labels": {"owner": "x"}, "contact": "the clerk"},
        {"text": essay(63), "kind": "text", "source": "shelf 3"},
        {"name": "page", "text": containers.page(essay(64, 60)).decode(), "kind": "html"},
    ]
    wrong = [
        rows[0],
        b'{"name": "cut", "text": ',
        {"name": "no text", "content": "x"},
        {"name": "nothing", "text": None},
        {"name": "number", "text": 5},
        b"",
        {"name": "r1", "text": essay(65)},
        {"name": ["a"], "text": essay(66)},
        {"name": "kind", "text": "x", "kind": "poem"},
        b"[1, 2]",
        {"name": "last", "text": essay(67)},
    ]
    named = [{"doc": f"d{n}", "content": essay(60 + n), "n": n, "ok": n % 2 == 0} for n in range(3)]
    plain = [{"name": f"p{n}", "text": essay(60 + n, 68), "lang": "en" if n else None} for n in range(4)]
    return {
        "records/good.jsonl": containers.json_lines(rows),
        "records/more/named.ndjson": containers.json_lines(named),
        "records/packed.jsonl.gz": containers.gzipped(containers.json_lines(rows)),
        "wrong.jsonl": containers.json_lines(wrong),
        "tables/plain.parquet": containers.parquet(plain),
        "tables/named.parquet": containers.parquet(named),
        "new.jsonl": containers.json_lines([{"name": "q1", "text": essay(1, 61)}, {"name": "q2", "text": essay(8)}]),
        "not.parquet": b"PAR1 and no more",
    }


FILES: dict[str, Callable[[], Mapping[str, str | bytes]]] = {
    "essays": _essays,
    "programs": _programs,
    "kinds": _kinds,
    "archives": _archives,
    "records": _records,
    "keys": lambda: {
        "secret.key": KEY_LINE,
        "other.key": OTHER_KEY_LINE,
        "open.key": KEY_LINE,
        "bad.key": "fpdb key 12\n",
    },
    "stubs": lambda: {
        f"stubs/{name}/{name}.py": f"raise ModuleNotFoundError('no {name} here', name='{name}')\n"
        for name in ("pyarrow", "zstandard", "jinja2", "tree_sitter")
    },
}
"""Sorts of files, and what makes those of each."""


def write_files(folder: Path, *sorts: str) -> None:
    """Write the files of these sorts into a folder."""
    for sort in sorts:
        for name, content in FILES[sort]().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            path.chmod(0o600 if name.endswith(".key") and name != "open.key" else 0o644)
            os.utime(path, (1_700_000_000, 1_700_000_000))
