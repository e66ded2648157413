"""Mistakes in calls of the library: told in words when they are made, and found by type checkers before."""

import inspect
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import fpdb
from fpdb import options
from fpdb.errors import BadArgument
from tests.cli.prose import prose

WRONG: Any = type("Wrong", (), {"__repr__": lambda _: "WRONG", "__hash__": None})()
"""A value that no argument may have, and no key either."""
TEXT = prose(1, 300)
RIGHT: dict[str, Any] = {
    "name": "a",
    "content": TEXT,
    "hashes": [1, 2],
    "documents": [("a", TEXT)],
    "queries": [("a", [1])],
    "names": ["a"],
    "offsets": [0, 2],
    "a": "a",
    "b": "b",
    "prefix": "",
    "file": io.BytesIO(),
}
"""Arguments that calls need."""
SUBSET = ("labels", "names", "exclude_names")
QUERY_ONLY = set(get_type_hints(options.QueryKeywords)) - set(get_type_hints(options.PairKeywords))
PUBLIC_FUNCTIONS = ("open", "open_all", "import_", "check", "repair", "publish", "set_limits")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[fpdb.Database]:
    with fpdb.open(tmp_path / "corpus.fpdb") as database:
        database.add("a", TEXT, keep_text=True)
        database.add("b", TEXT)
        yield database
        assert database.check() == []


def keywords_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of all arguments that a function takes, those of its `TypedDict` among them."""
    names = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            unpacked = getattr(options, parameter.annotation.removeprefix("Unpack[").removesuffix("]"))
            names += get_type_hints(unpacked)
        elif name != "self":
            names.append(name)
    return names


def public_methods(*classes: type) -> list[tuple[type, str]]:
    return [
        (each, name)
        for each in classes
        for name, method in inspect.getmembers(each, inspect.isfunction)
        if not name.startswith("_") and keywords_of(method)
    ]


def consume(result: Any) -> None:
    if isinstance(result, Iterator):
        list(result)
    elif hasattr(result, "__exit__") and not isinstance(result, fpdb.Database):
        result.__enter__()


METHODS = public_methods(fpdb.Database)
BATCH_METHODS = [(fpdb.WriteBatch, name) for name in ("add", "add_fingerprints", "add_columns", "rotate", "remove")]


@pytest.mark.parametrize(
    ("owner", "name"), METHODS + BATCH_METHODS, ids=lambda value: getattr(value, "__name__", value)
)
def test_every_argument_of_every_method_is_checked(db: fpdb.Database, owner: type, name: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    path = tmp_path / ("a.txt" if name.endswith("_file") else "new")
    right: dict[str, Any] = RIGHT | {"path": path, "folder": str(tmp_path), "other": db, "paths": [str(tmp_path)]}
    for argument in keywords_of(getattr(owner, name)):
        if name == "spans":  # of a content, or of pairs
            right["content"] = TEXT if argument in QUERY_ONLY else None
        needed = {
            key: right[key]
            for key, parameter in inspect.signature(getattr(owner, name)).parameters.items()
            if (parameter.default is parameter.empty or key == "content") and key in right
        }
        with db.batch() as batch, pytest.raises(fpdb.Error, match=r"WRONG|Wrong"):
            consume(getattr(db if owner is fpdb.Database else batch, name)(**needed | {argument: WRONG}))


@pytest.mark.parametrize("name", PUBLIC_FUNCTIONS)
def test_every_argument_of_every_function_is_checked(tmp_path: Path, name: str) -> None:
    function = getattr(fpdb, name)
    path = str(tmp_path / "corpus.fpdb")
    with fpdb.open(path):
        pass
    right = {"path": path, "paths": [path], "source": path, "target": str(tmp_path / "new"), "file": io.BytesIO()}
    for argument in keywords_of(function):
        needed = {key: right[key] for key in inspect.signature(function).parameters.keys() & right.keys()}
        with pytest.raises(fpdb.Error, match=r"WRONG|Wrong"):
            function(**needed | {argument: WRONG})


@pytest.mark.parametrize(
    ("owner", "name"), METHODS + BATCH_METHODS, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_keyword_that_a_method_does_not_take_is_named(db: fpdb.Database, owner: type, name: str) -> None:
    with db.batch() as batch, pytest.raises(BadArgument, match=rf"^{name}\(\) has no argument 'colour': "):
        getattr(db if owner is fpdb.Database else batch, name)(colour=1)


def test_the_keyword_that_was_meant_is_told(db: fpdb.Database) -> None:
    call: Any = db.query
    with pytest.raises(BadArgument, match=r"did you mean 'top'\?$"):
        call(TEXT, tpo=5)
    with pytest.raises(BadArgument, match="'min_shared'"):  # of pairs, not of a query
        db.spans(TEXT, min_shared=3)


def test_errors_of_arguments_are_those_of_python_too() -> None:
    assert issubclass(BadArgument, TypeError)
    assert issubclass(BadArgument, ValueError)


def test_messages_say_what_was_expected(db: fpdb.Database) -> None:
    for call, message in [
        (lambda: db.query(TEXT, name=1), "name must be a string or None, not 1"),
        (lambda: db.query(None), "content must be a string or bytes, not None"),
        (lambda: db.query(TEXT, regions=1), "regions must be True or False, not 1"),
        (lambda: db.query(TEXT, gap=True), "gap must be a whole number or None, not True"),
        (lambda: db.query(TEXT, rarity="often"), "rarity must be 'document' or 'corpus', not 'often'"),
        (lambda: db.add("a", TEXT, labels=["a"]), "labels must be a mapping or None, not ['a']"),
        (lambda: db.merge("b.fpdb"), "other must be a Database, not 'b.fpdb'"),
        (lambda: db.queries([TEXT]), "documents are pairs of a name, or None"),
        (lambda: fpdb.open(None), "path must be a string or a path, not None"),
        (lambda: fpdb.open("b.fpdb", "w"), "mode must be 'r', 'r+', 'a' or 'x', not 'w'"),
    ]:
        with pytest.raises(BadArgument) as caught:
            call()
        assert message in str(caught.value)


MISTAKES = """
import fpdb
import numpy as np
from datetime import date

with fpdb.open("corpus.fpdb", "w") as db:  # arg-type
    db.add("a", 5)  # arg-type
    db.add("a", "text", knid="text")  # call-arg
    db.add("a", "text", labels=["a"])  # arg-type
    db.add_file("a.txt", source="here")  # call-arg
    db.add_fingerprints("a", [1, 2], digest="abc")  # arg-type
    db.add_columns("abc", [0, 1, 2, 3], [1, 2, 3])  # arg-type
    db.add_columns(["a"], [0, 1], "abc")  # arg-type
    db.add_columns(["a"], [0, 1], [1], labels={"term": "2"})  # dict-item
    db.query("text", tpo=5)  # call-arg
    db.query("text", top="5")  # arg-type
    db.query("text", by="beauty")  # arg-type
    db.query_file("a.txt", regions="yes")  # arg-type
    db.queries([("a", "text")], regions=True)  # call-arg
    db.query_fingerprints([1, 2], by="beauty")  # arg-type
    db.pairs(by="reverse_containment")  # arg-type
    db.pairs(new="term=2024")  # arg-type
    db.pairs(since=date(2024, 1, 1))  # arg-type
    db.pairs(owner="label:student")  # call-arg
    db.clusters(min="0.5")  # arg-type
    db.drop_list(keeep="first")  # call-arg
    db.spans("text", padding=3)  # call-arg
    db.explain("a", "b", top=1)  # call-arg
    db.merge("other.fpdb")  # arg-type
    db.query("text").matches[0].containement  # attr-defined
    db.query("text")[0].nmae  # attr-defined
    for pair in db.pairs():
        pair.similarty  # attr-defined
    with db.batch() as batch:
        batch.add("a", "text", kepp_text=True)  # call-arg
        batch.add_columns("abc", [0, 1, 2, 3], [1, 2, 3])  # arg-type

    db.add_columns(["a"], [0, 1], [1], labels={"term": ["2"]})
    db.add_columns(("a", "b"), [0, 1, 2], np.arange(2), labels={"term": ["2", None], "year": np.array(["1", "2"])})
    db.add_columns(np.array(["a"]), np.array([0, 1]), range(1))
    names: list[str] = ["a"]
    values: dict[str, list[str | None]] = {"term": [None]}
    db.add_columns(names, [0, 1], [1], None, values)
"""
"""A program with one mistake in each line that has a comment: the code of mypy's message."""


def test_mypy_finds_each_mistake_of_a_program(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(MISTAKES)
    cache = Path(fpdb.__file__).parents[1] / ".mypy_cache"
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", str(program)]
    output = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=Path(fpdb.__file__).parents[1]
    ).stdout
    found = [line for line in output.splitlines() if "program.py:" in line and ": error: " in line]
    told = {(int(line.split(":")[1]), line.rpartition("[")[2].rstrip("]")) for line in found}
    planted = {
        (number, line.rpartition("# ")[2]) for number, line in enumerate(MISTAKES.splitlines(), 1) if "  # " in line
    }
    assert told == planted
