"""The work of a database on Apache Spark: the same recipe, the same answers, and folders that a database adopts.

Functions on DataFrames. Nothing else of fpdb imports this package, and pyspark is needed for it alone.
"""

from importlib import import_module

from fpdb.errors import MissingPackage

try:
    for package in ("pyarrow", "pyspark"):
        import_module(package)
except ImportError as error:
    raise MissingPackage(f"fpdb.spark needs the package {error.name}: pip install 'fpdb[spark]'") from None

from fpdb.spark.building import build
from fpdb.spark.clusters import clusters
from fpdb.spark.dedup import drop_list
from fpdb.spark.documents import documents
from fpdb.spark.fingerprints import fingerprints, problems
from fpdb.spark.pairs import pairs
from fpdb.spark.session import session

__all__ = ["build", "clusters", "documents", "drop_list", "fingerprints", "pairs", "problems", "session"]
