"""The sources of a page, which get the parts of their texts that rows need as long as there is room."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, Literal

from fpdb.fingerprint.marked_symbols import MarkedSymbols
from fpdb.regions.places import SymbolPlace, TextPlace
from fpdb.regions.sources import Original, SourceDocument
from fpdb.report.contents import PageSource
from fpdb.report.display import Display
from fpdb.report.excerpt import WHOLE

KEPT: Final = 1 << 24
"""Characters of texts that stay in memory, since more rows may need them."""

COLOURED: Final = 1_000_000
"""Characters of programs whose syntax is coloured on a page."""

Role = Literal["document", "owner", "query"]


class PageSources:
    """The sources of a page in the order in which rows need them."""

    def __init__(self, room: int) -> None:
        """Begin without sources. room: bytes of texts, as they stand in the page."""
        self.sources: list[PageSource] = []
        self._index: dict[tuple[Role, str], int] = {}
        self._displays: OrderedDict[int, Display] = OrderedDict()
        self._room, self._whole, self._coloured = room, WHOLE, COLOURED

    def expect(self, documents: int) -> None:
        """Share the room among so many documents: those that are longer than their share are cut."""
        self._whole = min(WHOLE, self._room // max(documents, 1))

    def find(self, role: Role, name: str) -> int | None:
        """Return the index of a source; None if there is none yet."""
        return self._index.get((role, name))

    def add(self, role: Role, name: str, document: SourceDocument, owner: str | None = None) -> int:
        """Return the index of a source, which is added if it is new."""
        key = role, name
        if key not in self._index:
            signs = document.original and document.original.fingerprints.signs
            self._index[key] = len(self.sources)
            self.sources.append(PageSource(name, document.state, owner=owner))
            source = self.sources[-1]
            source.is_document, source.signs = role != "owner", signs.text() if signs else None
        return self._index[key]

    def hold(
        self,
        index: int,
        document: SourceDocument,
        places: Sequence[TextPlace | SymbolPlace],
        discarded: Callable[[Original], MarkedSymbols],
    ) -> list[tuple[int, int]]:
        """Return where the places of regions are shown; hold the parts of the text around them, if there is room.

        discarded: returns the symbols of a document that do not count.
        """
        intervals = [place.interval for place in places]
        if document.original is None:
            return intervals
        display = self._display(index, document.original, discarded)
        intervals = [display.locate(interval) for interval in intervals]
        source = self.sources[index]
        blocks = source.excerpt.missing(display, intervals, self._whole)
        size = sum(block.cost for block in blocks.values())
        if size <= self._room:
            self._room -= size
            source.excerpt.add(display, blocks)
        elif not source.excerpt.blocks:
            source.state = "omitted"
        return intervals

    def _display(self, index: int, original: Original, discarded: Callable[[Original], MarkedSymbols]) -> Display:
        if index not in self._displays:
            length = len(original.text.symbols.text)
            self._displays[index] = Display.of(original, discarded(original), coloured=length <= self._coloured)
            self._coloured -= min(length, self._coloured)
            while sum(len(display.text) for display in self._displays.values()) > KEPT and len(self._displays) > 2:
                self._displays.popitem(last=False)
        self._displays.move_to_end(index)
        return self._displays[index]
