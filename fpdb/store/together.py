"""Several stores' commits read as one that holds all of their documents: what a query asks of a `Snapshot`.

The documents of each store have its ids plus those of all stores before it, so that they stand in order and everything
that goes by ids, sorted, goes on as it is. Boilerplate of any store is boilerplate for all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import Error
from fpdb.store import commits, layout
from fpdb.store.catalogue import Catalogue
from fpdb.store.layout import Record, Run, State
from fpdb.store.runs import Postings
from fpdb.store.snapshot import Hits, Snapshot
from fpdb.store.texts import KeptText, Texts
