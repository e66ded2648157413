"""Rankings of pairs, which take their time: each is computed in a thread of its own, once, and kept."""

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fpdb.database import Database
from fpdb.errors import Error

if TYPE_CHECKING:
    from fpdb.options import PairMeasure
    from fpdb.pairs.ranking import Pair

_LOG = logging.getLogger("fpdb.browse")

LISTED: Final = 1000
"""Pairs of a ranking."""
PARTS: Final = 3
"""Pairs of documents that stand under a pair of owners."""
KEPT: Final = 8
"""Rankings that are kept."""


class RankingOptions(NamedTuple):
    """The options of a ranking, see `PairOptions`; empty for the default."""

    by: "PairMeasure"
    min: float | None = None
    owners: str = ""
    by_owner: bool = False
    names: str = ""

    def fields(self) -> dict[str, str]:
        """Return the fields of an address that stand for the options."""
        minimum = "" if self.min is None else f"{self.min:g}"
        by_owner = "1" if self.by_owner else ""
        return {"by": self.by, "min": minimum, "owners": self.owners, "by_owner": by_owner, "names": self.names}

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of `Database.pairs`."""
        given: dict[str, Any] = {name: value for name, value in self._asdict().items() if value not in (None, "")}
        return given | {"top": LISTED + 1, "document_pairs": PARTS if self.by_owner else 0}


class RankedPairs(NamedTuple):
    """Ranked pairs of one state of the database.

    more: True if there are others. notes: sentences on what was left out. at: when they were there, in UTC.
    """

    pairs: "list[Pair]"
    more: bool
    notes: list[str]
    version: tuple[int, int]
    seconds: float
    at: datetime


@dataclass(eq=False)
class Ranking:
    """A ranking that is wanted, being computed, or there.

    Attributes:
        options: Its options.
        progress: What is being done, in words.
        ranked: The pairs, once they are there; after that, until others are, those of before.
        error: Why they could not be computed.
        running: True while they are being computed.
        started: When that began, of the monotonic clock.
    """

    options: RankingOptions
    progress: str = "waiting for another comparison"
    ranked: RankedPairs | None = None
    error: str | None = None
    running: bool = False
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since it was begun."""
        return time.monotonic() - self.started

    def note_progress(self, stage: str, noun: str, done: int, total: int) -> None:
        """Note what is being done, see `Watch`."""
        self.progress = f"{stage}: {done:,} of {total:,} {noun}"


class Rankings:
    """The rankings of a database, computed one after the other; several threads may ask for them."""

    def __init__(self, db: Database) -> None:
        """Begin without any."""
        self._db = db
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._rankings: OrderedDict[RankingOptions, Ranking] = OrderedDict()

    def get(self, options: RankingOptions) -> Ranking | None:
        """Return a ranking that was begun, as it is now, or None."""
        with self._lock:
            ranking = self._rankings.get(options)
            return None if ranking is None else replace(ranking)

    def begin(self, options: RankingOptions) -> Ranking:
        """Compute a ranking in the background, unless that is being done, and return it as it is now."""
        with self._lock:
            ranking = self._rankings.setdefault(options, Ranking(options))
            self._rankings.move_to_end(options)
            while len(self._rankings) > KEPT:
                self._rankings.popitem(last=False)
            if not ranking.running:
                ranking.running, ranking.started, ranking.error = True, time.monotonic(), None
                # It ends with the program, which need not wait for it: it changes nothing.
                threading.Thread(target=self._compute, args=[ranking], daemon=True).start()
            return replace(ranking)

    def _compute(self, ranking: Ranking) -> None:
        ranked, error = None, None
        try:
            with self._turn:
                ranking.started = time.monotonic()
                ranked = _rank(self._db, ranking)
        except Error as failure:
            error = str(failure)
        except MemoryError:
            error = "this takes more memory than there is: compare fewer documents, by their names"
        except Exception:
            _LOG.exception("pairs could not be compared")
            error = "something went wrong; the terminal in which `fpdb browse` runs says more"
        with self._lock:
            ranking.ranked, ranking.error, ranking.running = ranked or ranking.ranked, error, False


def _rank(db: Database, ranking: Ranking) -> RankedPairs:
    with db.snapshot() as snapshot:
        version = snapshot.version
    results = db.pairs(watch=ranking.note_progress, **ranking.options.keywords())
    pairs = list(results)
    noun = "owner" if ranking.options.by_owner else "document"
    notes = [f"{results.ignored.text(noun)}."] if results.ignored.hashes else []
    notes += [f"{results.advice.text()}."] if results.advice else []
    notes += [f"{results.held_back.text()}."] if results.held_back.by_texts or results.held_back.unread else []
    return RankedPairs(pairs[:LISTED], len(pairs) > LISTED, notes, version, ranking.seconds, datetime.now(UTC))
