"""Fixtures of the storage tests: databases that are checked at the end, and limits so small that all of them apply."""

import os
import shutil
import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import fpdb
from fpdb import limits
from fpdb.storage import commit, file_format, hits, sizes, store
from fpdb.storage.maintenance import copies
from fpdb.storage.runs import blocks, look_up, merge, merge_policy, scan, writer

# A quarter of what Hypothesis tries by default, so that tools/test stays short; --hypothesis-profile=default tries all.
# No deadline, nor a word on slow examples: a machine may be busy.
settings.register_profile("short", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("short")

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, in processes that tests start as well

# Beginnings of the names of tests that are to run in one process of pytest-xdist, since each process would start a
# Spark, a browser or the like of its own, or make the same files.
GROUPS = {
    "spark": ("tests/spark/", "tests/recorded/test_spark.py"),
    "browser": (
        "tests/report/test_report_browser.py",
        "tests/report/test_accessibility.py",
        "tests/browse/test_browse_browser.py",
        "tests/stress/test_crafted_documents.py::test_nothing_in_a_report_is_obeyed",
    ),
    "crowd": ("tests/search/test_pruning.py",),
    "common hashes": ("tests/search/test_first_candidates.py",),
    "forged": ("tests/stress/test_forged.py",),
}

# Those that take longest begin, so that all processes end together.
FIRST = ("tests/bench/test_bench.py", "tests/bench/test_papers.py", "tests/stress/")

SMALL = [
    (merge_policy, "SMALLEST", 16),
    (merge_policy, "AT_ONCE", 1_500),
    (merge, "PIECE", 400),
    (store, "BLOCKS_PER_SWEEP", 2),
    (writer, "POSTINGS_PER_TRANSACTION", 1_200),
    (copies, "TEXT_BYTES_PER_TRANSACTION", 100),
    (commit, "HASHES_PER_RECOUNT", 3),
    (scan, "BLOCKS_PER_PIECE", 2),
    (blocks, "BLOCKS_PER_GET", 3),
    (look_up, "HASHES_PER_LOOK_UP", 7),
    (file_format, "FENCES_PER_CHUNK", 3),
    (file_format, "POSITION_FENCES_PER_CHUNK", 2),
    (file_format, "SIZES_PER_CHUNK", 16),
    (file_format, "TEXT_PIECE", 16),
    (sizes, "SIZES_PER_CHUNK", 16),
    (hits, "COUNTED_BY_ID", 30),
]

SWITCHES = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,800",
]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):  # noqa: ARG001 (pytest tells hooks apart by the names of arguments)
    """For `-n auto`, return 1.5 times the number of processors, since a third of the time of tests is waiting."""
    return (os.cpu_count() or 1) * 3 // 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """For `--dist loadgroup`, group tests by GROUPS: the marks of pytest-xdist 3.8 make no groups under pytest 9.2."""
    if config.option.dist != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        """The largest group first, then one test after the other."""

        def _split_scope(self, nodeid):
            found = (name for name, beginnings in GROUPS.items() if nodeid.startswith(beginnings))
            return next(found, nodeid)

    return Grouped(config, log)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


@pytest.fixture(autouse=True, scope="session")
def state_folder(tmp_path_factory):
    """Keep what fpdb remembers for its user out of the folder of whoever runs the tests."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture
def small_limits(monkeypatch):
    """Set limits of a few postings for merges, transactions, pieces and chunks, so that boundaries are everywhere."""
    for module, name, value in SMALL:
        monkeypatch.setattr(module, name, value)


@pytest.fixture
def limited():
    """Return a function that sets the limits on a document, until the test ends."""
    before = limits.current()
    yield limits.set_limits
    limits.set_limits(*before)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "t.fpdb")


@pytest.fixture
def db(path):
    """Open a database that must be sound when the test ends."""
    with fpdb.open(path) as database:
        yield database
        assert database.check() == []


@pytest.fixture
def koala(tmp_path):
    """Open a database of the preset "koala", which must be sound when the test ends."""
    recipe = fpdb.Recipe.preset("koala").with_(max_df=None)
    with fpdb.open(tmp_path / "koala.fpdb", recipe=recipe) as db:
        yield db
        assert db.check() == []


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="session")
def browser():
    """Start Chromium, which logs its complaints."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for switch in SWITCHES:
        options.add_argument(switch)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()
