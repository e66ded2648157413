"""The worker answers requests in order, and refuses what it cannot read."""

import io
import subprocess
import sys

import msgpack

from fpdb.readers import sandbox_worker


def frame(*request):
    packed = msgpack.packb([*request, 9, 1 << 30, 100])
    return len(packed).to_bytes(8) + packed


def test_requests_are_answered_in_order():
    requests = (
        frame("guess", ["a.py", "x = 1"]) + frame("pages", [b"no PDF", 9, 9, True]) + frame("guess", ["a.go", ""])
    )
    requests += frame("lex", ["python", b"a " * 99])
    # In a process of its own, as always: the limits on time and memory of each request are those of the process.
    worker = subprocess.run(
        [sys.executable, "-P", sandbox_worker.__file__], input=requests, stdout=subprocess.PIPE, check=True
    )
    answers = io.BytesIO(worker.stdout)
    assert answers.read(1) == sandbox_worker.READY
    received = []
    while head := answers.read(8):
        received.append(msgpack.unpackb(answers.read(int.from_bytes(head))))
    assert [result for result, _, _ in received] == ["python", None, "go", None]
    assert "not a PDF" in received[1][1]
    assert received[3][1].endswith("; at most 100 are read")
