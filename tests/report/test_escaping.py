"""JSON in a script is what it was, and ends no element."""

import json
import re

import pytest

from fpdb.report.escaping import escaped_json
from tests.report.rendered_page import HOSTILE


@pytest.mark.parametrize(
    "text", [HOSTILE, "\ud83d\ude00 \udce9", "\u2029\ufeff\u200f", "".join(map(chr, range(0x300)))]
)
def test_json_in_a_script_comes_back_and_ends_nothing(text: str) -> None:
    escaped = escaped_json(text)
    assert not re.search("[<>&\u2028\u2029\u202e\ud800-\udfff]", escaped)
    assert json.loads(escaped) == json.loads(json.dumps(text))
