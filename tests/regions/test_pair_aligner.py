"""Regions of real documents: characters and lines exact in the original, and honest where it is gone."""

import itertools
import json
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.fingerprint.presets import PRESETS
from fpdb.regions.pair_aligner import PairAligner
from fpdb.regions.region import Region, RegionOptions
from fpdb.regions.source_roots import SourceRoots
from fpdb.regions.sources import Sources
from tests.reference_database import as_json
from tests.regions.documents import SEPARATORS, add, folded, match_of, plain_line, words

GUARANTEE = 50  # symbols: w + k - 1 of the preset "text"


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_passage_is_found_to_its_last_letters(tmp_path_factory, data):
    """Whatever stands around it: the region is the longest equal stretch, and its lines are where it stands."""
    folder = tmp_path_factory.mktemp("regions")
    separators = st.lists(st.sampled_from(SEPARATORS), min_size=4, max_size=4)

    def text(seed, count):
        between = data.draw(separators)
        return "".join(word + between[at % 4] for at, word in enumerate(words(seed, count)))

    passage = text(1, data.draw(st.integers(40, 80)))
    query = data.draw(st.sampled_from(["", "\ufeff", "\U0001f600\r\n", text(2, 20)])) + passage + text(3, 20)
    document = (
        data.draw(st.sampled_from(["", "\n", "é\r", text(4, 20)])) + passage + data.draw(st.sampled_from(["", "\n"]))
    )
    with fpdb.open(folder / "t.fpdb") as db:
        add(db, folder, "a", document)
        (region,) = match_of(db, query).regions
        assert db.check() == []
    without_mark = document.removeprefix("\ufeff")
    for original, side in ((query, region.a), (without_mark, region.b)):
        assert folded(passage) in folded(original[side.start : side.end])
        assert original[side.start].isalnum()
        assert original[side.end - 1].isalnum()
        assert side.first_line == plain_line(original, side.start)
        assert side.last_line == plain_line(original, side.end - 1)
    here, there = (
        [folded(part) for part in (original[: side.start], original[side.start : side.end], original[side.end :])]
        for original, side in ((query, region.a), (without_mark, region.b))
    )
    assert here[1] == there[1]
    assert not here[0] or not there[0] or here[0][-1] != there[0][-1]
    assert not here[2] or not there[2] or here[2][0] != there[2][0]


def test_several_regions_on_one_line(db, tmp_path):
    parts = [" ".join(words(seed, 20)) for seed in range(5)]
    add(db, tmp_path, "a", "\n".join(parts))
    query = f"{parts[0]} {' '.join(words(90, 9))} {parts[3]} {' '.join(words(91, 9))} {parts[1]}"
    regions = match_of(db, query, gap=0).regions
    assert [region.a.first_line for region in regions] == [1, 1, 1]
    assert [query[region.a.start :].startswith(parts[at][:20]) for region, at in zip(regions, (0, 3, 1), strict=True)]
    assert [region.b.first_line for region in regions] == [1, 4, 2]
    assert all(one.a.end <= other.a.start for one, other in itertools.pairwise(regions))


def test_every_passage_of_the_guarantee_is_covered(db, tmp_path, rng):
    """The winnowing guarantee, for regions: on a small alphabet, by comparing all symbols with all."""
    for trial in range(20):
        document = "".join(rng.choice(list("abcd"), 300))
        pieces = [document[at : at + 75] for at in rng.permutation([0, 75, 150, 225])[:3]]
        query = "".join(piece + "".join(rng.choice(list("abcd"), 40)) for piece in pieces)
        add(db, tmp_path, f"{trial}", document)
        (match,) = [match for match in db.query(query, regions=True, gap=0).matches if match.name == f"{trial}"]
        inside = {at for region in match.regions for at in range(region.a.start, region.a.end)}
        starts = {document[at : at + GUARANTEE] for at in range(len(document) - GUARANTEE + 1)}
        for at in range(len(query) - GUARANTEE + 1):
            if query[at : at + GUARANTEE] in starts:
                assert len(inside & set(range(at, at + GUARANTEE))) >= GUARANTEE // 2
        for region in match.regions:
            here, there = region.a, region.b
            assert query[here.start : here.end] == document[there.start : there.end]


# ---------------------------------------------------------------- repeats, coverage, order


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("times", [1, 3, 10, 30])
def test_a_block_that_repeats(db, tmp_path, times, kept):
    """It counts once if the other document has it once; coverage is the same from either side."""
    block = " ".join(words(1, 40))
    many = "\n".join(f"{block} {' '.join(words(100 + at, 12))}" for at in range(times))
    add(db, tmp_path, "many", many)
    add(db, tmp_path, "one", f"{' '.join(words(2, 30))} {block}")
    given = {} if kept else {"texts": lambda _: None}
    answers = {name: db.query(text, regions=True, **given) for name, text in (("many", many), ("one", block))}
    (one,) = [match for match in answers["many"].matches if match.name == "one"]
    (other,) = [match for match in answers["one"].matches if match.name == "many"]
    assert len(one.regions) == len(other.regions) == 1
    for answer in answers.values():
        assert all(0 < share <= 1 for m in answer.matches for share in (m.query_coverage, m.document_coverage))
        assert max(match.query_coverage for match in answer.matches) > 0.85
    assert abs(one.query_coverage - other.document_coverage) < 0.02
    shortest = len(folded(block)) / len(folded(many))
    assert 0.85 * shortest < one.query_coverage < shortest + 0.1
    assert all(match.regions == [] for match in db.query(block, regions=True, shortest=len(many) + 1, **given).matches)


def test_answers_do_not_depend_on_the_order_of_adding(tmp_path, rng):
    pool = [" ".join(words(seed, 30)) for seed in range(8)]
    texts = {f"{number}": "\n".join(rng.choice(pool, 6)) for number in range(9)}
    query = "\n".join(rng.choice(pool, 6))
    answers = set()
    for number in range(3):
        path = tmp_path / f"{number}.fpdb"
        with fpdb.open(path) as db:
            for name in rng.permutation(sorted(texts)):
                db.add(str(name), texts[name])
            for given in ({}, {"texts": lambda document: texts[document.name]}):
                answers.add((len(given), as_json(db.query(query, regions=True, **given))))
            assert db.check() == []
    assert len(answers) == 2


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("kept", [True, False])
def test_every_preset_has_regions(tmp_path, preset, kept):
    text = "\n".join(" ".join(words(seed, 12)) for seed in range(60))
    half = "\n".join(text.split("\n")[:30])
    with fpdb.open(tmp_path / "t.fpdb", recipe=fpdb.Recipe.preset(preset)) as db:
        path = add(db, tmp_path, "a", text)
        if not kept:
            path.unlink()
        match = match_of(db, half)
        assert match.source == ("same" if kept else "gone")
        assert bool(match.regions) == (kept or db.recipe.positions)
        assert 0 <= match.document_coverage <= match.query_coverage <= 1
        if kept:
            assert match.query_coverage > 0.9
        json.dumps(db.query(half, regions=True).to_dict())
        assert db.check() == []


@pytest.mark.parametrize("options", [{"window": 60}, {"smallest": 5}, {"max_df": 9}, {"top": 1}, {"min": 0.1}])
def test_regions_are_of_all_fingerprints_of_the_query(db, tmp_path, options):
    text = " ".join(words(1, 200))
    add(db, tmp_path, "a", text)
    query = " ".join([*words(2, 20), text])
    assert match_of(db, query, **options).regions == match_of(db, query).regions


# ---------------------------------------------------------------- boilerplate


def test_regions_have_no_boilerplate(db, tmp_path):
    """A region takes half a k-gram of a template in at most, at its ends, and a template counts in no measure."""
    template, own = " ".join(words(1, 60)), " ".join(words(2, 60))
    db.add("template", template, boilerplate=True)
    text = f"{own}\n{template}\n{' '.join(words(3, 60))}"
    add(db, tmp_path, "a", text)
    add(db, tmp_path, "b", template)
    match = match_of(db, text)
    own_part, rest = match.regions
    assert own_part.a.start == 0
    k = db.recipe.rules["characters"].k
    assert len(folded(text[own_part.a.end : rest.a.start])) >= len(folded(template)) - k
    assert match.query_coverage == match.document_coverage == match.containment == 1  # of what is no boilerplate
    assert db.query(template, regions=True).matches == []


@pytest.mark.parametrize("boilerplate", [True, False])
def test_ignored_hashes_part_regions(db, tmp_path, boilerplate):
    """Also beside boilerplate, which parts them as well."""
    common, own, form = (" ".join(words(seed, 60)) for seed in (1, 2, 4))
    for number in range(5):
        add(db, tmp_path, f"{number}", " ".join([common, *words(10 + number, 20)]))
    text = f"{own}\n{common}"
    if boilerplate:
        db.add("form", form, boilerplate=True)
        text += f"\n{form}"
    add(db, tmp_path, "a", text)
    text = " ".join([text, *words(3, 20)])  # a copy would be compared as a whole
    assert {match.name: len(match.regions) for match in db.query(text, max_df=3, regions=True).matches} == {"a": 1}
    match = match_of(db, text, max_df=3)
    assert match.query_coverage < 0.75
    assert db.query(text, regions=True).matches[0].query_coverage > 0.8


def test_without_asking_there_are_none(db, tmp_path):
    text = " ".join(words(1, 60))
    add(db, tmp_path, "a", text)
    (match,) = db.query(text).matches
    assert (match.regions, match.source, match.query_coverage, match.document_coverage) == (None,) * 4
    assert list(db.query(text).to_dict()["matches"][0]) == [
        "name", "shared", "containment", "reverse_containment", "resemblance", "identical",
    ]  # fmt: skip


def test_hashes_of_the_callers_own_have_positions_only(db):
    text = " ".join(words(1, 60))
    found = db.recipe.fingerprint(text)
    db.add_fingerprints("a", found.hashes, found.positions)
    match = match_of(db, text, texts=lambda _: text)
    assert match.source == "unavailable"
    assert len(match.regions) == 1
    assert 0 < match.document_coverage <= 1


# ---------------------------------------------------------------- pairs of stored documents

NAMES = "abc"


@contextmanager
def pair_aligner(db, texts, max_df=0, **options):
    """Open an aligner that reads these contents, by name, and no others, without hashes that so many documents hold."""
    with db.snapshot() as snapshot:
        sources = Sources(lambda *_: SourceRoots([]), lambda _, record: texts.get(record.name.decode()))
        find_common = (lambda hashes: hashes[snapshot.look_up(hashes, cap=max_df).capped]) if max_df else None
        yield PairAligner(snapshot, db.recipe, sources, find_common=find_common, **options)


@pytest.mark.parametrize("readable", ["", "a", "b", "ab", "bc", "abc"])
def test_pairs_of_stored_documents_are_aligned_from_either_side(db, readable):
    """With what contents there are: exactly, if both are; else within the exact regions; the same from both sides."""
    passage = "".join(words(1, 40))
    texts = {
        name: "".join([*words(10 + index, 20), passage, *words(20 + index, 30)]) for index, name in enumerate(NAMES)
    }
    for name, text in texts.items():
        db.add(name, text)
    pairs = list(itertools.permutations(range(len(NAMES)), 2))
    with pair_aligner(db, {name: texts[name] for name in readable}) as aligner:
        alignments = dict(aligner.align_pairs(pairs))
    assert sorted(alignments) == list(range(len(pairs)))
    for index, (a, b) in enumerate(pairs):
        alignment = alignments[index]
        assert alignment == alignments[pairs.index((b, a))].swapped()
        states = [side.state for side in (alignment.a, alignment.b)]
        assert states == ["same" if NAMES[side] in readable else "unavailable" for side in (a, b)]
        (region,) = alignment.regions
        here, there = (texts[NAMES[side]] for side in (a, b))
        assert here[region.a_start : region.a_end] == there[region.b_start : region.b_end]
        assert here[region.a_start : region.a_end] in passage or states == ["same", "same"]
        assert alignment.coverage_a == (region.a_end - region.a_start) / len(here)
        assert alignment.coverage_b == (region.b_end - region.b_start) / len(there)
        if states == ["same", "same"]:
            assert passage in here[region.a_start : region.a_end]
        else:
            assert region.a_end - region.a_start > len(passage) - 2 * GUARANTEE


@pytest.mark.parametrize("readable", ["", "a", "b"])
def test_few_postings_are_read_for_pairs_without_contents(db, readable):
    text = "".join(words(1, 60))
    for name in "ab":
        db.add(name, text)
    count = db.info()["postings"]
    for limit in (None, count, count - 1):
        with pair_aligner(db, dict.fromkeys(readable, text), max_postings=limit) as aligner:
            ((_, alignment),) = aligner.align_pairs([(0, 1)])
        assert (alignment.regions is None) == (limit == count - 1 and not readable)
        assert (alignment.coverage_a == 0) == (alignment.regions is None)


@pytest.mark.parametrize("readable", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("boilerplate", [True, False])
def test_copies_are_aligned_though_their_hashes_are_common(db, readable, boilerplate):
    form, text = ("".join(words(seed, 60)) for seed in (1, 2))
    texts = {"a": form + text, "b": form + text, "c": form + text + "".join(words(3, 60))}
    for name, each in texts.items():
        db.add(name, each)
    if boilerplate:
        db.add("form", form, boilerplate=True)
    with pair_aligner(db, {name: texts[name] for name in readable}, max_df=2) as aligner:
        alignments = dict(aligner.align_pairs([(0, 1), (0, 2), (1, 0), (2, 0)]))
    assert [bool(alignments[index].regions) for index in range(4)] == [True, False, True, False]
    assert db.check() == []


@pytest.mark.parametrize("readable", ["", "abc"])
def test_copies_are_aligned_as_a_whole_though_some_hashes_are_common(db, readable):
    """A passage that a third document shares is in the copies' regions, and in none with that document."""
    common, own = ("".join(words(seed, 60)) for seed in (1, 2))
    texts = {"a": common + own, "b": common + own, "c": common + "".join(words(3, 60))}
    for name, text in texts.items():
        db.add(name, text)
    with pair_aligner(db, {name: texts[name] for name in readable}, max_df=3) as aligner:
        alignments = dict(aligner.align_pairs([(0, 1), (0, 2)]))
    assert alignments[0].coverage_a == alignments[0].coverage_b > 0.9
    assert alignments[1].regions == []


def test_copies_too_short_for_a_k_gram_agree_from_end_to_end(db):
    texts = {"a": "a short text", "b": "A short text!", "c": "another text", "d": "", "e": ""}
    for name, text in texts.items():
        db.add(name, text)
    with pair_aligner(db, texts) as aligner:
        alignments = dict(aligner.align_pairs([(0, 1), (0, 2), (3, 4)]))
    assert [alignments[index].regions for index in range(3)] == [[Region(0, 10, 0, 10, 0)], [], []]
    assert [alignments[index].coverage_b for index in range(3)] == [1, 0, 0]


def test_a_changed_symbol_ends_a_region_unless_gaps_are_bridged(db):
    text = "".join(words(1, 60))
    changed = f"{text[:150]}{'y' if text[150] == 'x' else 'x'}{text[151:]}"
    db.add("a", text)
    db.add("b", changed)
    for region_options, expected in (
        (RegionOptions(0), [(0, 150), (151, len(text))]),
        (RegionOptions(1), [(0, len(text))]),
    ):
        with pair_aligner(db, {"a": text, "b": changed}, region_options=region_options) as aligner:
            ((_, alignment),) = aligner.align_pairs([(0, 1)])
        assert [(region.a_start, region.a_end) for region in alignment.regions] == expected
    assert db.check() == []


def test_a_changed_symbol_parts_no_region_of_documents_without_contents(db):
    """Stored hashes that both share tell only that they stand at equal distances."""
    text = "".join(words(1, 60))
    db.add("a", text)
    db.add("b", f"{text[:150]}{'y' if text[150] == 'x' else 'x'}{text[151:]}")
    with pair_aligner(db, {}) as aligner:
        ((_, alignment),) = aligner.align_pairs([(0, 1)])
    (region,) = alignment.regions
    assert region.a_start == region.b_start < 150 < region.a_end == region.b_end
