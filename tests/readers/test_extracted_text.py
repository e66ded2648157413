"""The parts of a document, such as slides, are found in the text that is taken out of it."""

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS
from fpdb.limits import timed_reading
from fpdb.readers.extracted_text import ExtractedText
from fpdb.readers.kinds import detect_kind
from tests.readers import essays

PARAGRAPHS = essays.essay(9)
NAMES = {
    "essay.odp": ("slide", None),
    "essay.pptx": ("slide", None),
    "essay.ods": ("sheet", "Part {number}"),
    "essay.xlsx": ("sheet", "Part {number}"),
    "essay.epub": ("chapter", "{heading}"),
    "essay.fb2": ("chapter", "{heading}"),
    "essay.ipynb": ("cell", None),
    "old.ipynb": ("cell", None),
}


@pytest.mark.parametrize("name", NAMES)
def test_each_paragraph_is_in_its_part(name):
    kind, part_name = NAMES[name]
    symbols = KINDS[detect_kind(name, b"")].read(essays.FORMS[name](PARAGRAPHS), "characters")
    parts, text = symbols.parts, symbols.text
    assert parts.kind == kind
    for number, paragraph in enumerate(PARAGRAPHS, 1):
        end = parts.starts[number] if number < len(parts.starts) else len(text)
        shown = text[parts.starts[number - 1] : end]
        assert "".join(filter(str.isalnum, shown)) == "".join(filter(str.isalnum, paragraph))
        if part_name:
            assert parts.names[number - 1] == part_name.format(number=number, heading=paragraph[:9])


def test_the_first_part_has_what_is_written_before():
    with timed_reading() as reading:
        text = ExtractedText(reading, "slide")
        for piece in ("before", None, "first", None, None, "third"):
            if piece is None:
                text.begin_part()
            else:
                text.write(piece)
    symbols = text.fold("a kind", "characters")
    assert symbols.text == "beforefirst\nthird"
    assert symbols.parts == ("slide", [0, 12, 12], ())
    assert symbols.note == "a kind, 3 slides; offsets in the text taken out"


def test_too_much_text_is_refused(limited):
    limited(memory=1600)
    with pytest.raises(Unreadable, match="--max-memory"), timed_reading() as reading:
        ExtractedText(reading).write("a" * 101)
