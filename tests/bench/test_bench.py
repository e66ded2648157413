"""The benchmark runs, its menu holds what it says, and what it compares with is right."""

import json
import math
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bench import compare, corpora, performance, scale
from bench.corpora import COMMON, DOCUMENT, FAMILY, FREQUENCIES, kept_by
from bench.measuring import cached, forget
from bench.peers.engine import Truth
from bench.peers.lmdb_index import Dupfixed
from bench.record_duplicates import PEERS as RECORD_PEERS
from bench.run import MENU, RESULTS
from bench.scaling import growth, plan, sizes
from bench.scaling.growth import Point, shard_of
from bench.scaling.sizes import Shard
from bench.workloads import storage
from fpdb.storage import file_format
from fpdb.storage.runs import _encode

ROOT = Path(__file__).parents[2]
TARGETS = {
    "kernel": 2,
    "ingest-text": 2,
    "add-python": 1,
    "keep-text": 1,
    "records": 5,
    "code-pairs": 2,
    "ingest-postings": 2,
    "many-commits": 3,
    "one-percent": 1,
    "merge": 4,
    "storage": 2,
    "memory": 7,
    "list": 2,
    "query": 4,
    "common": 6,
    "open": 0,
    "cli-query": 1,
    "add-one": 2,
    "remove": 1,
    "replace": 0,
    "pairs": 4,
    "koala": 1,
}


def bench(*arguments: str, module: str = "bench") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_menu_names_every_workload_with_its_target_and_its_limit() -> None:
    done = bench("--list")
    assert done.returncode == 0, done.stderr
    assert done.stdout in bench("--help").stdout
    assert set(MENU) == set(TARGETS)
    for name, workload in MENU.items():
        assert f"\n  {name}\n" in done.stdout
        assert callable(workload)
        assert "Target: " in (workload.__doc__ or ""), name
        assert "Limit: " in (workload.__doc__ or ""), name


@pytest.mark.parametrize("arguments", [["nothing"], ["--size", "3"], ["--size", "many"]])
def test_what_there_is_not_is_refused(arguments: list[str]) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert ("choose from" if arguments == ["nothing"] else "--size") in done.stderr


def test_a_quick_run_of_everything_prints_and_keeps_its_figures(tmp_path: Path) -> None:
    done = bench("--quick", "--size", "1e5", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    (written,) = tmp_path.glob("*-quick.json")
    record = json.loads(written.read_text("utf-8"))
    assert record["size"] == 100_000
    assert written.with_suffix(".md").exists()
    for name in MENU:
        mine = [figure for figure in record["figures"] if figure["workload"] == name]
        assert sum(figure["target"] is not None for figure in mine) == TARGETS[name]
        for figure in mine:
            # So few records may have no match.
            assert figure["value"] > (-1 if figure["figure"].startswith("matches of a query") else 0)
            assert figure["figure"] in done.stdout


# ------------------------------------------------------------ what is stored and asked for


def test_corpora_are_the_same_every_time_and_hold_what_they_say() -> None:
    for name, corpus in corpora.KINDS.items():
        count = {"random": corpora.BATCH, "long": corpora.BATCH // 10}.get(name, 1196) + 7
        batches, again = list(corpus(count)), list(corpus(count))
        sizes = [len(batch.hashes) for batch in batches]
        assert sum(sizes) == count
        assert [batch.first for batch in batches] == np.cumsum([0, *sizes[:-1]]).tolist()
        for one, other in zip(batches, again, strict=True):
            assert np.array_equal(one.hashes, other.hashes)
            assert one.positions.shape == one.hashes.shape
            assert (np.diff(one.positions.astype(np.int64)) > 0).all()


def test_families_share_what_they_say() -> None:
    (batch,) = corpora.families(50)
    sets = [set(row.tolist()) for row in batch.hashes]
    assert {len(one) for one in sets} == {DOCUMENT + COMMON}
    for number, one in enumerate(sets):
        head = sets[number - number % FAMILY]
        assert len(one & head) == kept_by(number % FAMILY) + COMMON
        assert len(one & sets[(number + FAMILY) % 50]) == COMMON


def test_shared_hashes_have_the_frequencies_that_they_say() -> None:
    (batch,) = corpora.shared_groups(200)  # a multiple of every frequency
    each = DOCUMENT // len(FREQUENCIES)
    found = Counter(np.unique_counts(batch.hashes).counts.tolist())
    left = DOCUMENT - each * (len(FREQUENCIES) - 1)
    assert found == {one: 200 * (left if one == 1 else each) // one for one in FREQUENCIES}
    assert all(len(set(row.tolist())) == DOCUMENT for row in batch.hashes)


# ------------------------------------------------------------ limits


@pytest.mark.parametrize("documents", [5, 50])
def test_the_entropy_of_random_documents_is_that_of_the_number_of_sets(documents: int) -> None:
    postings = documents * DOCUMENT
    exact = math.log2(math.comb(2**64 * documents, postings)) / postings
    assert storage.random_entropy(documents) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("documents", [10, 100])
def test_the_entropy_of_families_is_that_of_the_number_of_sets(documents: int) -> None:
    (batch,) = corpora.families(documents)
    by_frequency = Counter(np.unique_counts(batch.hashes).counts.tolist())
    distinct = sum(by_frequency.values())
    ways = math.comb(2**64, distinct) * math.factorial(distinct)
    for frequency, count in by_frequency.items():
        ways = ways // math.factorial(count) * math.comb(documents, frequency) ** count
    assert storage.families_entropy(documents) == pytest.approx(math.log2(ways) / batch.hashes.size, rel=1e-9)


@pytest.mark.skipif(sys.platform != "linux", reason="mincore is asked as Linux has it")
def test_what_was_read_is_cached_and_can_be_dropped(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(1_000_000))
    path.read_bytes()
    assert cached(path) == 1
    assert 0 <= forget(path) <= 1


# ------------------------------------------------------------ other engines


def test_a_quick_comparison_answers_right(tmp_path: Path) -> None:
    engines = "fpdb", "fpdb, compacted", "LMDB DUPFIXED"
    done = bench("--quick", "--size", "1e5", "--results", str(tmp_path), *engines, module="bench.compare")
    assert done.returncode == 0, done.stderr
    (written,) = tmp_path.glob("*-compare-quick.json")
    figures = {(row["workload"], row["figure"]): row["value"] for row in json.loads(written.read_text())["figures"]}
    assert {name for name, _ in figures} == set(engines)
    for name in engines:
        for what in ("load", "query", "bytes a posting", "add one", "remove one"):
            assert figures[name, f"families: {what}"] > 0
        assert figures[name, "families: answers right"] == 100
    for work in ("random", "long"):
        assert figures["fpdb", f"{work}: answers right"] == 100
    assert figures["fpdb", "files: copies found"] == 100
    assert figures["fpdb", "records: copies dropped"] == 100
    assert figures["fpdb", "columns: load, of the speed of one document at a time"] > 0


def test_an_engine_that_is_not_installed_is_named_and_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    packages = {"here": "lmdb", "gone": "no_such_package"}
    assert compare._installed(["here", "gone", "of other work"], packages) == ["here"]
    assert "gone" in capsys.readouterr().out


def test_all_engines_of_the_table_are_packages_of_the_extra() -> None:
    extra = (ROOT / "pyproject.toml").read_text().split("peers = ")[1].splitlines()[0]
    ours = {"fpdb", "lmdb"}
    for package in {peer.package for peer in compare.ENGINES.values()} - ours | {"copydetect", *RECORD_PEERS}:
        assert f'"{package}>=' in extra


def test_wrong_answers_are_told_from_right_ones(tmp_path: Path) -> None:
    documents = list(corpora.families(60))
    query = documents[0].hashes[10]
    engine = Dupfixed(tmp_path / "index")
    engine.build(documents)
    truth = Truth(corpora.families, 60, [query])
    right = engine.ask(query, 10)
    assert [number for number, _ in right[:FAMILY]] == [10, 11, 12, 13, 14]
    assert truth.share_right([right]) == 1
    assert truth.share_right([[(number, None) for number, _ in right]]) == 1
    swapped = [right[1], right[0], *right[2:]]
    for wrong in (swapped, right[1:], right[:3], [(40, right[0][1]), *right[1:]]):
        assert truth.share_right([wrong]) == 0
    assert truth.share_right([[(number, None) for number, _ in right[1:]]]) == 0
    engine.remove(10, query)
    assert [number for number, _ in engine.ask(query, 10)[:FAMILY]] != [10, 11, 12, 13, 14]
    engine.add(10, query)
    assert engine.ask(query, 10) == right
    engine.close()


# ------------------------------------------------------------ the page


def test_the_page_is_written_from_the_latest_runs(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    for stem, size, value, name in (
        ("2000-01-01-000000", 10**6, 1.25, ""),
        ("2000-01-02-000000", 10**6, 2.25, ""),
        ("2000-01-03-000000", 10**7, 3.25, ""),
        ("2000-01-04-000000-quick", 10**7, 4.25, ""),
        ("2000-01-05-000000-compare", 10**7, 5.25, "compare"),
    ):
        figure = {"workload": "query", "figure": "1,000 hashes", "value": value, "unit": "ms", "target": 2.0}
        figure |= {"better": "less", "met": value <= 2}
        if name:
            figure |= {"workload": "fpdb", "figure": "random: query"}
        record = {"name": name, "quick": "quick" in stem, "size": size, "machine": {"CPU": stem}, "figures": [figure]}
        (results / f"{stem}.json").write_text(json.dumps(record))
    old = figure | {"workload": "query", "figure": "as it was called"}
    (results / "1999-12-31-000000.json").write_text(
        json.dumps({"name": "", "quick": False, "size": 10**6, "machine": {"CPU": "old"}, "figures": [old]})
    )
    (results / "1999-01-01-000000.json").write_text('{"quick": false, "figures": []}')  # as they were before sizes
    runs = performance.read(results)
    assert "| 1,000 hashes | ms | 2.25 | 3.25 | ≤ 2 | missed |" in performance.tables(runs)
    assert "as it was called" not in performance.tables(runs)
    assert "| fpdb | 5.25 |" in performance.peers(runs)
    assert [stem[:10] for stem in runs.machines] == ["2000-01-02", "2000-01-03", "2000-01-05"]


def test_only_runs_that_a_page_names_are_kept(tmp_path: Path) -> None:
    page, results = tmp_path / "page.md", tmp_path / "results"
    results.mkdir()
    for name in ("2000-01-01-000000.json", "2000-01-01-000000.md", "2000-01-02-000000.json"):
        (results / name).touch()
    page.write_text("As the run 2000-01-01-000000 shows.")
    assert [path.name for path in performance.prune(results, [page])] == ["2000-01-02-000000.json"]
    assert sorted(path.suffix for path in results.iterdir()) == [".json", ".md"]


def test_the_docs_name_all_runs_that_are_kept() -> None:
    text = "".join(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))
    assert [path.name for path in RESULTS.iterdir() if path.stem not in text] == []


def test_the_page_has_markers_and_no_runs_make_no_tables(tmp_path: Path) -> None:
    copy = Path(shutil.copy(performance.PAGE, tmp_path))
    for _ in range(2):
        done = bench("--results", str(tmp_path), "--page", str(copy), module="bench.performance")
        assert done.returncode == 0, done.stderr
        assert copy.read_text("utf-8").count("No runs yet") == 2


# ------------------------------------------------------------ large collections


@settings(max_examples=10, deadline=None)
@given(documents=st.integers(10**5, 2**31), hashes=st.integers(20, 300))
def test_the_formula_of_sizes_is_what_the_store_writes(documents: int, hashes: int) -> None:
    last = documents - 1
    assume(last - 2 ** (last.bit_length() - 1) > documents // 50)  # or else few blocks have one that needs so many bits
    shard = Shard(documents, hashes, 11 * hashes)
    some = sizes.slice_of(shard, 20_000)
    _, _, counts = _encode.encode_postings(some.hashes, some.document_ids, False)
    assert np.mean(counts) == pytest.approx(sizes.block_postings(shard), rel=0.01)
    _, _, counts = _encode.encode_positions(some.encoded_positions, False)
    width = (shard.longest + 1).bit_length()
    assert np.mean(counts) == pytest.approx(8 * (sizes.BLOCK - sizes.AROUND_POSITIONS) // width, rel=0.01)
    assert sizes.entropy_bytes(shard) < sizes.posting_bytes(shard) < sizes.entropy_bytes(shard) + 1


def test_a_slice_of_a_large_database_takes_a_posting_what_a_whole_small_one_does(tmp_path: Path) -> None:
    whole = shard_of(1000)
    point = growth.measured(tmp_path, whole.postings)
    for measured, positions in ((point.posting, False), (point.placed, True)):
        simulated = sizes.simulated(tmp_path / "slice", whole, whole.postings, positions=positions)
        assert simulated == pytest.approx(measured, rel=0.01)
    assert list(tmp_path.iterdir()) == []
    assert point.fences == pytest.approx(growth.expected(whole.postings)[2], rel=0.02)


def test_what_grows_as_a_power_is_told_its_exponent() -> None:
    assert growth.exponent([10, 100, 1000], [3, 30, 300]) == pytest.approx(1)
    assert growth.exponent([10, 100, 1000], [5, 5, 5]) == pytest.approx(0)


def test_spark_moves_no_less_than_the_hash_and_no_more_than_the_row() -> None:
    moved = sizes.moved(shard_of(10**9), 100, task=100_000)
    for name, row in (
        ("by_document", 33),
        ("by_hash", 36),
        ("held", 28),
        ("counted", 28),
        ("folder", 24),
        ("table", 16),
    ):
        assert 7 < getattr(moved, name) < row


def test_a_plan_names_what_it_computes_before_it_is_used() -> None:
    begin = scale.givens(
        Point(10**6, 8, 9, 80, 1, 1, 2, 20_000), 30, 126, sizes.moved(shard_of(10**9), 100, task=100_000), {}, 1100
    )
    names = [one.name for one in begin] + ["documents"] + [line.name for line in plan.lines()]
    assert len(names) == len(set(names))
    values = {one.name: one.value for one in begin}
    small, large = (plan.computed(values | {"documents": count}) for count in scale.COLLECTIONS)
    assert large["all_files"] == pytest.approx(10 * small["all_files"])
    assert large["shards"] * large["one_file"] == pytest.approx(large["all_files"])
    assert large["one_file"] < 2**40
    assert large["shard"] < file_format.FIRST_BOILERPLATE
    assert f"{large['shards']:,.0f} |" in scale.plan_tables(begin)
    assert all(line.name in large for line in plan.lines())


@pytest.mark.parametrize(("value", "unit", "text"), [
    (1.5e12, "bytes", "1.5 TB"), (7.7, "bytes", "7.7 bytes"), (7200, "s", "2 h"), (0.002, "s", "2 ms"),
    (1e10, "", "1e10"), (100, "", "100"), (0.36, "", "0.36"), (2.7e5, "", "270,000"),
])  # fmt: skip
def test_numbers_of_a_plan_have_the_unit_that_suits(value: float, unit: str, text: str) -> None:
    assert plan.text_of(value, unit) == text


def test_the_page_about_scale_has_a_place_for_every_table(tmp_path: Path) -> None:
    copy = Path(shutil.copy(scale.PAGE, tmp_path))
    for name in ("growth", "plan", "sizes", "moved"):
        scale.page.write(name, "as it was measured", copy)
    assert copy.read_text("utf-8").count("as it was measured") == 4
