"""`bench.quality` judges the measures of pairs on labelled sets, as it says."""

import sys
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import quality
from bench.evaluation import average_precision, best_f1
from fpdb import Recipe

SORT = """class T { void sort(int[] items) {
    for (int i = 0; i < items.length; i++)
        for (int j = 0; j + 1 < items.length - i; j++)
            if (items[j] > items[j + 1]) { int x = items[j]; items[j] = items[j + 1]; items[j + 1] = x; }
} }"""
COPY = SORT.replace("items", "numbers").replace("int x", "final long x")
OTHER = """class T { int run(String line) {
    String[] parts = line.split(" ");
    while (total < 100 && !parts[total].isEmpty()) { total += Integer.parseInt(parts[total]) * 3 % 7; }
    return -total;
} }"""
SOURCE = "Inheritance lets a class take over the methods of another class, which it extends and may override."
ANSWER = "Each node of a balanced tree keeps two subtrees whose heights differ by one or nothing at all."

SCORES = st.lists(st.integers(0, 5), min_size=1)


@pytest.fixture
def options(tmp_path):
    """Return the options that name the three sets: two problems, one task of four programs, two answers."""
    files = {
        "conplag/pairs.tsv": "problem\ta\tb\tcopied\np1\ta.java\tb.java\t1\np1\tc.java\ta.java\t0\n"
        "p2\ta.java\tb.java\t0\n",
        **{f"conplag/p1/{name}.java": text for name, text in {"a": SORT, "b": COPY, "c": OTHER}.items()},
        **{f"conplag/p2/{name}.java": text for name, text in {"a": SORT, "b": OTHER}.items()},
        "answers/pairs.tsv": "answer\tsource\tcopied\tlevel\na.txt\tsource.txt\t1\tcut\nb.txt\tsource.txt\t0\tnon\n",
        **{f"answers/{name}.txt": text for name, text in {"source": SOURCE, "a": SOURCE, "b": ANSWER}.items()},
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with zipfile.ZipFile(tmp_path / "irplag.zip", "w") as archive:
        for name, text in {
            "original/T1": SORT,
            "plagiarized/L1/01/T1": COPY,
            "plagiarized/L2/01/T1": SORT,
            "non-plagiarized/01/T1": OTHER,
        }.items():
            archive.writestr(f"data/case-01/{name}.java", text)
    return [
        *("--conplag", str(tmp_path / "conplag"), "--irplag", str(tmp_path / "irplag.zip")),
        *("--answers", str(tmp_path / "answers"), "--keys", "2"),
    ]


def test_all_sets_are_judged(options, monkeypatch, capsys):
    """All copies are whole, and the other pairs share nothing, so that every statistic is 1."""
    monkeypatch.setattr(sys, "argv", ["quality", *options])
    quality.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("**")] == [
        "**ConPlag, one database** (3 pairs, 1 copied)",
        "**ConPlag, a database for each problem** (3 pairs, 1 copied)",
        "**IR-Plag, pairs with an original** (3 pairs, 2 copied)",
        "**IR-Plag, all pairs** (6 pairs, 3 copied)",
        "**Short answers, preset `text`** (2 pairs, 1 copied)",
        "**Short answers, preset `answers`** (2 pairs, 1 copied)",
    ]
    perfect = " | ".join(["1.000 ± 0.000"] * 3)
    for measure in quality.MEASURES:
        assert lines.count(f"| {measure} | {perfect} |") == 6


def test_unrelated_labels_give_bad_figures(options):
    """If the pairs that share nothing are the copies, every one ranks last."""
    labelled = quality.read_irplag(options[3])[0]
    inverse = labelled._replace(copied={pair: not label for pair, label in labelled.copied.items()})
    for figures in quality.judge(inverse, Recipe.preset("code")).values():
        assert figures == pytest.approx({"AP": 1 / 3, "F1": 1 / 2, "AUC": 0})


@pytest.mark.parametrize("arguments", [[], ["--answers", "nowhere", "--keys", "0"]])
def test_what_is_missing_is_said(arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["quality", *arguments])
    with pytest.raises(SystemExit):
        quality.main()
    assert ("give a set" if not arguments else "at least 1") in capsys.readouterr().err


@given(SCORES, SCORES)
def test_average_precision_and_f1_are_as_defined(copies, others):
    precision, f1 = {}, []
    for threshold in {*copies, *others}:
        hits, alarms = (sum(score >= threshold for score in scores) for scores in (copies, others))
        precision[threshold], recall = hits / (hits + alarms), hits / len(copies)
        total = precision[threshold] + recall
        f1.append(2 * precision[threshold] * recall / total if total else 0)
    assert average_precision(copies, others) == pytest.approx(sum(precision[copy] for copy in copies) / len(copies))
    assert best_f1(copies, others) == pytest.approx(max(f1))
