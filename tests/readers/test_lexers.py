"""Every lexer of Pygments gives tokens with places in the text."""

import numpy as np
from pygments.lexers import get_all_lexers

from fpdb.readers import lexers

STRINGS = [
    'x = "a ${b} \'c\' `d` /*e*/ # f\n"""g\n\'\'\' ${} "" \'\' `` // \\ <a b=""> $',
    ":${a: 1, 'b'\n end",
    "<a b= ",
    '"',
]


def test_no_lexer_has_symbols_without_a_character():
    """Whatever a language takes for strings, for strings in them, and for their ends."""
    for _, aliases, _, _ in get_all_lexers():
        for text in STRINGS if aliases else []:
            _, starts, ends, _ = lexers.tokenise(text, aliases[0])
            assert np.all(starts < ends), aliases
            assert not len(ends) or ends.max() <= len(text), aliases
