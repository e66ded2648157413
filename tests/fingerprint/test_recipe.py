"""Recipes say what is wrong with them, survive their record, and never give other hashes than before."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fpdb.errors import BadRecipe, UnknownKind, Unreadable
from fpdb.fingerprint import SCHEMES, Recipe, Rule, content_digest, recipe
from fpdb.fingerprint.presets import PRESETS
from fpdb.readers.folding import ALPHABETS
from tests.fingerprint import oracle

TEXT = "In each window select the minimum hash value; of several, the rightmost. Größe, Жизнь, 中文."

GOLDEN_TEXT = {
    1: [(7105381945907813995, 8, 10), (11057603956152839232, 21, 26)],
    2: [(4748143619834124568, 4, 5), (11245802763272962894, 18, 22), (2529351248033358226, 24, 29)],
}
GOLDEN_SMALL = {
    1: [
        (11009579831231565540, 1, 1),
        (18198235825253402697, 2, 2),
        (9779875393745336393, 3, 3),
        (17255475410215407921, 4, 3),
        (13977564024393939135, 6, 6),
        (8892985411138718482, 7, 6),
    ],
    2: [
        (11009579831231565540, 1, 1),
        (18198235825253402697, 2, 2),
        (9779875393745336393, 3, 3),
        (17255475410215407921, 4, 3),
        (13977564024393939135, 6, 6),
        (14461520289631930515, 8, 8),
    ],
}
LONG = " ".join(f"{i * 7919 % 10007:x} word{chr(97 + i % 26)} {'so ' * (i % 5)}" for i in range(1500))
GOLDEN_SELECTIONS = {
    1: (
        {
            "winnow": "372c0ec8713e14827d597d9f0fb64650",
            "robust-winnow": "372c0ec8713e14827d597d9f0fb64650",
            "mod-winnow": "c58c243b7035c3e2dbd366d08af98991",
            "mod": "2f36ad3aa2ca3a76a48e8839c8f79a0c",
            "safe-mod": "242564eb99eb421778e0b7870f9457b5",
            "smallest": "13bf49ad4d214d9598b98a69025de8cf",
            "koala": "37a890f5ace899b465902b09ac86567c",
            "distinct": "8961acdc5e941ade9980ec7f2ed6d9e8",
            "full": "608c2e5930985da1c5dab11c687d49cd",
            "random": "1922e086164c1a9770a6570c3f3fd095",
        },
        {
            "text": "372c0ec8713e14827d597d9f0fb64650",
            "answers": "f34d48878e90e9b59f25a45ce911e578",
            "ocr": "d12744465addffec8f800e995f45011e",
            "cjk": "414b9b3782288e0ddee8329acb8d1d16",
            "code": "372c0ec8713e14827d597d9f0fb64650",
            "web": "93478d68780e8229d2fe1cdeb675329f",
            "koala": "d43b0ad279bc1fdce5e8190b80aa3d84",
            "sample": "13bf49ad4d214d9598b98a69025de8cf",
        },
    ),
    2: (
        {
            "winnow": "61aa6cd45b2da151341fdd8bb67daefd",
            "robust-winnow": "61aa6cd45b2da151341fdd8bb67daefd",
            "mod-winnow": "8deab1d61ec119ec2b43b785663d0c96",
            "mod": "d3080a371b212fc3fbb80f759323679b",
            "safe-mod": "ce99d84ce52db427d6cf043b1f852342",
            "smallest": "1e9e5f5ae79cc7296f23f67940061253",
            "koala": "4a9e8b4c308fc883d0ddfbac0a3d7eb5",
            "distinct": "7d44f41703fd1ba20a5f8c936eaa8409",
            "full": "376f5803bf284b8c897dbd5d8ceaec39",
            "random": "0e49d761de5fa7742a5b0cdb409f14a2",
        },
        {
            "text": "61aa6cd45b2da151341fdd8bb67daefd",
            "answers": "bc1d7b6960ee6b10d20ffe338ccadcdc",
            "ocr": "ac866fa3291735ef9d40b6578efe4afd",
            "cjk": "5393553e841410acdad9ae59247a65bd",
            "code": "61aa6cd45b2da151341fdd8bb67daefd",
            "web": "d5ae41f7a53a94f077f76748eb282e30",
            "koala": "35d813e8f12139750761a85d306a2740",
            "sample": "1e9e5f5ae79cc7296f23f67940061253",
        },
    ),
}
"""Of each version of the readers: digests by scheme, and by preset."""
GOLDEN_DIGEST = "27b8300cc813da8087685d7e5094bf99"

SMALL = {
    "w": st.integers(1, 30),
    "r": st.integers(1, 8),
    "p": st.integers(1, 20),
    "n": st.integers(1, 20),
    "search": st.integers(5, 20),
    "stored": st.integers(1, 5),
    "skip": st.integers(0, 10),
    "guarantee": st.integers(20, 50),
    "s": st.integers(0, 30),
    "delta": st.floats(0.001, 0.4),
    "total": st.just(0),
    "sparse": st.integers(0, 1),
}


@st.composite
def recipes(draw):
    """Of every scheme, alphabet and width."""
    scheme = draw(st.sampled_from(sorted(SCHEMES)))
    parameters = {name: draw(SMALL[name]) for name in SCHEMES[scheme].parameters}
    rule = Rule(draw(st.integers(1, 20)), scheme, parameters)
    alphabet = draw(st.sampled_from(ALPHABETS))
    bits, positions = draw(st.sampled_from([16, 40, 64])), draw(st.booleans())
    return Recipe(draw(st.integers(0, 2**64 - 1)), {alphabet: rule}, bits, positions)


def as_rows(fingerprints):
    return list(
        zip(
            fingerprints.hashes.tolist(),
            fingerprints.positions.tolist(),
            fingerprints.starts.tolist(),
            strict=True,
        )
    )


@given(recipes(), st.text() | st.text("abEé1 ", min_size=30), st.sampled_from(["store", "search"]))
def test_fingerprints_equal_the_definitions(chosen, text, purpose):
    fingerprints = chosen.fingerprint(text, purpose=purpose)
    assert as_rows(fingerprints) == oracle.fingerprint(text, chosen, purpose)
    document, rule = oracle.read(text, chosen)
    assert fingerprints.symbols == len(document.symbols)
    assert fingerprints.kgrams == max(fingerprints.symbols - rule.k + 1, 0)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("module", ["this.py", "textwrap.py"])
def test_real_input_equals_the_definitions(preset, module):
    content = Path(sysconfig.get_path("stdlib"), module).read_bytes()
    chosen = Recipe.preset(preset)
    assert as_rows(chosen.fingerprint(content)) == oracle.fingerprint(content.decode(), chosen)


@given(
    texts=st.lists(
        st.text(max_size=80)
        | st.binary(max_size=80)
        | st.text("ab c.", max_size=300)
        | st.text("éß“ﬁЖ中", max_size=60),
        max_size=8,
    ),
    k=st.integers(1, 12),
    w=st.integers(1, 30),
    scheme=st.sampled_from(["winnow", "robust-winnow"]),
    bits=st.sampled_from([32, 64]),
    positions=st.booleans(),
    purpose=st.sampled_from(["store", "search"]),
)
@example(["x" * 9000, "", "y" * 5000 + "ab" * 4000], 5, 3000, "robust-winnow", 64, True, "store")  # beyond a chunk
def test_texts_together_equal_each_alone(texts, k, w, scheme, bits, positions, purpose):  # noqa: PLR0913 (drawn values and fixtures)
    chosen = Recipe(7, {"characters": Rule(k, scheme, {"w": w})}, hash_bits=bits, positions=positions)
    found = chosen.fingerprint_texts(texts, purpose=purpose)
    end = 0
    for index, text in enumerate(texts):
        alone = chosen.fingerprint(text, "text", purpose=purpose)
        start, end = end, end + found.counts[index]
        if found.symbols[index] < 0:
            assert start == end
            assert not text.isascii() or (isinstance(text, bytes) and (b"\0" in text or b"\x1b$" in text))
            continue
        assert (found.symbols[index], found.kgrams(index)) == (alone.symbols, alone.kgrams)
        assert np.array_equal(found.hashes[start:end], alone.hashes)
        assert np.array_equal(found.positions[start:end], alone.positions)
    assert end == len(found.hashes) == len(found.positions)


def test_texts_are_taken_together_where_a_window_selects():
    Recipe.preset().fingerprint("Größe")  # from now on its letters are known
    assert Recipe.preset().fingerprint_texts(["Größe", b"Size"]).symbols == [6, 4]
    assert Recipe.preset().fingerprint_texts(["x"], purpose="discard") is None
    assert Recipe.preset("koala").fingerprint_texts(["x"]) is None
    assert Recipe.preset("sample").fingerprint_texts(["x"]) is None


def test_hashes_never_change():
    """Databases hold these: if this test fails, the change makes every existing database useless."""
    for version, golden in GOLDEN_TEXT.items():
        fingerprints = Recipe.preset().with_(reader_version=version).fingerprint(TEXT)
        assert as_rows(fingerprints) == golden
        coded = Recipe(1, {"characters": Rule(3, "winnow", {"w": 2})}, reader_version=version)
        assert as_rows(coded.fingerprint("Größe ﬁ 한")) == GOLDEN_SMALL[version]
    assert content_digest(TEXT) == content_digest(TEXT.encode()) == bytes.fromhex(GOLDEN_DIGEST)


def summarise(found):
    return content_digest(found.hashes.astype("<u8").tobytes() + found.positions.astype("<u4").tobytes()).hex()


def test_selections_never_change():
    """The same for every scheme and preset, with their defaults."""
    for version, (golden_schemes, golden_presets) in GOLDEN_SELECTIONS.items():
        recipe = Recipe.preset().with_(reader_version=version)
        schemes = {scheme: summarise(recipe.with_(scheme=scheme).fingerprint(LONG)) for scheme in SCHEMES}
        assert schemes == golden_schemes
        recipes = {preset: Recipe.preset(preset).with_(reader_version=version) for preset in PRESETS}
        assert {preset: summarise(recipes[preset].fingerprint(LONG)) for preset in PRESETS} == golden_presets


@given(recipes())
def test_a_record_gives_the_recipe_back(chosen):
    assert Recipe.from_record(chosen.to_record()) == chosen


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"key": 1},
        {"key": 1, "rules": {}},
        {"key": 1, "rules": []},
        {"key": -1, "rules": {"characters": {"k": 3, "scheme": "winnow", "parameters": {"w": 2}}}},
        {"key": 1, "rules": {"characters": {"k": 3, "scheme": "winnow", "parameters": 5}}},
        {"key": 1, "rules": {"characters": {"k": 3, "scheme": ["winnow"], "parameters": {"w": 2}}}},
        {"key": 1, "rules": {"characters": {"k": 3, "scheme": "winnow", "parameters": {"w": 2}, "x": 1}}},
        {"key": 1, "rules": {"characters": {"k": 3, "scheme": "winnow", "parameters": {"w": 2}}}, "x": 1},
    ],
)
def test_records_of_no_recipe_are_refused(record):
    with pytest.raises(BadRecipe):
        Recipe.from_record(record)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"w": 0}, "w is the window, in k-grams: from 1 to 1048576, not 0"),
        ({"k": 0}, "k is the length of a k-gram, in symbols: from 1 to 500, not 0"),
        ({"k": 501}, "from 1 to 500, not 501"),
        ({"k": 2.0}, "k must be a whole number"),
        ({"scheme": "winow"}, "there is no scheme 'winow'; choose one of: winnow, robust-winnow"),
        ({"p": 3}, "scheme 'robust-winnow' has no parameter 'p'; its parameters: w"),
        ({"key": 2**64}, "the key must be a whole number from 0 to 2^64 - 1"),
        ({"hash_bits": 8}, "hash_bits must be a whole number from 16 to 64, not 8"),
        ({"reader_version": 3}, "reader_version must be a whole number from 1 to 2, not 3"),
        ({"positions": 1}, "positions must be true or false, not 1"),
        ({"max_df": -1}, "max_df must be a whole number"),
        ({"scheme": "koala", "stored": 2000}, "stored is a part of search: at most 1000, not 2000"),
        ({"scheme": "distinct", "guarantee": 29}, "no passage shorter than k=30 can be found: guarantee=29"),
        ({"scheme": "mod", "w": 3}, "scheme 'mod' has no parameter 'w'; its parameters: p"),
    ],
)
def test_bad_changes_say_what_to_do(changes, message):
    with pytest.raises(BadRecipe) as raised:
        Recipe.preset().with_(**changes)
    assert message in str(raised.value)


def test_changes_leave_the_rest_alone():
    changed = Recipe.preset().with_(k=7, w=None, scheme="winnow")
    assert changed.rules == {**Recipe.preset().rules, "characters": Rule(7, "winnow", {"w": 21})}
    assert changed.key == Recipe.preset().key
    assert Recipe.preset().with_() == Recipe.preset()
    assert type(Recipe.preset().with_(hash_bits=np.int64(40)).hash_bits) is int
    assert Recipe.preset().with_(hash_bits=40, positions=False, max_df=4) == Recipe(
        Recipe.preset().key, Recipe.preset().rules, 40, False, 4
    )


def test_unknown_names_are_refused():
    with pytest.raises(BadRecipe, match="there is no preset 'x'; choose one of: text, answers, ocr, cjk, code, web"):
        Recipe.preset("x")
    with pytest.raises(UnknownKind, match="kind 'audio'; kinds: text"):
        Recipe.preset().fingerprint(TEXT, "audio")
    with pytest.raises(UnknownKind, match="no rule for characters or consonants, which 'text' documents need"):
        Recipe(1, {"tokens": Rule(3, "winnow", {"w": 2})}).fingerprint(TEXT)
    with pytest.raises(UnknownKind, match="no rule for tokens, which 'code' documents need"):
        Recipe.preset("koala").fingerprint(TEXT, "code")


def test_a_kind_is_read_in_the_one_alphabet_that_has_a_rule():
    rule = Rule(3, "full", {})
    assert Recipe(1, {"characters": rule}).fingerprint("Year 7").symbols == 5
    assert Recipe(1, {"consonants": rule}).fingerprint("Year 7").symbols == 2
    with pytest.raises(BadRecipe, match="'text' documents are read in one alphabet, not in several"):
        Recipe(1, {"characters": rule, "consonants": rule})


def test_what_is_at_its_default_is_not_recorded():
    """So the records of databases made before there was a choice are those of today."""
    assert set(Recipe.preset().with_(reader_version=1).to_record()) == {"key", "rules"}
    assert Recipe.from_record(Recipe.preset().with_(reader_version=1).to_record()).reader_version == 1
    assert Recipe.preset().to_record()["reader_version"] == 2
    koala = Recipe.preset("koala").with_(reader_version=1).to_record()
    assert {name: koala[name] for name in koala if name not in ("key", "rules")} == {
        "hash_bits": 38,
        "positions": False,
        "max_df": 4,
        "max_ignored": 10,
    }


def test_narrow_hashes_are_the_highest_bits_of_wide_ones():
    wide, narrow = Recipe.preset(), Recipe.preset().with_(hash_bits=40)
    expected = wide.fingerprint(TEXT).hashes >> np.uint64(24)
    assert np.array_equal(narrow.fingerprint(TEXT).hashes, expected)


def test_only_some_schemes_rotate():
    with pytest.raises(BadRecipe, match="can rotate: koala"):
        Recipe.preset().fingerprint(TEXT, rotation=1)
    with pytest.raises(BadRecipe, match="rotation must be a whole number from 0"):
        Recipe.preset("koala").fingerprint(TEXT, rotation=-1)


def test_documents_too_long_for_positions_are_refused(monkeypatch):
    monkeypatch.setattr(recipe, "SYMBOLS_LIMIT", 30)
    assert Recipe.preset().fingerprint("a" * 29).symbols == 29
    with pytest.raises(Unreadable, match="29 symbols"):
        Recipe.preset().fingerprint("a" * 30)


@pytest.mark.parametrize("encoding", ["iso2022_jp", "iso2022_jp_ext", "utf-16-le", "utf-16-be"])
def test_encoded_texts_of_ascii_bytes_are_left_to_their_reader(encoding: str) -> None:
    text = "A line in English. " * 9 + {"iso2022_jp": "日本語の文章です。", "iso2022_jp_ext": "ﾃｽﾄ"}.get(encoding, "")
    found = Recipe.preset().fingerprint_texts([text.encode(encoding), b"Size"])
    assert found is not None
    assert found.symbols == [-1, 4]
    alone = Recipe.preset().fingerprint(text.encode(encoding), "text")
    assert alone.hashes.tolist() == Recipe.preset().fingerprint(text, "text").hashes.tolist()
