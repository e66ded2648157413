"""The imports of every module obey the table of docs/architecture.md."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import fpdb

ROOT = Path(fpdb.__file__).parent
PAGE = ROOT.parent / "docs" / "architecture.md"
ANYTHING = {"", "__main__"}
"""The package itself, which hands out public names, and `python -m fpdb`."""
NOT_OURS = {"_replace", "_asdict", "_fields", "_make", "_jvm", "_jsc", "_exit"}
"""Of named tuples, of Spark and of `os`."""


def import_table():
    """Return what each package may import, as docs/architecture.md says."""
    table = {}
    for line in (
        PAGE.read_text("utf-8").partition("| package or module | may import |")[2].partition("\n\n")[0].splitlines()
    ):
        if line.startswith("| `"):
            names, allowed = (re.findall(r"`(\w+)`", cell) for cell in line.strip("|").split("|"))
            table |= {name: {"" if other == "fpdb" else other for other in allowed} for name in names}
    return table


MAY_IMPORT = import_table()


def module_of(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(ROOT.rglob("*.py*")) if path.suffix in (".py", ".pyx")}


def part_of(module):
    """Return the layer of a module: the name after fpdb, "" for fpdb itself."""
    return module.split(".")[1] if "." in module else ""


def statements(tree, *, at_import):
    """Yield the import statements; at_import: only those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not at_import or not is_put_off(node):
            yield from statements(node, at_import=at_import)


def is_put_off(node):
    """Return True if the body does not run when the module is imported."""
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


@cache
def imports(module, *, at_import=False):
    """Return the modules of fpdb that a module imports."""
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
    assert {part_of(module) for module in MODULES} == set(MAY_IMPORT) | ANYTHING


def test_arrows_go_down():
    """No package may import, directly or through others, one that may import it."""
    assert list(TopologicalSorter({name: others - ANYTHING for name, others in MAY_IMPORT.items()}).static_order())


@pytest.mark.parametrize("module", MODULES)
def test_parts_import_only_what_they_may(module):
    own = part_of(module)
    if own not in ANYTHING:
        allowed = MAY_IMPORT[own] | {own}
        assert {other for other in imports(module) if part_of(other) not in allowed} == set()


@pytest.mark.parametrize("module", [module for module, path in MODULES.items() if path.suffix == ".py"])
def test_no_private_name_of_another_module(module):
    """A name that begins with an underscore is used in its module alone; such a kernel, in its package."""
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    own |= {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    }
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
    }
    assert used - own - NOT_OURS == set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("fpdb"):
            private = [alias.name for alias in node.names if alias.name.startswith("_") and alias.name != "__version__"]
            assert not private or part_of(node.module) == part_of(module), ast.unparse(node)


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
        assert ("import lmdb" in text) <= (part_of(module) == "storage"), module
        assert ("unicodedata" in text) <= (part_of(module) in ("readers", "cli")), module


def test_nothing_that_is_read_is_executed():
    """No pickle, marshal, eval and the like.

    Only the worker processes of `load` read pickles: multiprocessing starts them, and sends pickles through pipes that
    nobody else has.
    """
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
                assert "multiprocessing" not in names or module == "fpdb.ingest.process_pool"
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in called, f"{module}: {name}"
                assert name not in ("np.load", "numpy.load", "os.system", "os.popen"), f"{module}: {name}"
                shell = [keyword for keyword in node.keywords if keyword.arg in ("shell", "allow_pickle")]
                assert not shell, f"{module}: {ast.unparse(node)}"
