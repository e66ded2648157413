"""Which part may import which: the table of docs/architecture.md, held against the imports of every module."""

import ast
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import fpdb

ROOT = Path(fpdb.__file__).parent
MAY_IMPORT = {
    "errors": set(),
    "keys": {"errors"},
    "addresses": set(),
    "collecting": set(),
    "archives": set(),
    "fingerprint": {"errors"},
    "store": {"errors", "collecting"},
    "match": {"errors", "collecting", "store", "fingerprint", "archives"},
    "batch": {"errors", "addresses", "fingerprint", "store"},
    "transfer": {"errors", "fingerprint", "store", "batch"},
    "takeover": {"errors", "addresses", "store", "transfer"},
    "adoption": {"errors", "keys", "fingerprint", "store", "takeover"},
    "documents": {"match", "store"},
    "questions": {"errors", "fingerprint", "store", "match", "batch", "documents"},
    "database": {
        *("errors", "keys", "fingerprint", "store", "match", "batch", "archives", "transfer", "takeover", "adoption"),
        *("documents", "questions"),
    },
    "shards": {"errors", "store", "match", "database", "documents", "questions"},
    "care": {"errors", "fingerprint", "keys", "store"},
    "load": {
        *("errors", "collecting", "addresses", "fingerprint", "archives", "match", "database", "documents", "shards"),
        "batch",
    },
    "spark": {"errors", "addresses", "fingerprint", "store", "match", "database", "load", ""},
    "cli": {"errors", "collecting", "keys", "fingerprint", "load", "database", "batch", "spark", ""},
    "": {"errors", "fingerprint", "match", "database", "documents", "shards", "batch", "care"},
    "__main__": {"cli"},
}
HANDED_OUT = {"fpdb.batch", "fpdb.match.answers", "fpdb.fingerprint", "fpdb.errors", "fpdb.database"}


def module_of(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(ROOT.rglob("*.py*")) if path.suffix in (".py", ".pyx")}


def part_of(module):
    """The layer a module belongs to: the name after fpdb, "" for fpdb itself."""
    return module.split(".")[1] if "." in module else ""


def statements(tree, *, at_import):
    """The import statements; at_import: only those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not at_import or not is_put_off(node):
            yield from statements(node, at_import=at_import)


def is_put_off(node):
    """Whether what is inside does not run when the module is imported."""
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


@cache
def imports(module, *, at_import=False):
    """The modules of fpdb that a module imports."""
    path = MODULES[module]
    text = path.read_text("utf-8")
    if path.suffix == ".pyx":  # Cython is not Python; its imports are lines of their own
        text = "\n".join(
            line for line in text.splitlines() if line.startswith(("import ", "from ")) and "cimport" not in line
        )
    found = set()
    for node in statements(ast.parse(text), at_import=at_import):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            assert node.level == 0, f"{module} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            while name not in MODULES and "." in name:
                name = name.rpartition(".")[0]
            if name in MODULES:
                found.add(name)
    return found


def test_every_part_is_in_the_table():
    assert {part_of(module) for module in MODULES} == set(MAY_IMPORT)


@pytest.mark.parametrize("module", MODULES)
def test_parts_import_only_what_they_may(module):
    own = part_of(module)
    allowed = MAY_IMPORT[own] | {own}
    assert {other for other in imports(module) if part_of(other) not in allowed} == set()


def test_store_and_fingerprint_never_meet():
    reached = defaultdict(set)
    for start in MODULES:
        todo = [start]
        while todo:
            module = todo.pop()
            if module not in reached[start]:
                reached[start].add(module)
                todo += imports(module)
    for module, others in reached.items():
        parts = {part_of(other) for other in others}
        if part_of(module) == "store":
            assert parts <= {"store", "errors", "collecting"}
        if part_of(module) == "fingerprint":
            assert parts <= {"fingerprint", "errors"}


def test_outer_parts_use_no_inside_of_inner_ones():
    for module in MODULES:
        if part_of(module) in ("cli", "load"):
            inner = {
                other for other in imports(module) if part_of(other) in ("database", "match", "fingerprint", "errors")
            }
            assert inner <= HANDED_OUT, module


def test_no_import_goes_round():
    packages = {module: {other for other in imports(module, at_import=True) if other != module} for module in MODULES}
    # A package's __init__ runs before its modules, so that what it imports does not count against them.
    order = {
        module: {other for other in others if not module.startswith(f"{other}.")} for module, others in packages.items()
    }
    assert set(TopologicalSorter(order).static_order()) == set(MODULES)


def test_only_the_store_knows_lmdb_and_only_fingerprint_knows_characters():
    for module, path in MODULES.items():
        text = path.read_text("utf-8")
        assert ("import lmdb" in text) <= (part_of(module) == "store"), module
        assert ("unicodedata" in text) <= (part_of(module) in ("fingerprint", "cli")), module


def test_nothing_that_is_read_is_executed():
    """No pickle, marshal, eval and the like. The worker processes of `load`, which multiprocessing starts and sends
    pickles to, through pipes that nobody else has, are the only ones to read any."""
    risky = {"pickle", "marshal", "shelve", "dill", "joblib", "copyreg", "yaml", "jsonpickle"}
    called = {"eval", "exec", "compile", "__import__"}
    for module, path in MODULES.items():
        if path.suffix == ".pyx":
            assert not any(word in path.read_text("utf-8") for word in risky), module
            continue
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
                assert risky.isdisjoint(name.split(".")[0] for name in names), module
                assert "multiprocessing" not in names or module == "fpdb.load.crews"
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in called, f"{module}: {name}"
                assert name not in ("np.load", "numpy.load", "os.system", "os.popen"), f"{module}: {name}"
                shell = [keyword for keyword in node.keywords if keyword.arg in ("shell", "allow_pickle")]
                assert not shell, f"{module}: {ast.unparse(node)}"
