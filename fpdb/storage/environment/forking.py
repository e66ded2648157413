"""Forked children leave alone what they inherit, and may open the same files anew.

LMDB's locks belong to a process, and a child has none of them. If it closed what it inherits, LMDB would free the
parent's slots in the table of readers, which both see.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

import lmdb

_open_files: WeakKeyDictionary[lmdb.Environment, tuple[object, object]] = WeakKeyDictionary()


class ThreadLock:
    """A lock between threads. It is free in a forked child, where the thread that held it does not go on."""

    def __init__(self) -> None:
        """Make a free one."""
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        """Wait for the lock, and take it."""
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        """Give the lock back."""
        self._lock.release()


def note_open(env: lmdb.Environment, identities: tuple[object, object]) -> None:
    """Note that this process has opened a file, and its table of readers, of these identities."""
    _open_files[env] = identities


def open_files() -> list[tuple[object, object]]:
    """Return the identities of the files that this process has open, and of their tables of readers."""
    return [identities for env, identities in list(_open_files.items()) if _is_open(env)]


def _is_open(env: lmdb.Environment) -> bool:
    try:
        env.max_readers()
    except lmdb.Error:
        return False
    return True


def _keep_inherited() -> None:
    """Keep a child from closing what it inherits, also at its end."""
    if not _open_files:
        return
    import ctypes

    for env in list(_open_files):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(env))
    _open_files.clear()


os.register_at_fork(after_in_child=_keep_inherited)


def _of_this_process(file_keys: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
    def keys(path: str, subdir: int) -> tuple[Any, ...]:
        return tuple((os.getpid(), *key) for key in file_keys(path, subdir))

    return keys


# lmdb refuses to open a file twice in a process, by a set of open files that a forked child inherits, and so refuses to
# open them there at all. With the process's number as a part of the keys, the set is as good as the child's own.
with suppress(ImportError):
    _guard: Any = import_module("lmdb._envid")
    _guard.env_keys = _of_this_process(_guard.env_keys)
