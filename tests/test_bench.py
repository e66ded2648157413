"""The benchmark runs, and its menu holds what it says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHEAP = ("kernel", "code-pairs", "storage", "query", "add-one")
TARGETS = {
    "kernel": 1,
    "add-python": 1,
    "keep-text": 1,
    "code-pairs": 2,
    "ingest": 2,
    "storage": 2,
    "query": 2,
    "add-one": 1,
    "cli-query": 1,
}


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_menu_names_every_workload_with_its_target_and_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.run import MENU

    done = bench("--help")
    assert done.returncode == 0, done.stderr
    assert set(MENU) == set(TARGETS)
    for name, workload in MENU.items():
        assert f"\n  {name}\n" in done.stdout
        assert callable(workload)
        assert "Target: " in (workload.__doc__ or ""), name
        assert "Limit: " in (workload.__doc__ or ""), name


def test_an_unknown_workload_is_refused() -> None:
    done = bench("nothing")
    assert done.returncode == 2
    assert "choose from" in done.stderr


def test_a_quick_run_prints_and_keeps_its_figures(tmp_path: Path) -> None:
    done = bench("--quick", "--results", str(tmp_path), *CHEAP)
    assert done.returncode == 0, done.stderr
    (written,) = tmp_path.glob("*-quick.json")
    figures = json.loads(written.read_text("utf-8"))["figures"]
    assert written.with_suffix(".md").exists()
    for name in CHEAP:
        mine = [figure for figure in figures if figure["workload"] == name]
        assert sum(figure["target"] is not None for figure in mine) == TARGETS[name]
        for figure in mine:
            assert figure["value"] > 0
            assert figure["figure"] in done.stdout
