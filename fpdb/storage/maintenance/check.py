"""Check a store: the file's structure as an LMDB file, then its last commit, see `verifier`.

Every storage test ends in it. Reads only, and does not stop at the first fault.
"""

from collections.abc import Iterator

import lmdb.verify

from fpdb.errors import Corrupt
from fpdb.storage.environment import page_check, refusal
from fpdb.storage.maintenance.verifier import Unchecked, verify
from fpdb.storage.store import Store

STRUCTURE_TRIES = 20


def problems(store: Store) -> list[str]:
    """Return a sentence for each fault of a store."""
    return [sentence for sentence in examine(store) if not isinstance(sentence, Unchecked)]


def examine(store: Store, *, quick: bool = False) -> Iterator[str]:
    """Yield a sentence for each fault of a store, and an Unchecked for each part that could not be looked at.

    Writers wait meanwhile, unless the store is read-only.

    Args:
        store: The store.
        quick: Leave the structure out, and look at samples of what there is very much of.
    """
    try:
        with store.exclude_writers():
            faults = [] if quick else _check_structure(store.path)
            yield from faults
            if any(not isinstance(sentence, Unchecked) for sentence in faults):
                return  # LMDB itself is not to read such a file
            with store.snapshot() as snapshot:
                if quick and (fault := _find_fault(store.path, snapshot.txn.id())):
                    yield f"structure: {fault}"
                    return
                yield from verify(snapshot, quick=quick)
    except (Corrupt, lmdb.verify.VerifyError) as error:
        yield str(error)


def _find_fault(path: str, transaction: int) -> str | None:
    """Look at more pages than those that were examined when the file was opened."""
    with open(path, "rb") as file:
        return page_check.find_fault(file.fileno(), transaction, page_check.QUICK_PAGES)


def _check_structure(path: str) -> list[str]:
    """Check the file as an LMDB file; again if another process wrote meanwhile, whom a reader keeps not out."""
    for _ in range(STRUCTURE_TRIES):
        transaction = page_check.last_transaction(path)
        faults = [f"structure: {problem}" for problem in refusal.structure_problems(path)]
        if not faults or page_check.last_transaction(path) == transaction:
            return faults
    return [Unchecked("the file's structure was not looked at, since others kept writing: check when they are done")]
