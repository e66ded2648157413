"""Model a disk that loses its power: the contents of a folder that a log of calls allows at each of its entries.

What was synced is there. Of what was written since, each 512-byte sector may be there or not, independently and in any
version. The same holds for each change of a file's length, and for each change of names since the folder was synced.
A sector is never torn, and what was synced never goes: no program can cope with disks that break these promises.
"""

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

SECTOR = 512
ENTRY = struct.Struct("<IIIIQQQ")  # struct entry of shim.c
WRITE, WRITTEN, SIZE, SYNC, CREATE, LINK, UNLINK, RENAME, MARK = range(1, 10)


class Entry(NamedTuple):
    """An entry of the log: a call of one of the kinds above."""

    what: int
    inode: int
    offset: int
    length: int
    path: str
    new_path: str
    data: bytes


def read_log(data):
    """Yield the entries of a log."""
    at = 0
    while at < len(data):
        what, first, second, _, inode, offset, length = ENTRY.unpack_from(data, at)
        at += ENTRY.size
        paths = data[at : at + first].decode(), data[at + first : at + first + second].decode()
        at += first + second
        size = length if what in (WRITE, WRITTEN) else 0
        yield Entry(what, inode, offset, length, *paths, data[at : at + size])
        at += size


@dataclass(eq=False)
class FileModel:
    """A file of the model.

    durable: the synced content. pending: later writes (offset, bytes) and lengths (None, length), in order.
    """

    durable: bytearray = field(default_factory=bytearray)
    pending: list = field(default_factory=list)

    def apply(self, entry):
        """Follow an entry of this file."""
        if entry.what == SYNC:
            for change in self.pending:
                apply(self.durable, *change)
            self.pending.clear()
        elif entry.what == WRITE:
            self.pending.append((entry.offset, entry.data))
        elif entry.what == WRITTEN:  # by a write that syncs itself only; it was logged as pending before
            self.pending.remove((entry.offset, entry.data))
            apply(self.durable, entry.offset, entry.data)
        elif entry.what == SIZE:
            self.pending.append((None, entry.length))

    def survived(self, rng):
        """Return one of the contents that a loss of power may leave."""
        content = bytearray(self.durable)
        how = rng.choice(["all", "none", "beginning", "one lost", "one kept", "sectors", "sectors"])
        count = len(self.pending)
        chosen = rng.randrange(count) if count else 0
        kept = rng.choice([0.1, 0.5, 0.9])
        for number, change in enumerate(self.pending):
            whole = {
                "all": True,
                "none": False,
                "beginning": number < chosen,
                "one lost": number != chosen,
                "one kept": number == chosen,
            }.get(how)
            torn = how == "beginning" and number == chosen
            if whole or (whole is None and change[0] is None and rng.random() < kept):
                apply(content, *change)
            elif (torn or whole is None) and change[0] is not None:
                offset, data = change
                if torn:
                    apply(content, offset, data[: rng.randrange(len(data) // SECTOR + 1) * SECTOR])
                else:
                    for start in range(0, len(data), SECTOR):
                        if rng.random() < kept:
                            apply(content, offset + start, data[start : start + SECTOR])
        return content


def apply(content, offset, data):
    if offset is None:
        del content[data:]
        content.extend(bytes(data - len(content)))
    elif data:
        content.extend(bytes(max(0, offset - len(content))))
        content[offset : offset + len(data)] = data


class DiskModel:
    """A folder changed by the entries of a log. names: those that were synced; pending: later changes of names."""

    def __init__(self, folder):
        self.folder = folder
        self.names = {}
        self.pending = []
        self.by_inode = {}

    def apply(self, entry):
        """Follow one entry of the log that is no mark."""
        if entry.what == CREATE:
            self.by_inode[entry.inode] = FileModel()
        if entry.what in (CREATE, LINK):
            self.pending.append({entry.path: self.by_inode[entry.inode]})
        elif entry.what == RENAME:
            self.pending.append({entry.path: None, entry.new_path: self.by_inode[entry.inode]})
        elif entry.what == UNLINK:
            self.pending.append({entry.path: None})
        elif entry.what == SYNC and entry.inode not in self.by_inode:  # the folder itself
            for change in self.pending:
                self.names.update(change)
            self.pending.clear()
        else:
            self.by_inode[entry.inode].apply(entry)

    def survived(self, rng):
        """Return one of the folders that a loss of power may leave: {path: content}."""
        names = dict(self.names)
        how = rng.choice(["all", "none", "beginning", "some", "some"])
        end = rng.randrange(len(self.pending) + 1)
        for number, change in enumerate(self.pending):
            if how == "all" or (how == "beginning" and number < end) or (how == "some" and rng.random() < 0.5):
                names.update(change)
        contents = {}
        left = {}
        for path, file in names.items():
            if file is not None:
                if file not in contents:
                    contents[file] = file.survived(rng)
                left[path] = contents[file]
        return left
