"""The inside of a file, to be damaged: with sound checksums, where the fault is not to be in the bytes."""

from contextlib import suppress

import lmdb
import msgpack
import numpy as np

import fpdb
from fpdb.storage import file_format
from fpdb.storage.environment import commit_record
from fpdb.storage.name_table import NameTable
from fpdb.storage.records import pack_records, unpack_records
from fpdb.storage.seal_tree import SealCache, SealTree
from fpdb.storage.state import State


def reseal(txn, databases):
    """Make the trees of seals and the commit record anew, as a stranger can who changes values."""
    reseal_trees(txn, databases)
    reseal_commit(txn)


def reseal_trees(txn, databases):
    roots = []
    for tree, name in ((file_format.RECORD_SEALS, file_format.DOCUMENTS), (file_format.SIZE_SEALS, file_format.SIZES)):
        seals = SealTree(txn, databases[file_format.SEALS], tree, (), SealCache())
        for key, value in txn.cursor(databases[name]):
            if len(key) == 4:
                seals.set(file_format.parse_id_key(bytes(key)), bytes(value))
        roots.append(seals.write())
    with suppress(fpdb.Corrupt, ValueError, TypeError, LookupError):  # of a state that is missing or garbled
        values = msgpack.unpackb(file_format.unseal(file_format.STATE_KEY, txn.get(file_format.STATE_KEY)))
        values[State._fields.index("seals")] = roots
        txn.put(file_format.STATE_KEY, file_format.seal(file_format.STATE_KEY, msgpack.packb(values)))


def reseal_commit(txn):
    with suppress(fpdb.Error, TypeError):
        commit_record.write(txn, file_format.unpack_format(txn.get(file_format.FORMAT_KEY)))


class Raw:
    """The inside of a file, to be damaged."""

    def __init__(self, path, *, reseal=True):
        """Open a file; reseal: in the end, seals and the commit record are made to fit what is there."""
        self.reseal = reseal
        self.env = lmdb.open(path, subdir=False, max_dbs=6, map_size=1 << 40)
        self.databases = {name: self.env.open_db(name, create=False) for name in file_format.NAMED}

    def __enter__(self):
        self.txn = self.env.begin(write=True)
        return self

    def __exit__(self, *_):
        if self.reseal:
            reseal(self.txn, self.databases)
        self.txn.commit()
        self.env.close()

    def get(self, database, key):
        return self.txn.get(key, db=self.databases[database])

    def put(self, database, key, value):
        self.txn.put(key, value, db=self.databases[database])

    def delete(self, database, key):
        assert self.txn.delete(key, db=self.databases[database])

    def keys(self, database):
        return [bytes(key) for key in self.txn.cursor(self.databases[database]).iternext(values=False)]

    def blocks(self, run=None, column=None):
        """Keys of the blocks of a run and a column; by default of the largest run's postings."""
        state = self.state
        run = max(state.runs, key=lambda run: run.postings).number if run is None else run
        column = file_format.POSTINGS if column is None else column
        return [key for key in self.keys(file_format.BLOCKS) if file_format.parse_block_key(key)[:2] == (run, column)]

    def seal_block(self, key, body):
        self.put(file_format.BLOCKS, key, file_format.block_seal(int.from_bytes(key, "big"), body) + body)

    @property
    def state(self):
        return State.unpack(self.txn.get(file_format.STATE_KEY))

    def change_state(self, **changes):
        state = self.state._replace(**changes)  # which `pack` may refuse
        self.txn.put(file_format.STATE_KEY, file_format.seal(file_format.STATE_KEY, msgpack.packb(state)))

    def change_run(self, index, **changes):
        listed = list(self.state.runs)
        listed[index] = listed[index]._replace(**changes)
        self.change_state(runs=tuple(listed))

    def set_names(self, **ids):
        """Let names lead to documents; -1 deletes one."""
        keys = sorted((file_format.name_key(name.encode()), document) for name, document in ids.items())
        names = NameTable(self.txn, self.databases[file_format.NAMES])
        names.change([key for key, _ in keys], np.array([document for _, document in keys], np.int64))

    def group(self, document):
        key = file_format.id_key(document // file_format.RECORDS_PER_GROUP)
        return (
            key,
            unpack_records(key, self.get(file_format.DOCUMENTS, key)),
            document % file_format.RECORDS_PER_GROUP,
        )

    def record(self, document):
        _, records, at = self.group(document)
        return records[at]

    def set_record(self, document, record):
        key, records, at = self.group(document)
        records[at] = record
        self.put(file_format.DOCUMENTS, key, pack_records(key, records, 1))

    def change_record(self, document, **changes):
        self.set_record(document, self.record(document)._replace(**changes))

    def change_sizes(self, document, **changes):
        index, at = divmod(document, file_format.SIZES_PER_CHUNK)
        key = file_format.id_key(index)
        sizes = np.frombuffer(file_format.unseal_sizes(key, self.get(file_format.SIZES, key)), file_format.SIZE).copy()
        for field, value in changes.items():
            sizes[field][at] = value
        self.put(file_format.SIZES, key, file_format.seal(key, file_format.pack_sizes(sizes.tobytes())))
