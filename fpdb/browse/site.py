"""The site: what all pages of one `fpdb browse` share."""

import os
from dataclasses import dataclass, field

from fpdb.browse.html import Templates
from fpdb.browse.queries import KeptQueries
from fpdb.browse.rankings import Rankings
from fpdb.browse.reviews import Reviews
from fpdb.database import Database
from fpdb.limits import MAX_UPLOAD_BYTES


@dataclass
class Site:
    """An open database and what is kept between requests; several threads may use it.

    reviews: None if none are kept.
    """

    db: Database
    reviews: Reviews | None = None
    queries: KeptQueries = field(default_factory=KeptQueries)
    rankings: Rankings = field(init=False)
    templates: Templates = field(init=False)

    def __post_init__(self) -> None:
        """Load the templates."""
        self.rankings = Rankings(self.db)
        name = os.path.basename(self.db.path)
        self.templates = Templates(database=name, max_upload=MAX_UPLOAD_BYTES)
