"""Texts are misread as often as is said, and passages are where they are said to be."""

import random

import pytest

from bench.misreading import misread
from bench.passages import TWO_CHARACTERS, make, read_documents, select


@pytest.mark.parametrize("errors", [0.0, 0.05, 0.5, 1.0])
def test_so_many_letters_are_wrong(errors: float) -> None:
    text = "abcdefghij klmnopqrst, uvwxyz 0123456789. " * 200
    wrong = misread(text, errors, random.Random(1))
    letters = sum(map(str.isalnum, text))
    same = sum(a == b for a, b in zip(text.split(), wrong.split(), strict=False))
    assert abs(len(wrong) - len(text)) <= 0.05 * letters
    assert (same == len(text.split())) == (errors == 0)
    assert [each for each in wrong if not each.isalnum()] == [each for each in text if not each.isalnum()]
    assert misread(text, errors, random.Random(1)) == wrong


@pytest.mark.parametrize("errors", [0.0, 0.1])
def test_passages_are_where_they_are_said_to_be(errors: float) -> None:
    documents = read_documents([])[:40]
    for (query, document, planted), (plain, _, passages) in zip(
        make(documents, 12, 1, errors=errors), make(documents, 12, 1), strict=True
    ):
        outside, place = [], 0
        for (name, passage), (plain_name, exact) in zip(planted, passages, strict=True):
            assert (name, passage[3:]) == (plain_name, exact[3:])
            outside.append(query[place : passage.a_start])
            place = passage.a_end
            same = query[passage.a_start : passage.a_end] == plain[exact.a_start : exact.a_end]
            assert same == (errors == 0)
        left, place = [], 0
        for _, exact in passages:
            left.append(plain[place : exact.a_start])
            place = exact.a_end
        assert outside == left
        assert len(document) <= 30_000


def test_words_of_scripts_without_spaces_are_two_characters() -> None:
    texts = select(
        "\n\n".join(f"第{number}条：" + "汉字文本" * 30 for number in range(start, start + 40)) for start in (0, 40)
    )
    pairs = make(texts, 10, 1, word=TWO_CHARACTERS)
    assert any(pair.passages for pair in pairs)
    for pair in pairs:
        for name, (_, a, a_end, b, b_end) in pair.passages:
            if name == "verbatim":
                assert pair.query[a:a_end].rstrip() == pair.document[b:b_end].rstrip()
