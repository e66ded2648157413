"""Without Java there is a message, and no attempt to start Spark."""

import pytest

from fpdb.errors import MissingPackage
from fpdb.spark.session import check_java


def test_java_is_missed_before_spark_starts(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingPackage, match="JAVA_HOME"):
        check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPackage, match="Java 17"):
        check_java()
