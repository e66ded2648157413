"""A command imports only the modules that it uses, so that it starts quickly."""

import subprocess
import sys
from pathlib import Path

import pytest

import fpdb
from tests.cli.prose import prose

QUERY_MODULES = {
    "fpdb.": "arrays arrow_table checked_calls columns database database_file documents errors fingerprint gc_control "
    "ingest limits options pairs readers recipe_record report search storage subset validation",
    "fpdb.cli.": "arguments fail_over input_options options output parameters program progress query query_arguments "
    "query_table report_options subset_options table target terminal",
    "fpdb.documents.": "document listing source_access stored_documents",
    "fpdb.fingerprint.": "_hashing _winnowing fingerprints hashing recipe rule schemes selection",
    "fpdb.ingest.": "chunks discover files first_look path_filter record_formats writable",
    "fpdb.pairs.": "comparable",
    "fpdb.readers.": "_folding folding kinds symbols",
    "fpdb.report.": "reportable",
    "fpdb.search.": "_candidates batch_query candidates first_candidates match_records options pruning "
    "query_fingerprints ranking rarity results scoring searchable searcher",
    "fpdb.storage.": "_checksums _names _records catalogue environment file_format hits key_values long_lists "
    "name_order name_table index_reader record_groups records runs seal_tree sizes snapshot sorting state store",
    "fpdb.storage.environment.": "_page_check commit_record environment failures files forking lock_files locking "
    "network open_file page_check page_format refusal",
    "fpdb.storage.runs.": "_decode _fences _probe blocks holders look_up",
}
"""By package: the modules that a query by a text imports."""

LIST_MODULES = "import atexit, sys, fpdb.cli; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "


def imported_modules(*arguments: str) -> set[str]:
    """Return the names of all modules that a command imports."""
    command = [sys.executable, "-c", f"{LIST_MODULES}fpdb.cli.main()", *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stderr.split())


def test_a_query_imports_no_other_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(prose(1, 300))
    with fpdb.open("corpus.fpdb") as db:
        db.add("b.txt", prose(1, 300))
    known = {"fpdb.cli", *(package + name for package, names in QUERY_MODULES.items() for name in names.split())}
    new = {name for name in imported_modules("query", "a.txt") if name.startswith("fpdb.")} - known
    assert not new, f"import these where they are used, or add them to the table of this test: {sorted(new)}"


def test_help_imports_nothing_below_the_command_line() -> None:
    names = {name for name in imported_modules("--help") if not name.startswith("fpdb.cli")}
    ours = {name.removeprefix("fpdb.") for name in names if name.startswith("fpdb.")}
    assert ours == {"columns", "errors", "gc_control", "limits"}
    assert names.isdisjoint({"numpy", "lmdb", "xxhash", "rich"})
