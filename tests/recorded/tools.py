"""Changes of files between the commands of a case: `!cp a b`, `!rm a`, `!flip a 100`, and so on."""

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

from .adoptable import write_adoptable


def use(line: str, folder: Path) -> None:
    """Run a tool on files of a folder: its name, and its arguments."""
    name, *arguments = shlex.split(line)
    TOOLS[name](folder, *arguments)


def _copy(folder: Path, source: str, target: str) -> None:
    if (folder / source).is_dir():
        shutil.copytree(folder / source, folder / target)
    else:
        shutil.copyfile(folder / source, folder / target)


def _remove(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).unlink()


def _replace(path: Path, content: bytes) -> None:
    """Write a file anew: the one that is there may have other names."""
    mode = path.stat().st_mode
    path.unlink()
    path.write_bytes(content)
    path.chmod(mode)


def _append(folder: Path, name: str, text: str) -> None:
    _replace(folder / name, (folder / name).read_bytes() + text.encode())


def _flip(folder: Path, name: str, *places: str) -> None:
    """Turn every bit of the bytes there."""
    data = bytearray((folder / name).read_bytes())
    for place in places:
        data[int(place)] ^= 255
    _replace(folder / name, data)


def _flip_text(folder: Path, name: str, found: str) -> None:
    """Turn every bit of the first letter of all places where a text stands."""
    data = (folder / name).read_bytes()
    wanted = found.encode()
    assert wanted in data, f"{name} has no {found!r}"
    _replace(folder / name, data.replace(wanted, bytes([wanted[0] ^ 255]) + wanted[1:]))


def _substitute(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_bytes()
    assert old.encode() in text, f"{name} has no {old!r}"
    _replace(folder / name, text.replace(old.encode(), new.encode(), 1))


def _cut(folder: Path, name: str, size: str) -> None:
    _replace(folder / name, (folder / name).read_bytes()[: int(size)])


def _cut_lines(folder: Path, name: str, first: str, last: str) -> None:
    """Keep the lines from first to last, which count from 1."""
    lines = (folder / name).read_bytes().splitlines(keepends=True)
    _replace(folder / name, b"".join(lines[int(first) - 1 : int(last)]))


def _mode(folder: Path, mode: str, name: str) -> None:
    _replace(folder / name, (folder / name).read_bytes())
    (folder / name).chmod(int(mode, 8))


def _make_folder(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)


def _link(folder: Path, target: str, name: str) -> None:
    (folder / name).symlink_to(target)


def _set_version(folder: Path, name: str, version: str) -> None:
    """Make a database say that it is of another version of the format."""
    import lmdb
    import msgpack
    from xxhash import xxh3_64_intdigest

    key = b"fpdb.format"
    with lmdb.open(str(folder / name), subdir=False, max_dbs=5) as environment, environment.begin(write=True) as txn:
        record = msgpack.unpackb(txn.get(key)[8:])
        packed = msgpack.packb({**record, "version": int(version)})
        seal = xxh3_64_intdigest(packed, xxh3_64_intdigest(key))
        txn.put(key, seal.to_bytes(8, "little") + packed)


def _make_adoptable(folder: Path, export: str, name: str) -> None:
    write_adoptable((folder / export).read_bytes(), folder / name)


def _unseal(folder: Path, name: str) -> None:
    """Take the checksums out of an export, which may be without."""
    text = (folder / name).read_bytes()
    _replace(folder / name, re.sub(rb',"checksum":"[0-9a-f]{16}"', b"", text))


TOOLS: dict[str, Callable[..., None]] = {
    "cp": _copy,
    "rm": _remove,
    "append": _append,
    "flip": _flip,
    "fliptext": _flip_text,
    "sub": _substitute,
    "cut": _cut,
    "lines": _cut_lines,
    "chmod": _mode,
    "mkdir": _make_folder,
    "ln": _link,
    "version": _set_version,
    "adoptable": _make_adoptable,
    "unseal": _unseal,
}
