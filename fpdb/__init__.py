"""fpdb: an embedded database of document fingerprints.

with fpdb.open("corpus.fpdb") as db:
    db.add("essay.txt", text)
    answer = db.query(other_text)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from fpdb.ingest.batch import WriteBatch
    from fpdb.maintenance import Findings, Loss, Repair, check, repair
    from fpdb.multi_database import MultiDatabase, open_all
    from fpdb.pairs.clusters import Cluster
    from fpdb.pairs.common_passages import CommonPassage
    from fpdb.pairs.dedup import Drop
    from fpdb.pairs.explanation import Explanation
    from fpdb.pairs.ranking import Pair
    from fpdb.pairs.spans import Span
    from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace
    from fpdb.report.report import Report
    from fpdb.search.results import Answer, Match, Query

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
    "Cluster",
    "CommonPassage",
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
    "Locked",
    "Loss",
    "Match",
    "MatchedRegion",
    "MissingKey",
    "MissingPackage",
    "MultiDatabase",
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
    "Span",
    "SparkFailure",
    "StorageFailure",
    "SymbolPlace",
    "TextPlace",
    "UnknownKind",
    "Unreadable",
    "WriteBatch",
    "check",
    "import_",
    "open",
    "open_all",
    "repair",
]


# Names are looked up when they are first used, so that `fpdb --help` need not wait for numpy and LMDB.
_HOMES = {
    "fpdb.maintenance": ("Findings", "Loss", "Repair", "check", "repair"),
    "fpdb.ingest.batch": ("WriteBatch",),
    "fpdb.database": ("Database", "import_", "open"),
    "fpdb.documents": ("Document",),
    "fpdb.fingerprint": ("Fingerprints", "Recipe", "Rule"),
    "fpdb.pairs.clusters": ("Cluster",),
    "fpdb.pairs.dedup": ("Drop",),
    "fpdb.pairs.explanation": ("Explanation",),
    "fpdb.pairs.common_passages": ("CommonPassage",),
    "fpdb.pairs.ranking": ("Pair",),
    "fpdb.search.results": ("Answer", "Match", "Query"),
    "fpdb.regions.places": ("MatchedRegion", "SymbolPlace", "TextPlace"),
    "fpdb.report.report": ("Report",),
    "fpdb.multi_database": ("MultiDatabase", "open_all"),
    "fpdb.pairs.spans": ("Span",),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "fpdb.errors")
    value = globals()[name] = getattr(import_module(home), name)
    return value
