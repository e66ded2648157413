"""Write figures between markers of docs/design/papers.md, or of another page; the rest is written by hand."""

from collections.abc import Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "design"
PAGE = DOCS / "papers.md"
PLOTS = DOCS / "papers"


def write(name: str, markdown: str, page: Path | None = None) -> None:
    """Write Markdown between `<!-- NAME begin -->` and `<!-- NAME end -->`; raise ValueError if they are missing."""
    page = page or PAGE
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} begin -->")
    _, end, after = rest.partition(f"<!-- {name} end -->")
    if not end:
        raise ValueError(f"{page.name} has no markers for {name!r}")
    page.write_text(f"{before}{begin}\n\n{markdown.strip()}\n\n{end}{after}", encoding="utf-8")


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table with the first column aligned left and the others right."""
    rules = [":---", *["---:"] * (len(headers) - 1)]
    return "\n".join(f"| {' | '.join(str(cell) for cell in row)} |" for row in (headers, rules, *rows)) + "\n"
