"""Places of regions, as JSON has them."""

from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace


def test_places_are_those_of_the_documented_json() -> None:
    text, symbols = TextPlace(3, 9, 1, 2, 4, 5), SymbolPlace(4, 6)
    assert MatchedRegion(text, symbols, 5).to_dict("query", "document") == {
        "query": {"start": 3, "end": 9, "first_line": 1, "last_line": 2, "first_column": 4, "last_column": 5},
        "document": {"first_symbol": 4, "last_symbol": 6},
        "shared": 5,
    }
    assert list(MatchedRegion(text, symbols, 5).to_dict()) == ["a", "b", "shared"]


def test_intervals_are_half_open() -> None:
    assert (TextPlace(3, 9, 1, 2).interval, SymbolPlace(4, 6).interval) == ((3, 9), (4, 7))
