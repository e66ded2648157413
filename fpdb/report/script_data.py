"""What the script of a page reads: sources, rows and texts as plain values. Regions are numbers in the texts."""

from typing import Any

from fpdb.report.contents import Contents, PageSource, Row, ShownRegion
from fpdb.report.excerpt import AssembledText


def script_data(contents: Contents) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """Return the data of a page, and the texts that it holds by the index of their source.

    A source has its name and state. A row has its sources and score, the texts of its cells, and its regions:
    [start a, end a, start b, end b, shared]. These count UTF-16 code units of the text that is held, -1 for what
    is left out of it; of a text that is not there, they count characters, or symbols. See `AssembledText` for texts.
    """
    texts = {index: source.excerpt.assemble() for index, source in enumerate(contents.sources) if source.excerpt.blocks}
    rows = [
        {
            "number": number,
            "a": row.a,
            "b": row.b,
            "score": round(row.score, 6),
            "values": [column.text(value) for column, value in zip(contents.columns, row.values, strict=False)],
            "symbols": list(row.symbols),
            "regions": [_region(region, row, texts) for region in row.regions or ()],
        }
        for number, row in contents.numbered()
    ]
    data = {
        "sides": list(contents.sides),
        "score": contents.score,
        "columns": [column.page for column in contents.columns],
        "sources": [_source(source) for source in contents.sources],
        "rows": rows,
    }
    return data, {index: text.data for index, text in texts.items()}


def _source(source: PageSource) -> dict[str, Any]:
    return {"name": source.name, "state": source.state} | ({"owner": source.owner} if source.owner is not None else {})


def _region(region: ShownRegion, row: Row, texts: dict[int, AssembledText]) -> list[int]:
    places: list[int] = []
    for index, interval, in_symbols in zip((row.a, row.b), region[:2], row.symbols, strict=True):
        text = None if in_symbols else texts.get(index)
        places += interval if text is None else text.interval(interval)
    return [*places, region.shared]
