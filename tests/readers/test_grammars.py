"""Every grammar loads, and its symbols do not depend on where the program is parsed."""

import numpy as np
import pytest

from fpdb.readers import grammars
from fpdb.readers.grammars import GRAMMARS, load_grammar, tokenise
from tests.readers.listings import PYTHON


@pytest.mark.parametrize("language", GRAMMARS)
def test_grammars_load(language):
    grammar = load_grammar(language)
    assert len(grammar.symbols) == 1 << 16
    assert grammar.opaque_kinds


def test_the_sandbox_gives_the_same_tokens(monkeypatch):
    here = tokenise(PYTHON, "python")
    monkeypatch.setattr(grammars, "SMALL_SOURCE_CODE", 0)
    there = tokenise(PYTHON, "python")
    assert all(np.array_equal(mine, other) for mine, other in zip(here[:3], there[:3], strict=True))
