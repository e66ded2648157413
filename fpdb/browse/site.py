"""The site: what all pages of one `fpdb browse` share, templates and addresses among it.

In templates everything is escaped, and in addresses names survive whatever they are.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from jinja2 import ChoiceLoader, Environment, FunctionLoader, PackageLoader, StrictUndefined
from werkzeug.wrappers import Request, Response

from fpdb.browse.queries import KeptQueries
from fpdb.browse.rankings import Rankings
from fpdb.columns import MATCH, PAIR
from fpdb.database import Database
from fpdb.limits import MAX_UPLOAD_BYTES
from fpdb.pairs.reviews import Reviews
from fpdb.report.escaping import escaped_json, pieces
from fpdb.report.page import counted, read_asset

MATCH_COLUMNS: Final = tuple(column for column in MATCH if column.page and column.name != "regions")
PAIR_COLUMNS: Final = tuple(column for column in PAIR if column.page and not column.group)
MAX_FIELDS: Final = 20
"""Fields of an address."""


class Templates:
    """The templates of all pages."""

    def __init__(self, **shared: Any) -> None:
        """Load them; shared: values that all of them have."""
        self._environment = Environment(
            loader=ChoiceLoader([PackageLoader("fpdb.browse"), FunctionLoader(read_asset)]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {
            "pieces": pieces,
            "counted": counted,
            "json": escaped_json,
            "percent": lambda share: "" if share is None else f"{share:.1%}",
            "heading": lambda text: text[:1].upper() + text[1:],
            "moment": moment_text,
            "line": lambda text: " ".join(text.split()),
        }
        self._environment.globals |= {
            "link": link,
            "match_columns": MATCH_COLUMNS,
            "pair_columns": PAIR_COLUMNS,
            **shared,
        }

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        text = self._environment.get_template(template).render(values)
        return Response(text.encode("utf-8", "replace"), status, content_type="text/html; charset=utf-8")


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


def link(path: str, **fields: str | int | None) -> str:
    """Return an address on this server; fields that are None or empty are left out."""
    given = {name: value for name, value in fields.items() if value not in (None, "")}
    return f"{path}?{urlencode(given, errors='surrogateescape')}" if given else path


def fields_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a request's address, bytes that are not UTF-8 as `link` wrote them. Raises ValueError."""
    query = request.environ.get("QUERY_STRING", "")
    fields = parse_qs(query, keep_blank_values=True, errors="surrogateescape", max_num_fields=MAX_FIELDS)
    return {name: values[0] for name, values in fields.items()}


def moment_text(moment: datetime) -> str:
    """Return a time as this machine's clocks show it."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
