"""JSON Lines that commands read and print."""

import json
from typing import Any

from tests.cli.conftest import Run
from tests.cli.prose import prose


def objects(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def fill(run: Run, documents: int = 20) -> None:
    lines = (json.dumps({"name": f"d{seed}", "text": prose(seed)}) for seed in range(documents))
    run("add", "--jsonl", "-", stdin="\n".join(lines).encode())
