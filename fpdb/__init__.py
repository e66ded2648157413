"""fpdb: an embedded database of document fingerprints.

with fpdb.open("corpus.fpdb") as db:
    db.add("essay.txt", text)
    answer = db.query(other_text)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fpdb.batch import Batch
    from fpdb.care import Findings, Loss, Repair, check, repair
    from fpdb.database import Database, import_, open
    from fpdb.documents import Document
    from fpdb.errors import (
        BadExport,
        BadFingerprints,
        BadFolder,
        BadKeyFile,
        BadLabel,
        BadName,
        BadQuery,
        BadRecipe,
        ContentChanged,
        Corrupt,
        DatabaseExists,
        Error,
        Locked,
        MissingKey,
        MissingPackage,
        NameTaken,
        NewerFormat,
        NoSuchDatabase,
        NoSuchDocument,
        NotADatabase,
        ReadOnly,
        RecipeMismatch,
        SparkFailure,
        StorageFailure,
        UnknownKind,
        Unreadable,
    )
    from fpdb.fingerprint import Fingerprints, Recipe, Rule
    from fpdb.match.answers import Answer, Match, Query
    from fpdb.match.clusters import Cluster
    from fpdb.match.dropping import Drop
    from fpdb.match.explaining import Explanation
    from fpdb.match.frequent import Frequent
    from fpdb.match.pairs import Pair
    from fpdb.match.report import Report
    from fpdb.match.spans import Span
    from fpdb.shards import Shards, open_all

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "BadExport",
    "BadFingerprints",
    "BadFolder",
    "BadKeyFile",
    "BadLabel",
    "BadName",
    "BadQuery",
    "BadRecipe",
    "Batch",
    "Cluster",
    "ContentChanged",
    "Corrupt",
    "Database",
    "DatabaseExists",
    "Document",
    "Drop",
    "Error",
    "Explanation",
    "Findings",
    "Fingerprints",
    "Frequent",
    "Locked",
    "Loss",
    "Match",
    "MissingKey",
    "MissingPackage",
    "NameTaken",
    "NewerFormat",
    "NoSuchDatabase",
    "NoSuchDocument",
    "NotADatabase",
    "Pair",
    "Query",
    "ReadOnly",
    "Recipe",
    "RecipeMismatch",
    "Repair",
    "Report",
    "Rule",
    "Shards",
    "Span",
    "SparkFailure",
    "StorageFailure",
    "UnknownKind",
    "Unreadable",
    "check",
    "import_",
    "open",
    "open_all",
    "repair",
]


# Names are looked up when they are first used, so that `fpdb --help` need not wait for numpy and LMDB.
_HOMES = {
    "fpdb.care": ("Findings", "Loss", "Repair", "check", "repair"),
    "fpdb.batch": ("Batch",),
    "fpdb.database": ("Database", "import_", "open"),
    "fpdb.documents": ("Document",),
    "fpdb.fingerprint": ("Fingerprints", "Recipe", "Rule"),
    "fpdb.match.clusters": ("Cluster",),
    "fpdb.match.dropping": ("Drop",),
    "fpdb.match.explaining": ("Explanation",),
    "fpdb.match.frequent": ("Frequent",),
    "fpdb.match.pairs": ("Pair",),
    "fpdb.match.answers": ("Answer", "Match", "Query"),
    "fpdb.match.report": ("Report",),
    "fpdb.shards": ("Shards", "open_all"),
    "fpdb.match.spans": ("Span",),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "fpdb.errors")
    value = globals()[name] = getattr(import_module(home), name)
    return value
