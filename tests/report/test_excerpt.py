"""The parts that are held of a text are parts of it, at the places that the script is told."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.regions.line_index import line_starts
from fpdb.report.excerpt import BLOCK, CONTEXT, Excerpt
from tests.report.rendered_page import display_of

letters = st.text(st.sampled_from("ab \n😀é\r"), max_size=40)


def unit_slice(text: str, interval: list[int]) -> str:
    units = text.encode("utf-16-le")
    return units[2 * interval[0] : 2 * interval[1]].decode("utf-16-le")


@given(st.lists(letters, min_size=1, max_size=6), st.data())
def test_what_is_asked_for_is_held_where_it_is_said_to_be(parts, data) -> None:
    text = "".join(part * (BLOCK // 20) for part in parts) + "end"
    display = display_of(text)
    bounds = st.integers(0, len(text) - 1)
    intervals = [
        (min(one, other), max(one, other) + 1)
        for one, other in data.draw(st.lists(st.tuples(bounds, bounds), max_size=3))
    ]
    held = Excerpt()
    for interval in intervals:
        held.add(display, held.missing(display, [interval], whole=0))
    assembled = held.assemble() if held.blocks else None
    for start, end in intervals:
        around = max(start - CONTEXT, 0), min(end + CONTEXT, len(text))
        assert unit_slice(assembled.data["text"], assembled.interval((start, end))) == text[start:end]
        assert unit_slice(assembled.data["text"], assembled.interval(around)) == text[slice(*around)]
        assert held.missing(display, [(start, end)], whole=0) == {}
    if assembled:
        left_out = sum(omitted for _, _, omitted in assembled.data["chunks"]) + assembled.data["after"]
        held_characters = sum(len(block.text) for block in held.blocks.values())
        assert left_out + held_characters == len(text)
        starts = line_starts(text)
        for at, line, _ in assembled.data["chunks"]:
            places = [offset for offset in range(0, len(text), BLOCK) if assembled.interval((offset, offset))[0] == at]
            assert line in [np.searchsorted(starts, offset, "right") for offset in places]


def test_a_short_text_is_held_whole_and_a_long_one_is_not() -> None:
    for length, blocks in ((9_000, 5), (90_000, 2)):
        display = display_of("x y\n" * (length // 4))
        assert len(Excerpt().missing(display, [(2000, 2100)])) == blocks


def test_parts_are_headed_also_in_the_middle() -> None:
    text = "".join(f"page {number}\n{'word ' * 300}\n" for number in range(1, 9))
    starts = [text.index(f"page {number}\n") for number in range(1, 9)]
    display = display_of(text)
    display.parts = [
        SimpleNamespace(start=start, label=f"p{at}", line=2 * at - 1) for at, start in enumerate(starts, 1)
    ]
    held = Excerpt()
    held.add(display, held.missing(display, [(8000, 8010)], whole=0))
    data = held.assemble().data
    assert [label for _, label, _ in data["parts"]] == ["p1", "p2", "p4", "p5", "p6", "p7"]
