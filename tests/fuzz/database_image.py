"""All that a database file holds, without checksums, to be changed; `write_image` knows how values are sealed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import lmdb
import xxhash

from fpdb.storage import file_format
from fpdb.storage.file_format import BLOCKS, CHECKSUM, FORMAT_KEY, STATE_KEY
from tests.storage.raw import reseal_commit, reseal_trees

MAIN = b""
"""The unnamed database, of which an image holds the records of fpdb."""


@dataclass
class Image:
    """The bodies of all values, by database and key, and which of them were changed; a body of None is deleted."""

    bodies: Mapping[bytes, dict[bytes, bytes]]
    changed: dict[tuple[bytes, bytes], bytes | None] = field(default_factory=dict)
    trees_fit: bool = True  # the trees of seals are made to fit the values

    def keys(self, database: bytes) -> list[bytes]:
        """Return the keys that a database had."""
        return list(self.bodies[database])

    def get(self, database: bytes, key: bytes) -> bytes:
        """Return a body as it is now, or nothing where there is none."""
        body = self.changed.get((database, key), self.bodies[database].get(key, b""))
        return b"" if body is None else body

    def put(self, database: bytes, key: bytes, body: bytes | None) -> None:
        """Change a body."""
        self.changed[database, key] = body


def read_image(path: str) -> Image:
    """Return what a file holds."""
    with lmdb.open(path, subdir=False, readonly=True, lock=False, max_dbs=9) as env, env.begin() as txn:
        bodies = {MAIN: {key: txn.get(key)[CHECKSUM:] for key in (FORMAT_KEY, STATE_KEY)}}
        for name in file_format.NAMED:
            cursor = txn.cursor(env.open_db(name, txn, create=False))
            bodies[name] = {key: value[CHECKSUM:] for key, value in cursor}
    return Image(bodies)


def write_image(image: Image, path: str) -> None:
    """Write the changes of an image to a copy of the file that it was read from, all checksums right."""
    with lmdb.open(path, subdir=False, max_dbs=9, map_size=1 << 34, lock=False) as env:
        databases = {name: env.open_db(name, create=False) for name in file_format.NAMED}
        with env.begin(write=True) as txn:
            for (name, key), body in image.changed.items():
                database = databases.get(name)
                if body is None:
                    txn.delete(key, db=database)
                else:
                    txn.put(key, seal(name, key, body), db=database)
            if image.trees_fit:
                reseal_trees(txn, databases)
            reseal_commit(txn)


def seal(database: bytes, key: bytes, body: bytes) -> bytes:
    """Return a value with its checksum."""
    block = database == BLOCKS and len(key) == 8
    seed = int.from_bytes(key, "big") if block else xxhash.xxh3_64_intdigest(key)
    return xxhash.xxh3_64_intdigest(body, seed=seed).to_bytes(CHECKSUM, "little") + body
