"""Symbols of tokens are the same in every process."""

import subprocess
import sys

from fpdb.readers.tokens import token_symbol


def test_a_symbol_is_the_same_in_every_process():
    program = (
        "from fpdb.fingerprint import KINDS; print(KINDS['code'].read('if (a) b();', 'tokens', 'a.c').values.tolist())"
    )
    expected = [token_symbol(token) for token in ["if", "(", " identifier", ")", " identifier", "(", ")", ";"]]
    for seed in "12":
        done = subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        )
        assert done.stdout.decode().strip() == str(expected)
    assert expected[0] == 2907257092
