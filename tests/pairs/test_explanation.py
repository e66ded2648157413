"""Two documents are a pair exactly where no reason is given against it."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.pairs.explanation import ADDITIONAL, ExplainedDocument, Explanation, Reason, find_reasons
from fpdb.pairs.options import PairOptions

BOILERPLATE, COMMON = set(range(10, 20)), set(range(20, 30))

MEASURES = st.sampled_from([0.0, 0.5, 1.0])
hashes = st.sets(st.integers(0, 29), max_size=12)


@st.composite
def explained(draw, name, held):
    """Draw a document of these hashes that agrees with itself."""
    boilerplate = draw(st.booleans()) if held <= BOILERPLATE else False
    kgrams = draw(st.integers(len(held), len(held) + 2))
    alphabet = draw(st.sampled_from(["characters", "characters", "tokens", None]))
    ignored = len(held & BOILERPLATE), len(held & COMMON)
    counts = len(held), *ignored, len(held) - sum(ignored)
    return ExplainedDocument(name, True, "text", alphabet, boilerplate, kgrams + 5, kgrams, len(held), *counts)


@st.composite
def explanations(draw):
    """Draw facts that agree with each other."""
    held = draw(hashes), draw(hashes)
    a, b = draw(explained("a", held[0])), draw(explained("b", held[1]))
    both = held[0] & held[1]
    counted = both - BOILERPLATE - COMMON
    measure, minimum = draw(MEASURES) if counted else 0.0, draw(MEASURES)
    numbers = len(counted), len(both & BOILERPLATE), len(both & COMMON)
    k, surely, longest = (draw(st.none() | st.integers(1, 90)) for _ in range(3))
    return Explanation(
        False, a, b, *numbers, 0, 0, 0, "containment", measure, minimum, 7, k, surely, longest, "fingerprints", ()
    )


@settings(max_examples=120)
@given(explanations(), st.integers(1, 3), st.booleans(), st.booleans())
def test_a_pair_has_no_reason_against_it(facts, min_shared, same_content, same_owner):
    options = PairOptions(min_shared=min_shared)
    reasons = find_reasons(facts, options, same_content=same_content, same_owner=same_owner)
    codes = [reason.code for reason in reasons]
    is_pair = (
        facts.shared >= min_shared
        and facts.measure >= facts.min
        and facts.a.alphabet == facts.b.alphabet
        and not (same_owner or facts.a.boilerplate or facts.b.boilerplate)
    )
    assert (codes[:1] == ["similar"]) == is_pair == ("similar" in codes)
    assert is_pair == all(code in ("similar", *ADDITIONAL) for code in codes)
    assert ("same_content" in codes) == same_content
    assert ("same_owner" in codes) == same_owner
    assert ("shared_boilerplate" in codes, "shared_common" in codes) == (
        facts.shared_boilerplate > 0,
        facts.shared_common > 0,
    )
    assert all(reason.text.endswith(".") for reason in reasons)


@given(explanations())
def test_a_dict_holds_every_field_for_json(facts):
    facts = replace(facts, reasons=tuple(find_reasons(facts, PairOptions(), same_content=True, same_owner=False)))
    told = json.loads(json.dumps(facts.to_dict()))
    sides = {side: ExplainedDocument(**told[side]) for side in "ab"}
    assert Explanation(**(told | sides | {"reasons": tuple(Reason(**reason) for reason in told["reasons"])})) == facts
