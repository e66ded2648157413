"""Command lines for Apache Spark: their rows, in no order of their own, and what a database makes of a folder."""

from typing import Any

from . import observing, running
from .recorder import Base, Recorder

NAME = "spark"
BASE = Base(("records",))
LINES = (
    "spark pairs FOLDER/records/good.jsonl --jsonl --min 0.1",
    "spark build FOLDER/records/good.jsonl FOLDER/built --jsonl --name-field name --text-field text",
    "init",
    "adopt built",
    "list --format csv",
    "pairs --format json",
    "spark pairs FOLDER/nowhere.jsonl --jsonl",
    "spark pairs FOLDER/records/good.jsonl --jsonl --format parquet",
)
"""Run one after the other in one folder: Spark has a working folder of its own, so that paths are whole."""


def run_all(recorder: Recorder) -> dict[str, Any]:
    """Return the outcome of each line."""
    recorder.begin(BASE)
    outcomes = {}
    for line in LINES:
        step = line.replace("FOLDER", str(recorder.folder))
        ended = running.run_step(step, recorder.folder, running.BEGIN, running.How.HERE)
        lines = observing.output(ended.err, recorder.folder)
        said = [words for words in lines if isinstance(words, str) and words.startswith(("fpdb:", "Error", "skipped"))]
        out = sorted(observing.output(ended.out, recorder.folder))
        outcomes[line] = {"status": ended.status, "out": out, "err": [words[:200] for words in said]}
    return outcomes
