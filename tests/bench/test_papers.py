"""The papers' experiments run, quickly and without a network, and leave the page as it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.papers import page, texts
from bench.papers.frequencies import Frequencies
from bench.papers.runs import MOD, SELECTORS, Tally
from bench.papers.synthetic import kgrams_of, monotonous

ROOT = Path(__file__).parents[2]
EXPERIMENTS = [
    name for name in ("winnowing", "koala", "distinct", "minimizers") if (ROOT / f"bench/papers/{name}.py").exists()
]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_quick_runs(name: str, tmp_path: Path) -> None:
    before = _section(name)
    done = subprocess.run(
        [sys.executable, "-m", f"bench.papers.{name}", "--quick"],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PATH": str(tmp_path)},  # no program that could fetch anything
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert _section(name) == before


def _section(name: str) -> str:
    return page.PAGE.read_text(encoding="utf-8").split(f"<!-- {name} begin -->")[1].split(f"<!-- {name} end -->")[0]


@pytest.mark.parametrize("name", ["winnowing", "koala", "distinct"])
def test_the_page_has_markers_and_only_what_is_between_them_changes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "papers.md"
    text = page.PAGE.read_text(encoding="utf-8")
    copy.write_text(text, encoding="utf-8")
    monkeypatch.setattr(page, "PAGE", copy)
    page.write(name, "| new |")
    written = copy.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} begin -->", f"<!-- {name} end -->"
    assert written.split(begin)[0] == text.split(begin)[0]
    assert written.split(end)[1] == text.split(end)[1]
    assert written.split(begin)[1].split(end)[0] == "\n\n| new |\n\n"
    page.write(name, "| new |")
    assert copy.read_text(encoding="utf-8") == written


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="no markers"):
        page.write("nothing", "")


def test_what_has_not_been_fetched_is_replaced_by_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "FOLDER", tmp_path)
    texts.index.cache_clear()
    limit = 200_000
    try:
        assert "in its place" in texts.describe("html")
        given = list(texts.documents("html", limit))
    finally:
        texts.index.cache_clear()
    assert given == list(texts.documents("source", limit))
    assert [name for name, _ in given] == sorted(name for name, _ in given)
    assert limit // 2 < sum(len(text) for _, text in given) <= limit
    assert [(name, len(text)) for name, text in given] == [(d.name, d.size) for d in texts.listing("source", limit)]


def test_the_text_of_a_page() -> None:
    markup = (
        "<!DOCTYPE html><head><title>A &amp; B</title><STYLE>p {}</STYLE><script>if (1 < 2) w('<p>');</script></head>"
        "<body><!-- <p>not this --><p>one <b>w</b>ord</p><script src='x'/>next<br>line"
    )
    assert texts.text_of(markup).split() == ["A", "&", "B", "one", "word", "next", "line"]


def test_tallies_agree_with_the_definition() -> None:
    for name, symbols in monotonous(3_000):
        kgrams = kgrams_of(symbols)
        for scheme, selector in SELECTORS.items():
            tally = Tally(selector)
            positions = selector.positions(kgrams)
            tally.add(positions, len(kgrams), name)
            selected = set(positions.tolist())
            windows = [range(at, at + selector.window) for at in range(len(kgrams) - selector.window + 1)]
            assert tally.windows == len(windows)
            assert tally.empty == sum(selected.isdisjoint(window) for window in windows)
            assert tally.lengths.sum() == len(selected) + 1
            if scheme != MOD:
                assert tally.longest < selector.window
                assert tally.empty == 0


def test_frequencies_agree_with_counting() -> None:
    kgrams = kgrams_of(next(symbols for name, symbols in monotonous(5_000) if "100 " in name))
    counts: dict[int, int] = {}
    for value in kgrams.hashes.tolist():
        counts[value] = counts.get(value, 0) + 1
    found = Frequencies(kgrams.hashes.copy())
    assert found.distinct == len(counts)
    assert found.frequency[0] == found.common_counts[0] == max(counts.values()) == counts[int(found.common[0])]
    assert found.share(1) == sum(count == 1 for count in counts.values()) / len(counts)
    ranks, _ = found.points(cleaned=False)
    assert round(10 ** float(ranks[-1])) == len(counts)
