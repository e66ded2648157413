"""The public names of fpdb: those that type checkers see, each in the module that defines it."""

import re
from importlib import import_module
from pathlib import Path

import fpdb


def test_the_stub_imports_the_same_names_from_the_same_modules():
    stub = Path(fpdb.__file__).with_suffix(".pyi").read_text()
    imports = re.findall(r"^from (\S+) import (\w+) as (\w+)$", stub, re.MULTILINE)
    assert sorted(name for _, name, _ in imports) == fpdb.__all__
    for module, name, public in imports:
        assert name == public
        assert getattr(fpdb, name) is getattr(import_module(module), name)
