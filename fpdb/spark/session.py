"""Find a Spark session, or start one on this machine with what fpdb needs; what is missing is said first."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from fpdb.errors import MissingPackage

LOCAL: Final = "local[*]"
SETTINGS: Final = {
    # Batches are handed to Python whole: thousands of long texts at once would not fit into memory.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    # Sizes are known only when rows are there: a document is one row, and has thousands of hashes.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "10MB",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}


def session(master: str | None = None, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return the active session; under spark-submit, the one it asks for; else start one.

    The workers of a master "local[...]" run the Python that runs this.

    Args:
        master: Of a new session; by default all processors of this machine.
        settings: Of Spark, beside SETTINGS.

    Raises:
        MissingPackage: There is no Java that Spark can use.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = SparkSession.builder.appName("fpdb")
    if not submitted():
        check_java()
        master = master or LOCAL
        builder = builder.master(master)
        if master.startswith("local"):
            os.environ["PYSPARK_PYTHON"] = sys.executable
    for name, value in {**SETTINGS, **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise MissingPackage(
            f"Spark did not start; does 'java -version' say 17 or later? (JAVA_HOME is "
            f"{os.environ.get('JAVA_HOME', 'not set')}): {error}"
        ) from error


@contextmanager
def running(master: str | None = None, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """Give a session as `session` does; one that was started for the block ends with it."""
    before = SparkSession.getActiveSession()
    spark = session(master, settings)
    try:
        yield spark
    finally:
        if before is None:
            spark.stop()


def submitted() -> bool:
    """Return True if spark-submit runs this, and knows the master."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def check_java() -> None:
    """Raise MissingPackage where no Java is found."""
    home = os.environ.get("JAVA_HOME")
    if home and not os.access(os.path.join(home, "bin", "java"), os.X_OK):
        raise MissingPackage(f"there is no Java in JAVA_HOME, {home!r}: set it to a Java 17 or later, or unset it")
    if not home and shutil.which("java") is None:
        raise MissingPackage(
            "Spark needs Java 17 or later, and there is none on the path: install it (apt-get install "
            "openjdk-17-jre-headless), or set JAVA_HOME"
        )
