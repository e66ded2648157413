"""Values of options are parsed, or refused with a reason."""

from datetime import datetime

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.cli.parameters import MOMENT, LazyChoice, byte_size, hash_key, name_value
from fpdb.fingerprint import KINDS


@given(st.text(st.characters(exclude_characters="="), min_size=1), st.text())
def test_a_name_ends_at_the_first_equal_sign(name: str, value: str) -> None:
    assert name_value(f"{name}={value}") == (name, value)
    for wrong in (name, f"={value}"):
        with pytest.raises(click.BadParameter, match="is not NAME=VALUE"):
            name_value(wrong)


@given(st.integers(-(2**65), 2**65))
def test_a_key_has_64_bits_and_is_not_repeated(key: int) -> None:
    for text in (str(key), hex(key)):
        if 0 <= key < 2**64:
            assert hash_key(text) == key
        else:
            with pytest.raises(click.BadParameter) as refused:
                hash_key(text)
            assert refused.value.message == "a key is a whole number from 0 to 2^64 - 1"
    with pytest.raises(click.BadParameter, match="whole number"):
        hash_key(f"{key}x")


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("500MB", 500_000_000), ("1.5 gb", 1_500_000_000), ("2k", 2_000), ("1T", 10**12), (" 7 b ", 7)],
)
def test_a_size_may_have_a_unit(text: str, size: int) -> None:
    assert byte_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "MB", "-1", "1e9", "1..2", "1PB", "9" * 20, "nan", "0.1b"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a size, such as 500MB"):
        byte_size(text)


def test_a_choice_has_the_names_of_its_table() -> None:
    kinds = LazyChoice("fpdb.fingerprint", "KINDS", "auto")
    for name in ("auto", *KINDS):
        assert kinds.convert(name, None, None) == name
    assert kinds.get_metavar() == f"[auto|{'|'.join(KINDS)}]"
    with pytest.raises(click.BadParameter, match="there is no 'novel'; choose one of: auto, "):
        kinds.convert("novel", None, None)


def test_moments_are_days_or_times() -> None:
    assert MOMENT.convert("2026-01-31", None, None) == datetime(2026, 1, 31)
    assert MOMENT.convert("2026-01-31T09:00:01", None, None) == datetime(2026, 1, 31, 9, 0, 1)
    for wrong in ("yesterday", "31.1.2026", "2026-02-30", ""):
        with pytest.raises(click.BadParameter, match="neither a day, as 2026-01-31, nor a time"):
            MOMENT.convert(wrong, None, None)
