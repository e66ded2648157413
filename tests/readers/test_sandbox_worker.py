"""The worker answers requests in order, and refuses what it cannot read."""

import io

import msgpack

from fpdb.readers import sandbox_worker


def frame(*request):
    packed = msgpack.packb(request)
    return len(packed).to_bytes(8) + packed


def test_requests_are_answered_in_order():
    requests = frame("guess", ["a.py", "x = 1"]) + frame("pages", [b"no PDF"]) + frame("guess", ["a.go", ""])
    answers = io.BytesIO()
    sandbox_worker.serve(io.BytesIO(requests), answers)
    answers.seek(0)
    assert answers.read(1) == sandbox_worker.READY
    received = []
    while head := answers.read(8):
        received.append(msgpack.unpackb(answers.read(int.from_bytes(head))))
    assert [result for result, _ in received] == ["python", None, "go"]
    assert "not a PDF" in received[1][1]
