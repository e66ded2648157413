"""Rows 6 and 7: damaged files and files that are no database neither crash a process nor change an answer."""

import gzip
import hashlib
import os
import random
import sqlite3
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import lmdb
import pytest

import fpdb
from fpdb.storage import file_format
from tests.stress.fork_server import fork_server, judge, make_database

PAGE, HEADER = 4096, 16
COMMIT = 144  # where a meta page says which commit it is of
SORTS = {1: "branches", 2: "leaves", 4: "values", 8: "meta pages"}
BESIDE = ("-lock", "-writer", "-merge")


@pytest.fixture(scope="module")
def server():
    with fork_server() as process:
        yield process


class Sample:
    """A sound database, the answers of a process that uses it, and copies to be damaged."""

    def __init__(self, folder, documents, count, *, writing=False):
        self.writing = writing
        self.path = os.path.join(folder, "sound.fpdb")
        self.copy = os.path.join(folder, "damaged.fpdb")
        make_database(self.path, documents, count)
        self.data = Path(self.path).read_bytes()
        self.pages = {sort: [] for sort in SORTS.values()}
        for number in range(len(self.data) // PAGE):
            self.pages[SORTS[self.number(number * PAGE + 10, 2)]].append(number)

    def number(self, at, length):
        return int.from_bytes(self.data[at : at + length], "little")

    def structure(self, page):
        """Return the offsets that LMDB follows in a page of a tree: header, offsets of entries, and the entries."""
        start = page * PAGE
        entries = (self.number(start + 12, 2) - HEADER) // 2
        at = list(range(start, start + HEADER + 2 * entries))
        for entry in range(entries):
            node = start + self.number(start + HEADER + 2 * entry, 2)
            big = self.number(node + 4, 2) & 3 and page in self.pages["leaves"]
            key = self.number(node + 6, 2)
            at += [*range(node, node + 8), *(range(node + 8 + key, node + 16 + key) if big else ())]
        return at

    def bit(self, rng, sort):
        """Return a bit of a sort of page, half of the time where its structure is."""
        page = rng.choice(self.pages[sort])
        if sort == "meta pages":
            at = page * PAGE + rng.randrange(152)
        elif sort == "values" or rng.random() < 0.5:
            at = page * PAGE + rng.randrange(PAGE)
        else:
            at = rng.choice(self.structure(page))
        return 8 * at + rng.randrange(8)

    def judge(self, server, damaged, *, trusting=False):
        """Return the verdict on a damaged copy, see `fork_server.judge`.

        A reader must leave the file as it is, and no file may appear beside a refused one, but for LMDB's lock, and the
        writer's, where only what LMDB reads tells the damage.
        """
        expected = self.expected(server)
        self._clear()
        Path(self.copy).write_bytes(damaged)
        said = server.use(self.copy, writing=self.writing, trusting=trusting)
        result = judge(said, expected)
        if not trusting and (result == "refused" or not self.writing):
            assert Path(self.copy).read_bytes() == damaged
        if not trusting and result == "refused":
            beside = {*os.listdir(os.path.dirname(self.copy))} - {"damaged.fpdb", "sound.fpdb"}
            assert beside <= ({"damaged.fpdb-lock", "damaged.fpdb-writer"} if "damaged.fpdb-lock" in beside else set())
        return result

    def expected(self, server):
        if not hasattr(self, "_expected"):
            Path(self.copy).write_bytes(self.data)
            self._expected = server.use(self.copy, writing=self.writing)
            assert not [answer for answer in self._expected.values() if answer.startswith("!")]
            self._clear()
        return self._expected

    def _clear(self):
        for suffix in BESIDE:
            Path(self.copy + suffix).unlink(missing_ok=True)


def words(counter):
    return ", ".join(f"{count} {word}" for word, count in sorted(counter.items()))


class Flips(NamedTuple):
    """A database, whether it is changed after a flip, and how many flips to try in short and in full."""

    documents: int
    count: int
    writing: bool
    short: int
    full: int


@pytest.mark.parametrize(
    "case",
    [
        Flips(60, 40, False, 32, 1_000),
        Flips(60, 40, True, 20, 700),
        Flips(700, 150, False, 8, 400),
        Flips(700, 150, True, 4, 200),
    ],
    ids=["small", "small, written", "larger", "larger, written"],
)
def test_a_flipped_bit_kills_nobody_and_changes_no_answer(tmp_path, server, amount, figure, case):
    rng = random.Random(case.documents + case.writing)
    sample = Sample(tmp_path, case.documents, case.count, writing=case.writing)
    seen = Counter()
    flips = amount(case.short, case.full)
    for index in range(flips):
        bit = sample.bit(rng, list(SORTS.values())[index % 4])
        damaged = bytearray(sample.data)
        damaged[bit >> 3] ^= 1 << (bit & 7)
        result = sample.judge(server, damaged)
        assert result not in ("died", "differs"), f"page {bit // 8 // PAGE}, byte {bit // 8 % PAGE}, bit {bit & 7}"
        seen[result] += 1
    what = f"{flips} bits in a file of {len(sample.data) >> 10} KiB, {'changed' if case.writing else 'read'} afterwards"
    figure(6, what, f"{words(seen)}; 0 died, 0 answers differ")


def test_lmdb_by_itself_bears_less(tmp_path, server, amount, figure):
    """The same without the examination of pages: this is what the test above would find."""
    rng = random.Random(5)
    sample = Sample(tmp_path, 60, 40)
    seen = Counter()
    for index in range(amount(24, 400)):
        damaged = bytearray(sample.data)
        bit = sample.bit(rng, list(SORTS.values())[index % 4])
        damaged[bit >> 3] ^= 1 << (bit & 7)
        seen[sample.judge(server, damaged, trusting=True)] += 1
    older = min((0, PAGE), key=lambda start: sample.number(start + COMMIT, 8))
    damaged = bytearray(sample.data)
    damaged[older + COMMIT + 1] ^= 0x40  # the commit before the last one passes for the last
    assert sample.judge(server, damaged, trusting=True) == "error"  # its commit record tells
    assert sample.judge(server, damaged) == "refused"
    figure(6, "without the examination of pages", words(seen))


# ---------------------------------------------------------------- whole pages


def cut(data, rng):
    return data[: rng.choice([rng.randrange(len(data)), rng.randrange(len(data)) & -PAGE])]


def zeroed(data, rng):
    length = rng.choice([512, PAGE, 4 * PAGE])
    return put(data, rng.randrange(len(data)) & -length, bytes(length))


def overwritten(data, rng):
    length = rng.choice([512, PAGE])
    return put(data, rng.randrange(len(data)) & -length, rng.randbytes(length))


def swapped(data, rng):
    one, other = (rng.randrange(len(data)) & -PAGE for _ in range(2))
    first, second = data[one : one + PAGE], data[other : other + PAGE]
    return put(put(data, one, second), other, first)


def duplicated(data, rng):
    """Write a page to the wrong place; in half of the cases it claims that place."""
    one, other = (rng.randrange(len(data)) & -PAGE for _ in range(2))
    page = data[one : one + PAGE]
    if rng.random() < 0.5:
        page = (other // PAGE).to_bytes(8, "little") + page[8:]
    return put(data, other, page)


def lost(data, rng):
    """Remove a page, so that all pages behind it move."""
    at = rng.randrange(len(data)) & -PAGE
    return data[:at] + data[at + PAGE :]


def put(data, at, piece):
    return (data[:at] + piece + data[at + len(piece) :])[: len(data)]


@pytest.mark.parametrize("damage", [cut, zeroed, overwritten, swapped, duplicated, lost])
def test_pages_that_are_not_as_written(tmp_path, server, amount, figure, damage):
    rng = random.Random(1)
    seen = Counter()
    times = amount(8, 120)
    for writing in (False, True):
        folder = tmp_path / f"{writing}"
        folder.mkdir()
        sample = Sample(folder, 60, 40, writing=writing)
        for _ in range(times // 2):
            state = rng.getstate()
            result = sample.judge(server, damage(sample.data, rng))
            assert result not in ("died", "differs"), (damage.__name__, writing, state)
            seen[result] += 1
    figure(7, f"{damage.__name__}, {times} times", f"{words(seen)}; 0 died, 0 answers differ")


# ---------------------------------------------------------------- files that are no database


def database(path):
    make_database(str(path), 20)


def foreign(path, **options):
    with lmdb.open(str(path), subdir=False, max_dbs=3, **options) as env:
        table = env.open_db(b"table", dupsort=True)
        with env.begin(write=True) as txn:
            for number in range(2_000):
                txn.put(b"%d" % (number % 9), b"%d" % number, db=table)
    os.unlink(f"{path}-lock")


def change_format(path, **changes):
    import msgpack

    database(path)
    with lmdb.open(str(path), subdir=False, max_dbs=4) as env, env.begin(write=True) as txn:
        record = msgpack.unpackb(txn.get(file_format.FORMAT_KEY)[file_format.CHECKSUM :])
        txn.put(file_format.FORMAT_KEY, file_format.seal(file_format.FORMAT_KEY, msgpack.packb({**record, **changes})))
    os.unlink(f"{path}-lock")


def sqlite(path):
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a)")
    connection.close()


def compressed(path):
    database(path)
    path.write_bytes(gzip.compress(path.read_bytes()))


def shifted(path):
    database(path)
    path.write_bytes(b"\n" + path.read_bytes())


def metas_only(path):
    database(path)
    os.truncate(path, 2 * PAGE)


def other_end(path):
    """Make a database of a machine that stores the high byte first."""
    database(path)
    data = path.read_bytes()
    path.write_bytes(data.replace((0xBEEFC0DE).to_bytes(4, "little"), (0xBEEFC0DE).to_bytes(4, "big")))


def readers_table(path):
    database(path)
    with fpdb.open(path, "r"):
        table = Path(f"{path}-lock").read_bytes()
    os.unlink(f"{path}-lock")
    path.write_bytes(table)


def link_to_text(path):
    path.with_name("target").write_bytes(b"A text.\n" * 2_000)
    os.symlink("target", path)


def unix_socket(path):
    import socket

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(path))


STRANGERS = {
    "a folder": (lambda path: path.mkdir(), fpdb.NotADatabase),
    "nothing": (lambda path: path.write_bytes(b""), fpdb.NotADatabase),
    "a byte": (lambda path: path.write_bytes(b"x"), fpdb.NotADatabase),
    "a text": (lambda path: path.write_bytes(b"A text.\n" * 2_000), fpdb.NotADatabase),
    "zeros": (lambda path: path.write_bytes(bytes(20_000)), fpdb.NotADatabase),
    "noise": (lambda path: path.write_bytes(random.Random(1).randbytes(20_000)), fpdb.NotADatabase),
    "a program": (
        lambda path: path.write_bytes(Path(sys.modules["lmdb.cpython"].__file__).read_bytes()),
        fpdb.NotADatabase,
    ),
    "SQLite": (sqlite, fpdb.NotADatabase),
    "a pipe": (os.mkfifo, fpdb.NotADatabase),
    "a socket": (unix_socket, fpdb.NotADatabase),
    "a link to a device": (lambda path: os.symlink("/dev/zero", path), fpdb.NotADatabase),
    "a link to a text": (link_to_text, fpdb.NotADatabase),
    "a link to itself": (lambda path: os.symlink(path.name, path), fpdb.StorageFailure),
    "LMDB of another program": (lambda path: foreign(path, lib_version=0), fpdb.NotADatabase),
    "LMDB 1.0 of another program": (lambda path: foreign(path, lib_version=1), fpdb.NotADatabase),
    "a database of another magic": (lambda path: change_format(path, magic="other"), fpdb.NotADatabase),
    "a database of a newer format": (lambda path: change_format(path, version=3), fpdb.NewerFormat),
    "a database without a recipe": (lambda path: change_format(path, recipe=None), fpdb.Corrupt),
    "a compressed database": (compressed, fpdb.NotADatabase),
    "a database behind a newline": (shifted, fpdb.NotADatabase),
    "a database's first two pages": (metas_only, fpdb.Corrupt),
    "a database of another byte order": (other_end, fpdb.NotADatabase),
    "a database's table of readers": (readers_table, fpdb.NotADatabase),
}


def look(folder):
    """Return everything in a folder, to the byte and the nanosecond."""
    found = {}
    for path in sorted(folder.iterdir()):
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else None
        found[path.name] = (content, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
    return found


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_stranger_is_refused_untouched(tmp_path, figure, stranger):
    plant, error = STRANGERS[stranger]
    path = tmp_path / "file.fpdb"
    plant(path)
    before = look(tmp_path)
    for mode in ("r", "r+", "a"):
        with pytest.raises(error) as caught:
            fpdb.open(path, mode)
        assert type(caught.value) is error
    with pytest.raises(fpdb.DatabaseExists):
        fpdb.open(path, "x")
    assert look(tmp_path) == before
    figure(7, stranger, f"{error.__name__}, untouched")


def test_what_may_not_be_read_is_refused_untouched(server, figure):
    """The superuser may read everything, so then it is another user who tries."""
    root = not os.getuid()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.fpdb")
        database(path)
        os.chmod(folder, 0o755)  # noqa: S103 - another user is to look in
        path.chmod(0o600 if root else 0)
        before = sorted(os.listdir(folder)), path.stat().st_mtime_ns
        for writing in (False, True):
            said = server.use(path, writing=writing, user=65534 if root else None)
            assert said == {"open": "!StorageFailure"}
        assert (sorted(os.listdir(folder)), path.stat().st_mtime_ns) == before
    figure(7, "a file that may not be read", "StorageFailure, untouched")
