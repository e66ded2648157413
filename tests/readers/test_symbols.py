"""Symbols compute their places when asked."""

import numpy as np

from fpdb.readers.symbols import Symbols


def test_a_symbol_ends_behind_its_character_unless_told():
    values = np.zeros(2, np.uint8)
    symbols = Symbols(values, lambda: np.array([1, 4]), "note", b"abcde")
    assert (len(symbols), symbols.text, symbols.ends.tolist()) == (2, "abcde", [2, 5])
    assert Symbols(values, lambda: np.array([1, 4]), "", "é", lambda: np.array([3, 9])).ends.tolist() == [3, 9]
