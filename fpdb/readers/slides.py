"""Read presentations of PowerPoint (pptx): the text of the slides, in order, each with its notes.

Offsets are indices into the extracted text, which has a line for each paragraph.
"""

from fpdb.limits import timed_reading
from fpdb.readers.extracted_text import ExtractedText
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.office import CHOICE, OfficeFormat, take_text
from fpdb.readers.relationships import find_related, list_referred
from fpdb.readers.symbols import Symbols
from fpdb.readers.xml import has_member, open_archive

_DRAWINGS = (
    "http://schemas.openxmlformats.org/drawingml/2006/main",
    "http://purl.oclc.org/ooxml/drawingml/main",
)
SLIDE = OfficeFormat(
    "a PowerPoint presentation (pptx)",
    ("ppt/presentation.xml",),
    frozenset(f"{space} t" for space in _DRAWINGS),
    frozenset({f"{CHOICE} Fallback", *(f"{space} fld" for space in _DRAWINGS)}),  # fields: numbers of slides, dates
    {f"{space} {element}": "\n" for space in _DRAWINGS for element in ("p", "br")},
    "slide",
)


def read_pptx(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a presentation; Unreadable if it is none, damaged or too large."""
    with timed_reading() as reading, open_archive(content, SLIDE.what) as archive:
        text = ExtractedText(reading, SLIDE.part)
        for slide, _ in list_referred(archive, SLIDE.members[0], "sldId", reading):
            text.begin_part()
            take_text(archive, slide, SLIDE, text, reading)
            for relationship in find_related(archive, slide, reading).values():
                if relationship.type == "notesSlide" and has_member(archive, relationship.member):
                    take_text(archive, relationship.member, SLIDE, text, reading)
    return text.fold("pptx", alphabet, version)
