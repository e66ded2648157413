"""What finds nothing says why: each reason, of each command."""

import random
from pathlib import Path

import pytest

import fpdb
from tests.cli.conftest import Run

COMPARISONS = {
    "pairs": "no pair",
    "drop-list": "nothing to drop",
    "pairs --clusters": "no cluster",
    "spans": "nothing to cut",
}


def words(seed: int, count: int = 60) -> str:
    rng = random.Random(seed)
    return " ".join("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(count))


@pytest.fixture
def essays(run: Run) -> Run:
    """Two texts that share a passage, another one, and one that is too short."""
    Path("x.txt").write_text(f"{words(1)} {words(2)}")
    Path("y.txt").write_text(f"{words(1)[:200]} {words(3)}")
    Path("z.txt").write_text(words(4))
    Path("short.txt").write_text("too short")
    assert run("add", "x.txt", "y.txt", "z.txt", "short.txt", "--label", "term=1").exit_code == 0
    return run


@pytest.mark.parametrize("command", COMPARISONS)
def test_the_most_alike_pair_is_told(essays: Run, command: str) -> None:
    said = essays(*command.split(), "--min", "0.99").stdout
    assert said.startswith(f"{COMPARISONS[command]}: the most alike, x.txt and y.txt, have a ")
    assert said.endswith("; 1 document of 4 too short for a fingerprint\n")
    said = essays(*command.split(), "--by", "shared", "--min", "900").stdout
    assert said.startswith(f"{COMPARISONS[command]}: the most alike, x.txt and y.txt, share ")


@pytest.mark.parametrize("command", COMPARISONS)
def test_nothing_shared_is_told(run: Run, command: str) -> None:
    for number in range(2):
        Path(f"{number}.txt").write_text(words(number))
    run("add", "0.txt", "1.txt")
    assert run(*command.split()).stdout == f"{COMPARISONS[command]}: no two documents share a fingerprint that counts\n"


@pytest.mark.parametrize("command", COMPARISONS)
def test_too_few_documents_are_told(run: Run, command: str) -> None:
    run("init")
    assert run(*command.split()).stdout == "There is no document to compare\n"
    Path("a.txt").write_text(words(1))
    run("add", "a.txt")
    assert run(*command.split()).stdout == "There is only 1 document to compare\n"


@pytest.mark.parametrize("command", COMPARISONS)
def test_that_nothing_is_new_is_told(essays: Run, command: str) -> None:
    """A label that no document has was answered as if new documents had been compared."""
    for options, reason in (
        (["--new", "term=2"], "has the label term=2"),
        (["--new", "year=1"], "has the label year=1: none has a label 'year'"),
        (["--since", "2999-01-31"], "has been added since 2999-01-31 00:00:00"),
        (["--new", "term=1", "--since", "2999-01-31"], "has the label term=1 and been added since 2999-01-31 00:00:00"),
        (["--new", "term=1", "--since", "1999-01-31", "--min", "0.99"], None),
    ):
        said = essays(*command.split(), *options).stdout
        if reason is None:
            assert "no document has" not in said
        else:
            assert said == f"{COMPARISONS[command]}: no document {reason}\n"


@pytest.mark.parametrize("subset", [["--label", "term=1"], ["--names", "[xyz]*"], ["--exclude-names", "new*"]])
def test_that_nothing_in_a_subset_is_new_is_told(essays: Run, subset: list[str]) -> None:
    """Of a label that others have, it was said that no document has it."""
    Path("new.txt").write_text(words(8))
    essays("add", "new.txt", "--label", "term=2")
    said = essays("pairs", "--new", "term=2", *subset).stdout
    assert said == "no pair: no document that fits the labels and names asked for has the label term=2\n"


def test_a_subset_without_documents_is_told(essays: Run) -> None:
    none = "of 4 documents, none fits the labels and names asked for\n"
    assert essays("pairs", "--label", "term=2").stdout.endswith(none)
    Path("new.txt").write_text(words(8))
    assert essays("query", "new.txt", "--names", "other*").stdout.endswith(f"no match: {none}")
    one = essays("pairs", "--names", "z*").stdout
    assert one.endswith("of 4 documents, 1 fits the labels and names asked for\n")


def test_common_hashes_are_told(essays: Run) -> None:
    assert "ignored as common" in essays("pairs", "--max-df", "2").stdout


def test_other_alphabets_are_told(run: Run) -> None:
    run("init", "--preset", "code")
    Path("m.c").write_text("int main(void) { return 0; }\n" * 30)
    Path("q.txt").write_text(words(1))
    run("add", "m.c")
    for command, nothing in ("query", "no match"), ("spans", "nothing to cut: q.txt"):
        reason = "read as text, and no document is; give --kind code, or a name that tells the kind"
        assert run(command, "q.txt").stdout.endswith(f"{nothing}: {reason}\n")
    run("add", "q.txt")
    assert "are not compared (1 in characters, 1 in tokens)" in run("pairs").stdout.replace(
        "1 in tokens, 1 in characters", "1 in characters, 1 in tokens"
    )


def test_what_a_query_misses_is_told(essays: Run) -> None:
    Path("part.txt").write_text(f"{words(1)[100:250]} {words(7)}")
    said = essays("query", "part.txt", "--min", "0.9").stdout
    assert "no match: the most alike, x.txt, has a containment of 0." in said
    Path("new.txt").write_text(words(9))
    assert "no match: no document shares a fingerprint with it\n" in essays("query", "new.txt").stdout
    why = "too short to have a fingerprint; a query finds no copies of a text this short"
    assert f"no match: {why}: use 'fpdb explain', or add it" in essays("query", "short.txt").stdout
    Path("copy.txt").write_bytes(Path("short.txt").read_bytes())
    assert why in essays("query", "copy.txt").stdout
    essays("--db", "empty.fpdb", "init")
    assert essays("--db", "empty.fpdb", "query", "z.txt").stdout.endswith("no match: the database has no document\n")


def test_each_query_is_asked_again_as_it_was(essays: Run) -> None:
    """A file was taken for the name of a document where --stored was given, too."""
    Path("part.txt").write_text(f"{words(1)[100:250]} {words(7)}")
    said = essays("query", "part.txt", "--stored", "x.txt", "--min", "0.9").stdout
    assert "no match: the most alike, x.txt, has a containment of 0." in said
    assert "no match but itself, see --include-self: the most alike, y.txt, has a containment of 0." in said


def test_several_databases_tell_the_reasons_of_one(essays: Run) -> None:
    """They told none."""
    for name in ("empty.fpdb", "void.fpdb"):
        essays("--db", name, "init")
    Path("new.txt").write_text(words(9))
    Path("part.txt").write_text(f"{words(3)[100:250]} {words(7)}")
    essays("--db", "two.fpdb", "add", "y.txt", "z.txt", "--label", "term=2")
    for arguments in (
        ("new.txt",),
        ("new.txt", "--label", "year=1"),
        ("part.txt", "--min", "0.9"),
        ("x.txt", "--min", "0.9"),
        ("x.txt", "--names", "nothing*"),
        ("short.txt",),
    ):
        one = essays("--db", "corpus.fpdb", "query", *arguments).stdout
        several = essays("--db", "corpus.fpdb", "--db", "empty.fpdb", "query", *arguments).stdout
        assert several.replace(" in corpus.fpdb, has", ", has") == one
    nearest = essays("--db", "void.fpdb", "--db", "two.fpdb", "query", "part.txt", "--min", "0.9").stdout
    assert "no match: the most alike, y.txt in two.fpdb, has a containment of 0." in nearest
    counted = essays("--db", "corpus.fpdb", "--db", "two.fpdb", "query", "new.txt", "--label", "term=3").stdout
    assert counted.endswith("no match: of 6 documents, none fits the labels and names asked for\n")
    nothing = essays("--db", "empty.fpdb", "--db", "void.fpdb", "query", "x.txt").stdout
    assert nothing.endswith("no match: the databases have no document\n")


@pytest.mark.parametrize("asked", [["x.txt"], ["--stored", "x.txt"]])
def test_beside_the_query_itself_the_reason_is_told_too(essays: Run, asked: list[str]) -> None:
    itself = "no match but itself, see --include-self"
    said = essays("query", *asked, "--min", "0.9").stdout
    assert f"{itself}: the most alike, y.txt, has a containment of 0." in said
    for option in (["--label", "term=2"], ["--names", "nothing*"]):
        said = essays("query", *asked, *option).stdout
        assert said.endswith(f"{itself}: of 4 documents, none fits the labels and names asked for\n")
    alone = essays("query", *(name.replace("x.txt", "z.txt") for name in asked)).stdout
    assert alone.endswith(f"{itself}: no other document shares a fingerprint with it\n")


def test_own_hashes_are_no_texts(run: Run) -> None:
    with fpdb.open("own.fpdb") as db:
        db.add_fingerprints("a", [1, 2, 3])
    Path("x.txt").write_text(words(1))
    said = run("--db", "own.fpdb", "query", "x.txt").stdout
    assert "the documents are hashes that a program gave" in said
    assert "--stored NAME" in said
    assert "no other document" in run("--db", "own.fpdb", "query", "--stored", "a").stdout


def test_the_reason_is_told_for_the_spans_of_documents(essays: Run) -> None:
    Path("form.txt").write_text(words(6))
    Path("filled.txt").write_text(words(6))
    Path("new.txt").write_text(words(9))
    Path("part.txt").write_text(f"{words(1)[100:250]} {words(7)}")
    essays("add", "filled.txt")
    essays("add", "--boilerplate", "form.txt")
    for arguments, reason in {
        ("x.txt", "--min", "0.99"): "the most alike, y.txt, has a containment of 0.",
        ("x.txt", "--max-df", "0", "--min", "0.99"): "the most alike, y.txt, has a containment of 0.",
        ("x.txt", "--by", "resemblance", "--min", "0.99"): "the most alike, y.txt, has a resemblance of 0.",
        ("x.txt", "--min-shared", "900"): "fingerprints (asked for: --min-shared 900)\n",
        ("x.txt", "--shortest", "9000"): "fingerprints (asked for: --shortest 9000)\n",
        ("x.txt", "--max-df", "2"): "hashes ignored as common",
        ("z.txt",): "no other document shares a fingerprint with it",
        ("new.txt",): "no document shares a fingerprint with it",
        ("part.txt", "--min", "0.99"): "the most alike, x.txt, has a containment of 0.",
        ("short.txt",): "too short to have a fingerprint",
        ("filled.txt",): "all of its fingerprints are boilerplate",
    }.items():
        said = essays("spans", *arguments).stdout
        assert said.startswith(f"nothing to cut: {arguments[0]}: ")
        assert reason in said
    both = "nothing to cut: z.txt: no other document shares a fingerprint with it; short.txt: too short"
    assert essays("spans", "z.txt", "short.txt").stdout.startswith(both)


@pytest.mark.parametrize("command", COMPARISONS)
def test_the_least_shared_fingerprints_are_told(essays: Run, command: str) -> None:
    assert "fingerprints (asked for: --min-shared 900)" in essays(*command.split(), "--min-shared", "900").stdout
    assert "asked for" not in essays(*command.split(), "--min", "0.99").stdout


def test_the_shortest_passage_of_pairs_is_told(essays: Run) -> None:
    assert "fingerprints (asked for: --shortest 9000)" in essays("spans", "--shortest", "9000").stdout


def test_the_number_of_documents_without_a_common_passage_is_told(essays: Run) -> None:
    assert essays("common").stdout == "no passage is in 10 of 4 documents\n"
    essays("remove", "x.txt", "y.txt", "z.txt")
    assert essays("common", "--min-df", "2").stdout == "no passage is in 2 of 1 document\n"
    essays("remove", "short.txt")
    assert essays("common").stdout == "the database has no document\n"


@pytest.mark.parametrize(
    "asked", [["--label", "term=2"], ["--glob", "zz*"], ["--since", "2999-01-31"], ["--before", "1999-01-31"]]
)
def test_a_list_without_documents_is_told(essays: Run, asked: list[str]) -> None:
    listed = essays("list", *asked)
    assert listed.stdout == "name  kind  symbols  fingerprints  added  labels\n"
    assert listed.stderr == "of 4 documents, none fits the labels, names and times asked for\n"
    for form in (["--names"], ["--format", "json"], ["--format", "csv"]):
        assert not essays("list", *asked, *form).stderr
    assert not essays("list").stderr
    essays("--db", "empty.fpdb", "init")
    assert essays("--db", "empty.fpdb", "list").stderr == "the database has no document\n"


@pytest.mark.parametrize(
    "command",
    ["pairs --label", "pairs --clusters --label", "query x.txt --label", "query --stored x.txt --label", "list --label"]
    + [f"{command} --new" for command in COMPARISONS],
)
def test_an_unknown_label_is_told(essays: Run, command: str) -> None:
    """It was said that no document fits, as of a label whose value no document has."""
    for label, reason in {
        "terms=1": ": none has a label 'terms'; did you mean 'term'?\n",
        "year=1": ": none has a label 'year'\n",
        "term=2": None,
    }.items():
        said = essays(*command.split(), label)
        last = (said.stderr or said.stdout).splitlines(keepends=True)[-1]
        assert "labels" in last or "has the label" in last
        assert "none has a label" not in last if reason is None else last.endswith(reason)


def test_clusters_of_a_subset_tell_it(essays: Run) -> None:
    Path("new.txt").write_text(words(8))
    essays("add", "new.txt", "--label", "term=2")
    one = essays("pairs", "--clusters", "--label", "term=2").stdout
    assert one == "There is only 1 document to compare: of 5 documents, 1 fits the labels and names asked for\n"
