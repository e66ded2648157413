"""Key files: a database's secret, kept apart from it.

The database records only the secret's digest, which identifies the file; the hash key is derived from the secret.
Knows nothing of databases, and never says what is in a key file.
"""

import os
import re
import stat
from contextlib import suppress
from typing import NamedTuple

from fpdb.errors import BadKeyFile

SECRET_BYTES = 32
LARGEST_FILE = 4096
"""Bytes that are read of a file."""

_LINE = re.compile(rb"fpdb key ([0-9a-f]{%d})\n?" % (2 * SECRET_BYTES))


class FileKey(NamedTuple):
    """The key in a key file.

    Attributes:
        key: The hash key, 0 .. 2^64 - 1.
        digest: 32 hexadecimal digits that stand for the file's secret. They tell nothing of it, as it is random and has
            256 bits.
        exposed: Whether others than the owner may read or write the file.
    """

    key: int
    digest: str
    exposed: bool

    def __repr__(self) -> str:
        """Leave the key out."""
        return f"FileKey(digest={self.digest!r})"


def random_key() -> int:
    """Return a hash key that nobody knows, 0 .. 2^64 - 1."""
    return int.from_bytes(os.urandom(8), "big")


def create(path: str | os.PathLike[str]) -> FileKey:
    """Write a new secret to a new file that its owner alone may read (0600).

    Raises:
        BadKeyFile: A file exists, or it cannot be written. Nothing is left of it.
    """
    path = os.fspath(path)
    secret = os.urandom(SECRET_BYTES)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise BadKeyFile(f"there is a file at {path!r} already; a key file is never overwritten") from None
    except (OSError, ValueError) as error:
        raise BadKeyFile(f"the key file {path!r} cannot be made: {_reason(error)}") from error
    try:
        try:
            os.fchmod(file, 0o600)
            os.write(file, b"fpdb key %s\n" % secret.hex().encode())
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        with suppress(OSError):
            os.unlink(path)
        raise BadKeyFile(f"the key file {path!r} cannot be written: {_reason(error)}") from error
    return _derive(secret, exposed=False)


def read(path: str | os.PathLike[str]) -> FileKey:
    """Read the key of a file that `create` made. Raises BadKeyFile."""
    path = os.fspath(path)
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise BadKeyFile(f"{path!r} is not a regular file, and no key file")
            content = os.read(file, LARGEST_FILE)
        finally:
            os.close(file)
    except (OSError, ValueError) as error:
        raise BadKeyFile(f"the key file {path!r} cannot be read: {_reason(error)}") from error
    match = _LINE.fullmatch(content)
    if match is None:
        raise BadKeyFile(f"{path!r} is no key file, or is damaged; 'fpdb init --key-file' makes one")
    return _derive(bytes.fromhex(match[1].decode()), exposed=bool(status.st_mode & 0o077))


def _derive(secret: bytes, *, exposed: bool) -> FileKey:
    """Derive key and digest, as docs/design/file-format.md says."""
    import hashlib

    key = hashlib.blake2b(secret, digest_size=8, person=b"fpdb hash key").digest()
    digest = hashlib.blake2b(secret, digest_size=16, person=b"fpdb key digest").hexdigest()
    return FileKey(int.from_bytes(key), digest, exposed)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
