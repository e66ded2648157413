"""An empty file to write runs to."""

import pytest

from fpdb.storage import file_format
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment


@pytest.fixture
def env(tmp_path):
    path = str(tmp_path / "runs")
    files.new_file(path, file_format.pack_format({}), {})
    environment = Environment(path, readonly=False, timeout=1)
    yield environment
    environment.close()
