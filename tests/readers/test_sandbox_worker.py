"""The worker answers requests in order, and refuses what it cannot read."""

import io

import msgpack

from fpdb.readers import sandbox_worker


def frame(*request):
    packed = msgpack.packb([*request, 9, 1 << 30, 100])
    return len(packed).to_bytes(8) + packed


def test_requests_are_answered_in_order():
    requests = frame("guess", ["a.py", "x = 1"]) + frame("pages", [b"no PDF", 9, 9]) + frame("guess", ["a.go", ""])
    requests += frame("lex", ["python", b"a " * 99])
    answers = io.BytesIO()
    sandbox_worker.serve(io.BytesIO(requests), answers)
    answers.seek(0)
    assert answers.read(1) == sandbox_worker.READY
    received = []
    while head := answers.read(8):
        received.append(msgpack.unpackb(answers.read(int.from_bytes(head))))
    assert [result for result, _, _ in received] == ["python", None, "go", None]
    assert "not a PDF" in received[1][1]
    assert received[3][1].endswith("; at most 100 are read")
