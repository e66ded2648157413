"""The public names of fpdb: those that type checkers see, each in the module that defines it."""

import json
import pydoc
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import fpdb
from tests.cli.prose import prose


def test_the_stub_imports_the_same_names_from_the_same_modules():
    stub = Path(fpdb.__file__).with_suffix(".pyi").read_text()
    imports = re.findall(r"^from (\S+) import (\w+) as (\w+)$", stub, re.MULTILINE)
    assert sorted(name for _, name, _ in imports) == fpdb.__all__
    for module, name, public in imports:
        assert name == public
        assert getattr(fpdb, name) is getattr(import_module(module), name)


def test_dir_and_help_list_the_public_names() -> None:
    assert set(fpdb.__all__) <= set(dir(fpdb))
    text = pydoc.render_doc(fpdb, renderer=pydoc.TextDoc())
    assert [name for name in fpdb.__all__ if not re.search(rf"\b{name}\b", re.sub(".\x08", "", text))] == []


def test_all_results_have_dicts_that_json_takes(tmp_path: Path) -> None:
    text = prose(1, 300)
    with fpdb.open(tmp_path / "corpus.fpdb") as db:
        db.add("a", text, keep_text=True)
        db.add("b", text, keep_text=True)
        pairs = db.pairs(regions=True)
        results: list[Any] = [
            *(db.query(text, regions=True), db.document("a"), pairs.ignored, *pairs, *db.clusters(), *db.drop_list()),
            *(*db.spans(), *db.common(min_df=2), db.explain("a", "b"), db.recipe.fingerprint(text)),
        ]
        assert db.check() == []
    results += [fpdb.check(tmp_path / "corpus.fpdb"), fpdb.repair(tmp_path / "corpus.fpdb", tmp_path / "new.fpdb")]
    results += [fpdb.Loss("document", "a")]
    assert {type(result).__name__ for result in results} >= {"Answer", "Pair", "Cluster", "Drop", "Span", "Explanation"}
    for result in results:
        assert json.loads(json.dumps(result.to_dict()))


def test_a_database_shows_itself_on_one_line(tmp_path: Path) -> None:
    path = str(tmp_path / "corpus.fpdb")
    with fpdb.open(path) as db:
        db.add("a", "short")
        assert repr(db) == f"<Database {path!r}: 1 document>"
        db.add("form", "to be filled in", boilerplate=True)
        assert repr(db) == f"<Database {path!r}: 1 document and 1 of boilerplate>"
        db.remove("form")
    assert repr(db) == f"<Database {path!r}: not to be read: the database is closed>"
    with fpdb.open_all([path]) as both:
        assert repr(both) == f"<MultiDatabase of [<Database {path!r}: 1 document, read-only>]>"


def test_the_kind_is_told_by_name_and_content(tmp_path: Path) -> None:
    page = f"<html><p>{prose(1, 300)}</p></html>"
    with fpdb.open(tmp_path / "corpus.fpdb") as db:
        db.add("page", page)
        db.add("paper.pdf", prose(1, 300))  # a string is no PDF
        assert {each.name: each.kind for each in db.documents()} == {"page": "html", "paper.pdf": "text"}
        answers = [db.query(page), *db.queries([(None, page)]), *db.queries([(None, page)] * 2)]
        assert [(answer.query.kind, answer[0].containment) for answer in answers] == [("html", 1.0)] * 4
        assert db.recipe.fingerprint(page).kind == "html"
        assert db.check() == []
