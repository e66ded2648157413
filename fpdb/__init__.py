"""fpdb: an embedded database of document fingerprints.

with fpdb.open("corpus.fpdb") as db:
    db.add("essay.txt", text)
    answer = db.query(other_text)
"""

import re
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# The stub lists the public names once, for type checkers and for this module. A name is imported when it is first used,
# so that `fpdb --help` need not wait for numpy and LMDB. Type checkers do not know `__loader__`, which each module has.
_STUB: str = __loader__.get_data(f"{__file__}i").decode()  # type: ignore[name-defined]
_MODULES = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as", _STUB, re.MULTILINE)}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
