"""fpdb: an embedded database of document fingerprints.

with fpdb.open("corpus.fpdb") as db:
    db.add("essay.txt", text)
    answer = db.query(other_text)
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# A name is imported when it is first used, so that `fpdb --help` need not wait for numpy and LMDB. For type checkers,
# `__init__.pyi` imports the same names; a test compares the two.
_NAMES = {
    "fpdb.database": "Database import_ open",
    "fpdb.documents.document": "Document",
    "fpdb.errors": "BadArgument BadExport BadFingerprints BadFolder BadKeyFile BadLabel BadName BadQuery BadRecipe "
    "ContentChanged Corrupt DatabaseExists Error Locked MissingKey MissingPackage NameTaken "
    "NewerFormat NoSuchDatabase NoSuchDocument NotADatabase ReadOnly RecipeMismatch SparkFailure "
    "StorageFailure UnknownKind Unreadable",
    "fpdb.fingerprint": "Fingerprints Recipe Rule",
    "fpdb.ingest.batch": "WriteBatch",
    "fpdb.limits": "set_limits",
    "fpdb.maintenance": "Findings Loss Repair check repair",
    "fpdb.multi_database": "MultiDatabase open_all",
    "fpdb.pairs.clusters": "Cluster",
    "fpdb.pairs.common_passages": "CommonPassage",
    "fpdb.pairs.dedup": "Drop",
    "fpdb.pairs.explanation": "Explanation",
    "fpdb.pairs.ranking": "Pair",
    "fpdb.pairs.results": "IgnoredHashes Results",
    "fpdb.pairs.spans": "Span",
    "fpdb.publication": "publish",
    "fpdb.regions.places": "MatchedRegion PartPlace SymbolPlace TextPlace",
    "fpdb.report.report": "Report",
    "fpdb.search.results": "Answer Match Query",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
