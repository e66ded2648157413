"""The commit record: it ties a transaction to the file that was opened, and to the state that was committed last.

A file that was overwritten in place, a page that holds an older content than was written last, a lock file of another
file: each gives a transaction whose number, file or state is not the one that is sealed in its record.
"""

import lmdb

from fpdb.storage import file_format
from fpdb.storage.file_format import FormatRecord


def is_expected(txn: lmdb.Transaction, format_record: FormatRecord, transaction: int) -> bool:
    """Return True if what a transaction sees was committed under this number, to the file of this format record."""
    if format_record.version == 1:  # such files have no commit record
        value = txn.get(file_format.FORMAT_KEY)
        return value is not None and file_format.unpack_format(value) == format_record
    return bool(txn.get(file_format.COMMIT_KEY) == _record(txn, format_record, transaction))


def write(txn: lmdb.Transaction, format_record: FormatRecord) -> None:
    """Write the commit record, as the last change of a write transaction."""
    txn.put(file_format.COMMIT_KEY, _record(txn, format_record, txn.id()))


def _record(txn: lmdb.Transaction, format_record: FormatRecord, transaction: int) -> bytes:
    state = txn.get(file_format.STATE_KEY)
    return file_format.pack_commit(format_record.file_id, transaction, b"" if state is None else state)
