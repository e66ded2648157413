"""Failures of Spark, in a sentence."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from fpdb.errors import SparkFailure

KNOWN: Final = {
    r"No module named '(fpdb[\w.]*|numpy|lmdb|xxhash|pyarrow|pandas)'": "{} is not installed for the Python that "
    "Spark's workers run: see docs/guide/spark.md on how it gets there",
    r"\[PYTHON_VERSION_MISMATCH\]": "Spark's workers run another Python than this one: set PYSPARK_PYTHON to the same",
    r"Cannot run program \"([^\"]*)\"": "Spark's workers have no {}: set PYSPARK_PYTHON to a Python that they have",
    r"fpdb\.errors\.\w+: (.*)": "{}",
}


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise SparkFailure, which says in a sentence what Spark raised."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise SparkFailure(sentence(str(error))) from error


def sentence(message: str) -> str:
    """Say what is to be done about a failure, where that is known; else what a worker raised, or the first line."""
    for pattern, advice in KNOWN.items():
        if match := re.search(pattern, message):
            return advice.format(*match.groups())
    raised = re.findall(r"^[\w.]*(?:Error|Exception): .*$", message, re.M)
    return f"Spark failed: {raised[-1] if raised else next(iter(message.strip().splitlines()), 'it does not say why')}"
