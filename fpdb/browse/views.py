"""The pages: a function each, from a request to a response."""

from typing import Final

from werkzeug.exceptions import BadRequest, Gone
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from fpdb.browse.catalogue import languages_of, read_page
from fpdb.browse.queries import PASTED, Found, ask, ask_by_hashes, view_match
from fpdb.browse.site import Site, fields_of
from fpdb.errors import ContentChanged, Unreadable
from fpdb.readers.languages import LANGUAGES
from fpdb.report.recipe_words import recipe_words
from fpdb.search.query_fingerprints import QueryDocument

_LANGUAGES: Final = {
    name: language.extensions.split()[0] for name, language in LANGUAGES.items() if language.extensions
}
"""The extension of each language."""
_PASTED_PROGRAMS: Final = frozenset(f"pasted.{extension}" for extension in _LANGUAGES.values())
_MOST_LANGUAGES: Final = 5
"""In which a pasted text is tried."""


def home(site: Site, _request: Request) -> Response:
    """Show counts, the recipe and the search box."""
    words = list(recipe_words(site.db.recipe))
    languages = list(_LANGUAGES) if "tokens" in site.db.recipe.rules else []
    return site.templates.page("home.html", info=site.db.info(), recipe=words, languages=languages)


def search(site: Site, request: Request) -> Response:
    """Take a query, and lead to its matches."""
    upload = request.files.get("file")
    content: str | bytes = b"" if upload is None else upload.read()
    name = None if upload is None else upload.filename
    if not content:
        name, content = None, request.form.get("text", "").replace("\r\n", "\n")  # as it was before it was sent
    if not content.strip():
        raise BadRequest("There is nothing to search for: paste a text, or choose a file that is not empty.")
    query = QueryDocument(name, content, "auto")
    language = request.form.get("language", "")
    if name is None and language in _LANGUAGES:
        query = _in_language(query, language)
    elif name is None and language != "text" and "tokens" in site.db.recipe.rules:
        query = _as_it_fits(site, query)
    key = site.queries.keep(query)
    return redirect(f"/search/{key}", 303)


def _in_language(query: QueryDocument, language: str) -> QueryDocument:
    """Return a pasted query with a name that tells its language."""
    return query._replace(name=f"pasted.{_LANGUAGES[language]}")


def _as_it_fits(site: Site, query: QueryDocument) -> QueryDocument:
    """Return a pasted query as a program in the language, or as the text, that shares most with a document."""
    with site.db.snapshot() as snapshot:
        languages = [each for each in languages_of(read_page(snapshot, "", "")) if each in _LANGUAGES]
    ways = [query, *(_in_language(query, language) for language in languages[:_MOST_LANGUAGES])]
    return max(ways, key=lambda way: sum(match.shared for match in site.db.query(query.content, name=way.name, top=1)))


def matches(site: Site, _request: Request, key: str) -> Response:
    """Show the documents that share text with a query."""
    query = _kept(site, key)
    return _show(site, ask(site.db, query), title=_title(query), key=key)


def match(site: Site, request: Request, key: str) -> Response:
    """Show a query beside a document that shares text with it."""
    query, name = _kept(site, key), _name_in(request)
    view = view_match(site.db, query, name)
    return site.templates.page("match.html", view=view, title=_title(query), name=name, key=key)


def _kept(site: Site, key: str) -> QueryDocument:
    query = site.queries.get(key)
    if query is None:
        raise Gone("This query is not kept any more: ask again.")
    return query


def _title(query: QueryDocument) -> str:
    return PASTED if query.name is None or query.name in _PASTED_PROGRAMS else query.name


def documents(site: Site, request: Request) -> Response:
    """List documents by name."""
    fields = fields_of(request)
    glob, after = fields.get("glob", ""), fields.get("after", "")
    with site.db.snapshot() as snapshot:
        page = read_page(snapshot, glob, after)
        count = snapshot.document_count
    return site.templates.page("documents.html", page=page, count=count, glob=glob, after=after)


def document(site: Site, request: Request) -> Response:
    """Show what is known of a document."""
    name = _name_in(request)
    found = site.db.document(name)
    return site.templates.page("document.html", document=found, boilerplate_hashes=site.db.boilerplate_in(name))


def similar(site: Site, request: Request) -> Response:
    """Show the documents that share text with a stored one."""
    name = _name_in(request)
    document = site.db.document(name)
    try:
        found = ask(site.db, QueryDocument(name, site.db.original(name), document.kind), document.encoding)
    except (ContentChanged, Unreadable) as error:
        return _show(site, ask_by_hashes(site.db, name), title=name, stored=name, reason=str(error))
    return _show(site, found, title=name, stored=name)


def _show(
    site: Site, found: Found, *, title: str, stored: str | None = None, key: str | None = None, reason: str = ""
) -> Response:
    is_text = "tokens" in site.db.recipe.rules and found.answer.query.kind == "text"
    return site.templates.page(
        "matches.html", found=found, title=title, stored=stored, key=key, reason=reason, is_text_among_programs=is_text
    )


def _name_in(request: Request) -> str:
    name = fields_of(request).get("name")
    if not name:
        raise BadRequest("The address names no document.")
    return name
