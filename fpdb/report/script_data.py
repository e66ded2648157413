"""The data of a page's script: sources, rows and texts as plain values. Regions are numbers in the texts."""

from hashlib import sha256
from typing import Any

from fpdb.report.contents import PageContents, Row, ShownRegion
from fpdb.report.excerpt import AssembledText
from fpdb.report.heading import short_names


def script_data(contents: PageContents) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """Return the data of a page, and the texts that it holds by the index of their source.

    report: what tells this page from others. A source has its name, without common beginnings as well, and its state.
    A row has its sources and score, the texts of its cells, whether it can be opened, and its regions:
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
            "open": row.regions is not None,
            "evidence": row.evidence,
            "regions": [_region(region, row, texts) for region in row.regions or ()],
        }
        for number, row in contents.numbered()
    ]
    data = {
        "sides": list(contents.sides),
        "score": contents.score,
        "columns": [column.page for column in contents.columns],
        "sources": [
            {"name": source.name, "short": short.whole, "state": source.state}
            for source, short in zip(contents.sources, short_names(contents.sources), strict=True)
        ],
        "rows": rows,
    }
    data["report"] = sha256(repr(data).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return data, {index: text.data for index, text in texts.items()}


def _region(region: ShownRegion, row: Row, texts: dict[int, AssembledText]) -> list[int]:
    places: list[int] = []
    for index, interval, in_symbols in zip((row.a, row.b), region[:2], row.symbols, strict=True):
        text = None if in_symbols else texts.get(index)
        places += interval if text is None else text.interval(interval)
    return [*places, region.shared]
