"""`--label`, `--names` and `--exclude-names` of `fpdb query` and `fpdb pairs`."""

import itertools

from tests.cli.json_lines import objects
from tests.cli.prose import prose


def test_commands_take_subsets(run, tmp_path):
    for number, folder in itertools.product(range(3), ("new", "old")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{number}.txt").write_text(prose(1, 200) + prose(number + 2, 50))
    run("add", "new", "--label", "term=new")
    run("add", "old")
    run("add", "old/1.txt", "--label", "term=new")
    every = ["new/0.txt", "new/1.txt", "new/2.txt", "old/1.txt"]
    assert names_of(run, "query", "old/0.txt", "--label", "term=new", "--min", "0.1") == every
    assert names_of(run, "query", "old/0.txt", "--label", "term=new", "--names", "old/*") == ["old/1.txt"]
    assert names_of(run, "query", "old/0.txt", "--exclude-names", "old/*", "--exclude-names", "*/1.txt") == [
        "new/0.txt",
        "new/2.txt",
    ]
    found = objects(run("pairs", "--names", "new/*", "--names", "old/1*", "--format", "json").stdout)
    assert {name for pair in found for name in (pair["a"], pair["b"])} == set(every)
    clusters = objects(run("pairs", "--clusters", "--exclude-names", "new/*", "--format", "json").stdout)
    assert [cluster["members"] for cluster in clusters] == [["old/0.txt", "old/1.txt", "old/2.txt"]]


def names_of(run, *command):
    (answer,) = objects(run(*command, "--format", "json").stdout)
    return sorted(match["name"] for match in answer["matches"])
