"""The inside of a file, to be damaged: with sound checksums, where the fault is not to be in the bytes."""

import lmdb
import numpy as np

from fpdb.store import layout
from fpdb.store.layout import State


class Raw:
    """The inside of a file, to be damaged."""

    def __init__(self, path):
        self.env = lmdb.open(path, subdir=False, max_dbs=5, map_size=1 << 40)
        self.databases = {name: self.env.open_db(name, create=False) for name in layout.NAMED}

    def __enter__(self):
        self.txn = self.env.begin(write=True)
        return self

    def __exit__(self, *_):
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
        column = layout.POSTINGS if column is None else column
        return [key for key in self.keys(layout.BLOCKS) if layout.parse_block_key(key)[:2] == (run, column)]

    def seal_block(self, key, body):
        self.put(layout.BLOCKS, key, layout.block_seal(int.from_bytes(key, "big"), body) + body)

    @property
    def state(self):
        return State.unpack(self.txn.get(layout.STATE_KEY))

    def change_state(self, **changes):
        self.txn.put(layout.STATE_KEY, self.state._replace(**changes).pack())

    def change_run(self, index, **changes):
        listed = list(self.state.runs)
        listed[index] = listed[index]._replace(**changes)
        self.change_state(runs=tuple(listed))

    def group(self, document):
        key = layout.id_key(document // layout.RECORDS_PER_GROUP)
        return key, layout.unpack_records(key, self.get(layout.DOCUMENTS, key)), document % layout.RECORDS_PER_GROUP

    def record(self, document):
        _, records, at = self.group(document)
        return records[at]

    def set_record(self, document, record):
        key, records, at = self.group(document)
        records[at] = record
        self.put(layout.DOCUMENTS, key, layout.pack_records(key, records, 1))

    def change_record(self, document, **changes):
        self.set_record(document, self.record(document)._replace(**changes))

    def change_sizes(self, document, **changes):
        index, at = divmod(document, layout.SIZES_PER_CHUNK)
        key = layout.id_key(index)
        sizes = np.frombuffer(layout.unseal(key, self.get(layout.SIZES, key)), layout.SIZE).copy()
        for field, value in changes.items():
            sizes[field][at] = value
        self.put(layout.SIZES, key, layout.pack_array(key, sizes))
