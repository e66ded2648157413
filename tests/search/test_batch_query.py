"""Many queries at once are answered as each would be alone."""

import math
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import process_pool
from fpdb.ingest.chunks import Chunk, ListChunk
from fpdb.ingest.files import InputDocument
from fpdb.ingest.loading import load
from fpdb.ingest.records import record_chunks
from fpdb.multi_database import open_all
from fpdb.search import candidates, spool
from fpdb.search.batch_query import answer_documents, bundle_chunks
from fpdb.storage import prefetch
from tests.ingest.record_files import numbered, text, written


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40),
    st.integers(1, 5),
    st.integers(1, 30),
    st.integers(1, 20),
)
def test_bundles_hold_all_pieces_in_order(sizes: list[tuple[int, int]], processes: int, most: int, start: int) -> None:
    """None is larger than it may be, but by a part of a piece; and they are as few as that allows, for each process."""
    pieces = [ListChunk([], held, passed) for held, passed in sizes]
    total = sum(max(each) for each in sizes)
    taken = 0

    def counted() -> Iterator[Chunk]:
        nonlocal taken
        for piece in pieces:
            taken += max(piece.content_bytes, piece.input_bytes)
            yield piece

    given, bundles = [], 0
    for bundle in bundle_chunks(counted(), processes, most, start):
        size = max(bundle.content_bytes, bundle.input_bytes)
        assert len(bundle.chunks) == 1 or size <= most + 9 * processes
        assert taken - sum(max(one.content_bytes, one.input_bytes) for one in given) < 2 * processes * most + 10
        given += bundle.chunks
        bundles += 1
    assert given == pieces
    if total < 2 * processes * most:  # all is known at the start
        assert bundles <= processes * max(math.ceil((total + (processes - 1) * start) / processes / most), 1)


@pytest.mark.parametrize(
    ("sizes", "processes", "limit", "start", "expected"),
    [
        ([1] * 18, 2, 5, 10, [3] * 6),  # three for each process
        ([1] * 40, 2, 5, 0, [5] * 8),  # more than are read ahead
        ([1] * 30, 2, 99, 10, [10, 20]),  # one for each; this process answers 10 bytes while the other starts
        ([1] * 10 + [30], 2, 20, 0, [10, 30]),  # as even as whole chunks allow
        ([9], 3, 1, 5, [9]),
    ],
)
def test_bundles_are_of_the_same_size(
    sizes: list[int], processes: int, limit: int, start: int, expected: list[int]
) -> None:
    bundles = bundle_chunks([ListChunk([], 0, size) for size in sizes], processes, limit, start)
    assert [bundle.input_bytes for bundle in bundles] == expected


@pytest.mark.parametrize("jobs", [1, 2])
def test_few_documents_are_answered_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """To start another would take longer. All are answered: more than are read at once, and none."""
    monkeypatch.setattr(process_pool, "run_in_pool", None)
    with fpdb.open(tmp_path / "x.fpdb") as db:
        for count in (0, 1, 20, 21, 70):
            documents = [InputDocument(f"{number}", content=text(number)) for number in range(count)]
            answered = list(answer_documents(db, documents, jobs=jobs))
            assert [one.document for one in answered] == [one._replace(content=None) for one in documents]
            assert sum(one.input_bytes for one in answered) == sum(one.size for one in documents)


def test_contents_are_given_if_asked_for(tmp_path: Path) -> None:
    """Decoded, if the encoding is given."""
    content = "é" * 9
    documents = [InputDocument("a", content=content.encode("cp1252"), kind="text")]
    with fpdb.open(tmp_path / "x.fpdb") as db:
        for options, expected in [
            ({}, None),
            ({"encoding": "cp1252"}, None),
            ({"contents": True}, documents[0].content),
            ({"contents": True, "encoding": "cp1252"}, content),
        ]:
            (one,) = answer_documents(db, documents, jobs=1, **options)
            assert (one.failure, one.content) == (None, expected)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("preset", ["text", "koala", "smallest"])
def test_lines_are_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str, jobs: int) -> None:
    """Of any options, of one database and of several; what cannot be read comes in between."""
    monkeypatch.setattr(sys.modules["fpdb.search.batch_query"], "ALONE_BYTES", 1)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 2000)
    monkeypatch.setattr(spool, "PIECE_BYTES", 1000)
    rows = [*numbered(30), {"id": "long", "text": text(1) * 9 + text(2)}, {"id": "none"}, {"id": "x.py", "text": "x=1"}]
    path = written(tmp_path, rows, ".jsonl")
    for name, some in [("one", rows[::2]), ("other", rows[1::2])]:
        with fpdb.open(tmp_path / name, recipe=RECIPES[preset]) as db:
            load(db, record_chunks([written(tmp_path, some, ".jsonl.gz")], kind="auto"), jobs=1)
    (tmp_path / "lines").mkdir()
    held = str(tmp_path / "lines")
    of_one, of_both = [str(tmp_path / "one")], [str(tmp_path / "one"), str(tmp_path / "other")]
    for paths in (of_one, of_both):
        with open_all(paths) if len(paths) > 1 else fpdb.open(paths[0]) as db:
            for options in ({}, {"by": "weighted_containment"}, {"min": 0.5, "include_self": True}, {"regions": True}):
                made = [
                    one.failure or b"".join(one.lines.pieces()).decode()
                    for one in answer_documents(
                        db, record_chunks([path], kind="auto"), jobs=jobs, folder=held, **options
                    )
                    if one.failure or one.lines
                ]
                asked = answer_documents(db, record_chunks([path], kind="auto"), jobs=1, **options)
                assert "".join(made) == "".join(
                    one.answer.to_json() if one.answer is not None else one.failure or "" for one in asked
                )
                assert os.listdir(held) == []


def test_queries_of_several_kinds_are_ranked_together(tmp_path: Path) -> None:
    """Different lengths are noted for texts, all of which have as many fingerprints, and not for programs."""
    rules = {**RECIPES["koala"].rules, "tokens": fpdb.Recipe.preset("code").rules["tokens"]}
    recipe = replace(RECIPES["koala"], rules=rules)
    program = "def f(a, b):\n" + "".join(f"    if a[{n}] < b:\n        return {n} * a + b\n" for n in range(9))
    asked = [("a", text(1) * 9 + text(2)), ("b.py", program), ("c", text(1)), ("d.py", program + "\nprint(f(1, 2))\n")]
    with fpdb.open(tmp_path / "x.fpdb", recipe=recipe) as db:
        for name, content in [("e", text(1)), ("f.py", program + "\nx = 1\n"), ("g", text(2))]:
            db.add(name, content, kind="auto")
        found = db.queries(asked, kind="auto", by="containment")
        assert found == [db.query(content, name=name, kind="auto", by="containment") for name, content in asked]
        matches = [one.matches for one in found if isinstance(one, fpdb.Answer)]
        assert [some[0].name for some in matches] == ["e", "f.py", "e", "f.py"]
        assert [some[0].part is None for some in matches] == [False, True, True, True]


RECIPES = {
    "text": fpdb.Recipe.preset("text"),
    "koala": fpdb.Recipe.preset("koala"),
    "smallest": fpdb.Recipe.preset("text").with_(scheme="smallest", n=40),
    "distinct": fpdb.Recipe.preset("text").with_(scheme="distinct", guarantee=1000, s=800),
}


ASKED: list[dict[str, Any]] = [
    {},
    {"max_df": 2},
    {"max_df": 5},
    {"max_df": 2, "max_ignored": 4},
    {"smallest": 5},
    {"include_self": True, "min": 0.3},
    {"by": "resemblance", "min": 0.2, "top": 2},
    {"by": "shared", "min": 4, "top": 3},
    {"by": "reverse_containment", "top": 1, "smallest": 9},
    {"by": "weighted_containment", "max_df": 7},
    {"by": "weighted_containment", "min": 0.1, "top": 4, "include_self": True},
]


@pytest.mark.parametrize(("together", "held", "hits"), [(1, 40, 99), (20, 200, 30), (50_000, 1 << 20, 1 << 20)])
@pytest.mark.parametrize("recipe", RECIPES)
def test_queries_with_common_hashes_and_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str, together: int, held: int, hits: int
) -> None:
    """Many queries are answered as each would be alone: looked up and ranked together, too common, or unreadable."""
    monkeypatch.setattr(prefetch, "MIN_CAP", 3)
    monkeypatch.setattr(prefetch, "MAX_HITS", held)
    monkeypatch.setattr(candidates, "MOST_HITS", hits)
    monkeypatch.setattr(candidates, "HITS_TOGETHER", together)
    monkeypatch.setattr(sys.modules["fpdb.search.ranking"], "TOGETHER", together)
    with fpdb.open(tmp_path / "x.fpdb", recipe=RECIPES[recipe]) as db:
        load(db, (InputDocument(f"{n}", content=text(n) + text(n % 3) + text(0)) for n in range(12)), jobs=1)
        db.add("template", text(1)[:90], boilerplate=True)
        db.remove("5")  # from here on some are dead, and there are several runs
        db.add("7", text(7) + text(2) + text(0))
        asked = [(f"{n}", text(n) + text(0) if n % 5 else text(n) + text(n % 3) + text(0)) for n in range(14)]
        asked += [(None, ""), ("short", "too short"), (None, text(99) * 2), ("nothing", text(1)[:90])]
        for options in ASKED:
            assert db.queries(asked, **options) == [db.query(one, name=name, **options) for name, one in asked]
        bad, good, short = db.queries([("", "x"), ("a", text(0)), (None, "")])
        assert isinstance(bad, fpdb.BadName)
        assert isinstance(good, fpdb.Answer)
        assert isinstance(short, fpdb.Answer)
        assert list(chain(db.queries([]))) == []
