"""Row 5: out of memory, a change raises MemoryError or an error of fpdb's, loses nothing, and can be repeated."""

import importlib.util

import pytest

from tests.stress.shim import run_program

NAMES = {
    "python": "allocations of Python that failed",
    "native": "calls of malloc and mmap that failed",
    "space": "limits of address space (RLIMIT_AS)",
}
TYPED = {"raised MemoryError", "raised StorageFailure", "raised Locked"}
# numpy, threading, or Python's parser that lost the MemoryError; imports that are made when they are needed
OF_LIBRARIES = {f"raised {name}" for name in ("SystemError", "RuntimeError", "SyntaxError", "ValueError", "OSError")}


@pytest.mark.parametrize("what", NAMES)
def test_memory_may_run_out_anywhere(what, amount, figure):
    if what == "python" and importlib.util.find_spec("_testcapi") is None:
        pytest.skip("this Python comes without _testcapi")
    *remarks, total = run_program("out_of_memory", what, 1, amount(1, 40))
    assert [remark for remark in remarks if "bad" in remark] == []
    assert [remark for remark in remarks if "unusable" in remark] == []
    assert "hung" not in total
    raised = {name for name in total if name.startswith("raised ")}
    assert raised & TYPED
    assert raised <= TYPED | OF_LIBRARIES
    apart = {name.removeprefix("raised "): total[name] for name in sorted(raised & OF_LIBRARIES)}
    apart |= {name: count for name, count in total.items() if name.startswith("signal")}
    typed = sum(total.get(name, 0) for name in TYPED)
    ended = f"{total['tries']}, {typed} of them an error, 0 files damaged"
    if apart:
        ended += "; of Python and its libraries: " + ", ".join(f"{count} {name}" for name, count in apart.items())
    figure(5, NAMES[what], ended)


def test_a_sound_file_is_not_called_damaged_for_want_of_memory(amount, figure):
    """A numpy number without memory for a comparison is unequal to all others, without an error."""
    if importlib.util.find_spec("_testcapi") is None:
        pytest.skip("this Python comes without _testcapi")
    *remarks, total = run_program("out_of_memory", "look", 1, amount(12, 2_000))
    assert remarks == []
    assert total["failed"] > total["tries"] / 2
    what = "allocations of Python that failed while a sound file was looked at"
    figure(5, what, f"{total['tries']}, no damage found")
