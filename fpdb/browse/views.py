"""The pages: a function each, from a request to a response."""

from werkzeug.exceptions import BadRequest, Gone
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from fpdb.browse.catalogue import most_common_language, read_page
from fpdb.browse.html import fields_of
from fpdb.browse.queries import Found, ask, ask_by_hashes
from fpdb.browse.site import Site
from fpdb.errors import ContentChanged, Unreadable
from fpdb.readers.languages import LANGUAGES
from fpdb.report.recipe_words import recipe_words
from fpdb.search.query_fingerprints import QueryDocument

PASTED = "the pasted text"


def home(site: Site, _request: Request) -> Response:
    """Show counts, the recipe and the search box."""
    recipe, languages, usual = site.db.recipe, [], None
    if "tokens" in recipe.rules:
        languages = [name for name, language in LANGUAGES.items() if language.extensions]
        with site.db.snapshot() as snapshot:
            usual = most_common_language(read_page(snapshot, "", ""))
    words = list(recipe_words(recipe))
    return site.templates.page("home.html", info=site.db.info(), recipe=words, languages=languages, usual=usual)


def search(site: Site, request: Request) -> Response:
    """Take a query, and lead to its matches."""
    upload = request.files.get("file")
    content: str | bytes = b"" if upload is None else upload.read()
    name = None if upload is None else upload.filename
    if not content:
        name, content = None, request.form.get("text", "").replace("\r\n", "\n")  # as it was before it was sent
    if (language := LANGUAGES.get(request.form.get("language", ""))) is not None and not (upload and content):
        name = f"{PASTED}.{language.extensions.split()[0]}"  # which tells the kind
    if not content.strip():
        raise BadRequest("There is nothing to search for: paste a text, or choose a file that is not empty.")
    key = site.queries.keep(QueryDocument(name, content, "auto"))
    return redirect(f"/search/{key}", 303)


def matches(site: Site, _request: Request, key: str) -> Response:
    """Show the documents that share text with a query."""
    query = site.queries.get(key)
    if query is None:
        raise Gone("This query is not kept any more: ask again.")
    return _show(site, ask(site.db, query), title=query.name or PASTED)


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


def _show(site: Site, found: Found, *, title: str, stored: str | None = None, reason: str = "") -> Response:
    is_text = "tokens" in site.db.recipe.rules and found.answer.query.kind == "text"
    return site.templates.page(
        "matches.html", found=found, title=title, stored=stored, reason=reason, is_text_among_programs=is_text
    )


def _name_in(request: Request) -> str:
    name = fields_of(request).get("name")
    if not name:
        raise BadRequest("The address names no document.")
    return name
