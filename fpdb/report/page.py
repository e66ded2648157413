"""The page: HTML from a report's contents, all in one file, with nothing in it that a browser would fetch or obey."""

import base64
import hashlib
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from fpdb.errors import MissingPackage
from fpdb.report.contents import Limits, PageContents
from fpdb.report.drawing import distribution
from fpdb.report.escaping import escaped_json, pieces, plain
from fpdb.report.heading import meanings, short_names
from fpdb.report.script_data import script_data

if TYPE_CHECKING:
    from jinja2 import Environment

STYLES: Final = ("view.css", "page.css", "print.css")
SCRIPTS: Final = ("view.js", "review.js", "charts.js", "print.js", "page.js")


def check_packages() -> None:
    """Raise MissingPackage if pages cannot be made."""
    try:
        import_module("jinja2")
    except ImportError as error:
        raise MissingPackage("Jinja2 is needed to write a report: pip install 'fpdb[report]'") from error


def environment() -> "Environment":
    """Return the environment of this package's templates, which escapes what it is given. Raises MissingPackage."""
    check_packages()
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(read_asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"pieces": pieces, "plain": plain, "counted": counted}
    return made


def read_asset(name: str) -> str:
    """Return the text of a template, style or script of this package."""
    return files(__package__).joinpath(name).read_text("utf-8")


def render(contents: PageContents, limits: Limits) -> str:
    """Return the page. Raises MissingPackage."""
    style, script = ("".join(map(read_asset, names)) for names in (STYLES, SCRIPTS))
    data, texts = script_data(contents)
    page = (
        environment()
        .get_template("page.html")
        .render(
            contents=contents,
            limits=limits,
            style=style,
            script=script,
            policy=content_policy(style, script),
            data=escaped_json(data),
            texts=[(index, escaped_json(text)) for index, text in texts.items()],
            omitted=sum(source.state == "omitted" for source in contents.sources),
            distribution=distribution([row.score for row in contents.whole()]),
            short_names=short_names(contents.sources),
            facts=contents.facts,
            meanings=meanings(contents),
            made=contents.heading.made and contents.heading.made.astimezone().strftime("%Y-%m-%d %H:%M"),
            version=version("fpdb"),
        )
    )
    return str(page)


def counted(count: int, noun: str) -> str:
    """Return `1 pair`, `1,234 pairs`."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def content_policy(style: str, script: str) -> str:
    """Return a content security policy that allows one style and one script, and nothing else."""
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(block: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
