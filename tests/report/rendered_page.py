"""Reports, read as a browser reads them."""

import json
from html.parser import HTMLParser

import fpdb
from fpdb.fingerprint.marked_symbols import NO_MARKS, MarkedSymbols
from fpdb.regions.sources import Original
from fpdb.report.display import Display

NAMES = [
    "<img src=x onerror=alert(1)>.txt",
    "quotes\"'`&amp;.txt",
    "\u202egnp.txt",
    "</script><script>document.title='obeyed'</script>",
    "bell\x07 and byte \udce9.txt",
    "{{ contents }}{% raw %}",
]


HOSTILE = "</script><script>document.title='obeyed'</script> <!-- \u202e turned \u2028 \x07 <b onclick='x'> ]]> 😀"


def words(first: int, count: int) -> str:
    return "\n".join(f"line {n} says {n * 7919 % 1009} of {n * n}" for n in range(first, first + count)) + "\n"


class Page(HTMLParser):
    """The elements that a browser makes of a page, as far as the tests need them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.blocks: list[tuple[str, dict[str, str | None], str]] = []
        self.cells: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self.blocks.append((tag, dict(attributes), ""))
        if tag == "td":
            self.cells.append("")
        self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.inside and self.inside[-1] in ("script", "style"):
            tag, attributes, text = self.blocks[-1]
            self.blocks[-1] = tag, attributes, text + data
            return
        self.text += data
        if "td" in self.inside:
            self.cells[-1] += data

    def code(self, tag: str) -> list[str]:
        return [text for name, attributes, text in self.blocks if name == tag and "type" not in attributes]

    def data(self, name: str = "data"):
        return json.loads(next(text for _, attributes, text in self.blocks if attributes.get("id") == name))


def fill(db: fpdb.Database, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        db.add(name, text)


def pairs_page(db: fpdb.Database, texts: dict[str, str], **options) -> str:
    page = db.report(texts=lambda document: texts.get(document.name), **options)
    page.add_pairs(db.pairs())
    return page.html()


def display_of(text: str, kind: str = "text", name: str | None = None, marks: MarkedSymbols = NO_MARKS) -> Display:
    """Return what is shown of a text."""
    recipe = fpdb.Recipe.preset("code" if kind == "code" else "text")
    return Display.of(Original.of(recipe.fingerprint(text, kind, purpose="search", name=name)), marks)
