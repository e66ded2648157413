"""The output of `fpdb spark` is as it was recorded; skipped where there is no Java, unless FPDB_NEED_JAVA is set.

With FPDB_RECORD_SPARK=1, this test records it anew.
"""

import os
import shutil
import sys
from collections.abc import Iterator

import pytest

from .recorder import Recorder, differences, load, save
from .spark_lines import NAME, run_all

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.buffer.pageSize": "1m",
    "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than a few documents
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.session.timeZone": "UTC",
    "spark.log.level": "ERROR",
}


@pytest.fixture(scope="module")
def session() -> Iterator[None]:
    """Run Spark for these tests, unless it runs already."""
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        if os.environ.get("FPDB_NEED_JAVA"):
            pytest.fail("there is no Java")
        pytest.skip("there is no Java")
    from pyspark.sql import SparkSession

    if SparkSession.getActiveSession() is not None:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local[2]")
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        started = builder.getOrCreate()
        yield
        started.stop()


@pytest.mark.usefixtures("session")
def test_spark_is_as_recorded() -> None:
    recorder = Recorder()
    try:
        found = run_all(recorder)
    finally:
        recorder.close()
    if os.environ.get("FPDB_RECORD_SPARK"):  # it is not recorded with the others, since it takes a Spark
        save(NAME, found)
    told = differences(load(NAME), found)
    if told:
        pytest.fail("\n".join(["not as recorded", *told]), pytrace=False)
