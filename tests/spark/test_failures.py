"""Failures of Spark are reported in one sentence."""

import pytest
from click.testing import CliRunner
from py4j.protocol import Py4JError

from fpdb.cli.program import cli
from fpdb.errors import SparkFailure
from fpdb.spark.failures import plain_errors, sentence


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("x\nModuleNotFoundError: No module named 'fpdb.spark'\ny", "fpdb.spark is not installed for the Python"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker has 3.11", "set PYSPARK_PYTHON to the same"),
        ('java.io.IOException: Cannot run program "python9": error=2', "Spark's workers have no python9"),
        ("Traceback\nfpdb.errors.Unreadable: a.jsonl: not UTF-8\n  at java", "a.jsonl: not UTF-8"),
        ("Job aborted\njava.io.IOException: No space left\n at x", "Spark failed: java.io.IOException: No space left"),
        ("  Job aborted\n at x", "Spark failed: Job aborted"),
        ("", "Spark failed: it does not say why"),
    ],
)
def test_a_sentence_says_what_is_to_be_done(message, told):
    assert told in sentence(message)
    assert "\n" not in sentence(message)
    with pytest.raises(SparkFailure) as raised, plain_errors():
        raise Py4JError(message)
    assert str(raised.value) == sentence(message)


@pytest.mark.usefixtures("spark")  # the command uses the active session
def test_a_missing_folder_is_named_in_one_line(tmp_path):
    missing = CliRunner().invoke(cli, ["spark", "pairs", str(tmp_path / "none"), "--parquet"])
    assert missing.exit_code == 1
    assert "none" in missing.stderr
    assert missing.stderr.count("\n") == 1
