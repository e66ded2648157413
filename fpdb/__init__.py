"""fpdb: an embedded database of document fingerprints.

with fpdb.open("corpus.fpdb") as db:
    db.add("essay.txt", text)
    answer = db.query(other_text)
"""

from fpdb.database import Batch, Database, Document, open
from fpdb.errors import (
    BadFingerprints,
    BadName,
    BadQuery,
    BadRecipe,
    Corrupt,
    DatabaseExists,
    Error,
    Locked,
    NewerFormat,
    NoSuchDatabase,
    NoSuchDocument,
    NotADatabase,
    ReadOnly,
    RecipeMismatch,
    StorageFailure,
    UnknownKind,
    Unreadable,
)
from fpdb.fingerprint import Fingerprints, Recipe, Rule
from fpdb.match.queries import Answer, Match, Query

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "BadFingerprints",
    "BadName",
    "BadQuery",
    "BadRecipe",
    "Batch",
    "Corrupt",
    "Database",
    "DatabaseExists",
    "Document",
    "Error",
    "Fingerprints",
    "Locked",
    "Match",
    "NewerFormat",
    "NoSuchDatabase",
    "NoSuchDocument",
    "NotADatabase",
    "Query",
    "ReadOnly",
    "Recipe",
    "RecipeMismatch",
    "Rule",
    "StorageFailure",
    "UnknownKind",
    "Unreadable",
    "open",
]
