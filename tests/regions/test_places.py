"""Places of regions, as JSON has them."""

from dataclasses import astuple, replace

from fpdb.regions.places import LABEL_NAME, MatchedRegion, PartPlace, SymbolPlace, TextPlace


def test_places_are_those_of_the_documented_json() -> None:
    text, symbols = TextPlace(3, 9, 1, 2, 4, 5), SymbolPlace(4, 6)
    assert MatchedRegion(text, symbols, 5).to_dict("query", "document") == {
        "query": {"start": 3, "end": 9, "first_line": 1, "last_line": 2, "first_column": 4, "last_column": 5},
        "document": {"first_symbol": 4, "last_symbol": 6},
        "matched_fingerprints": 5,
    }
    assert list(MatchedRegion(text, symbols, 5).to_dict()) == ["a", "b", "matched_fingerprints"]
    assert TextPlace(0, 9, 1, 9).to_dict() == TextPlace(0, 9, 1, 9, 1, 1).to_dict()  # columns count from 1


def test_parts_of_documents_are_told() -> None:
    first, last = PartPlace("sheet", 1, "", 2), PartPlace("sheet", 2, "Results", 1)
    place = TextPlace(3, 9, 2, 3, 4, 1, first, last)
    assert list(place.to_dict())[6:] == ["first_part", "last_part"]
    assert place.to_dict()["first_part"] == {"kind": "sheet", "number": 1, "line": 2}
    assert place.to_dict()["last_part"] == {"kind": "sheet", "number": 2, "name": "Results", "line": 1}
    assert place.in_words == "sheet 1, line 2:4 to sheet 2 (Results), line 1:1"
    assert replace(place, last_part=first._replace(line=4)).in_words == "sheet 1, lines 2:4-4:1"
    assert (first.label, last.label) == ("sheet 1", "sheet 2 (Results)")
    assert len(last._replace(name="x" * 99).label) == len("sheet 2 ()") + LABEL_NAME
    region = MatchedRegion(place, SymbolPlace(4, 6), 5)
    assert MatchedRegion.of(*astuple(region)).to_dict() == region.to_dict()


def test_lines_and_symbols_are_told_in_words() -> None:
    places = (TextPlace(3, 9, 1, 2, 4, 5), TextPlace(3, 9, 2, 2, 1, 6), SymbolPlace(4, 6), SymbolPlace(4, 4))
    assert [place.in_words for place in places] == ["lines 1:4-2:5", "line 2:1-6", "symbols 4-6", "symbol 4"]


def test_intervals_are_half_open() -> None:
    assert (TextPlace(3, 9, 1, 2).interval, SymbolPlace(4, 6).interval) == ((3, 9), (4, 7))
