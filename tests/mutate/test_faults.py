"""The mutator plants what it says, and its list of harmless changes names lines and changes that exist."""

import ast
from pathlib import Path

import pytest

from tests.mutate.faults import faults_of, read_equivalents
from tests.mutate.run import SOURCES, kernels_with, source_files, stages_of

ROOT = Path(__file__).parents[2]

PYTHON = '''
def area(width: "int", *, deep=2, tight=True):
    """Return 1 + 1."""
    if not tight and width <= deep: raise ValueError(f"{width + 1}")
    log.append(width)
    log.last = width[deep:]
    return min(width + 1, deep)
'''
KERNEL = '''
from fpdb cimport one_1
cdef int area(int width, int deep=2) nogil:
    """Return 1 + 1."""
    cdef int i, most = 3
    for i in range(0, width):
        most += <int>(i < deep)  # 1 + 1
    if not most or width >= 0x10:
        return -1
    return min(most, width)
'''


def changes(path, source):
    """Return what each line of a source may be changed to."""
    path.write_text(source)
    changed = {}
    for fault in faults_of(str(path)):
        changed.setdefault(fault.before, set()).add(fault.after)
    return changed


def test_faults_of_python(tmp_path):
    found = changes(tmp_path / "a.py", PYTHON)
    assert found.pop('def area(width: "int", *, deep=2, tight=True):') == {
        'def area(width: "int", *, deep=1, tight=True):',
        'def area(width: "int", *, deep=3, tight=True):',
        'def area(width: "int", *, deep=4, tight=True):',
        'def area(width: "int", *, deep=2, tight=False):',
    }
    assert found.pop('if not tight and width <= deep: raise ValueError(f"{width + 1}")') == {
        'if tight and width <= deep: raise ValueError(f"{width + 1}")',
        'if not tight or width <= deep: raise ValueError(f"{width + 1}")',
        'if not tight and width < deep: raise ValueError(f"{width + 1}")',
        "if not tight and width <= deep: pass",
    }
    assert found.pop("log.append(width)") == {"pass"}
    assert found.pop("log.last = width[deep:]") == {"pass", "log.last = width[:]"}
    assert found.pop("return min(width + 1, deep)") == {
        "return max(width + 1, deep)",
        "return min(width - 1, deep)",
        "return min(width + 0, deep)",
        "return min(width + 2, deep)",
    }
    assert not found


def test_faults_of_cython(tmp_path):
    found = changes(tmp_path / "a.pyx", KERNEL)
    assert found.pop("cdef int i, most = 3") == {f"cdef int i, most = {number}" for number in (2, 4, 6)}
    assert found.pop("for i in range(0, width):") == {"for i in range(1, width):"}
    assert found.pop("most += <int>(i < deep) # 1 + 1") == {
        "most -= <int>(i < deep) # 1 + 1",
        "most += <int>(i <= deep) # 1 + 1",
        "pass # 1 + 1",
    }
    assert found.pop("if not most or width >= 0x10:") == {
        "if most or width >= 0x10:",
        "if not most and width >= 0x10:",
        "if not most or width > 0x10:",
        *(f"if not most or width >= {number}:" for number in (15, 17, 32)),
    }
    assert found.pop("return -1") == {"pass"}
    assert found.pop("return min(most, width)") == {"return max(most, width)"}
    assert not found


@pytest.mark.parametrize("package", SOURCES)
def test_every_python_fault_can_be_parsed_and_changes_the_source(package, monkeypatch):
    monkeypatch.chdir(ROOT)
    for path in source_files([package]):
        faults = faults_of(path)
        assert all(fault.before != fault.after for fault in faults)
        for fault in faults[:: 20 if path.endswith(".py") else len(faults)]:
            if path.endswith(".py"):
                assert ast.dump(ast.parse(fault.planted())) != ast.dump(ast.parse(Path(path).read_bytes()))


def test_the_harmless_changes_exist(monkeypatch):
    monkeypatch.chdir(ROOT)
    entries = list(read_equivalents())
    assert len({entry[:3] for entry in entries}) == len(entries)
    assert all(entry.why for entry in entries)
    for path in {entry.path for entry in entries}:
        possible = {(fault.before, fault.after) for fault in faults_of(path)}
        assert [entry for entry in entries if entry.path == path and entry[1:3] not in possible] == []


def test_the_tests_and_the_kernels_of_a_source(monkeypatch):
    monkeypatch.chdir(ROOT)
    own, others, whole = stages_of("fpdb/regions/tiling.py")
    assert own == ["tests/regions/test_tiling.py"]
    assert {*own, *others} == {str(path) for path in Path("tests/regions").glob("test_*.py")}
    assert "tests/test_database.py" in whole
    decoder, users, *_ = stages_of("fpdb/storage/runs/_decode.pyx")
    assert "tests/storage/runs/test_encode.py" in users
    assert stages_of("fpdb/storage/runs/_decode.pyx", near=True) == [decoder + users]
    assert kernels_with("fpdb/storage/runs/_block.pxd") == [
        f"fpdb/storage/runs/{name}.pyx" for name in ("_decode", "_encode", "_probe")
    ]
