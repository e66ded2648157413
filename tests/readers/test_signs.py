"""Disguises have signs, and honest texts of many scripts have none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.text_disguises import ARMENIAN, CYRILLIC, GREEK
from fpdb.fingerprint import KINDS, Recipe
from fpdb.readers.folding import look_alikes
from fpdb.readers.signs import Signs, find_signs

ENGLISH = (
    "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience. "
)
HONEST = {
    "English": ENGLISH,
    "Danish": "Alle mennesker er født frie og lige i værdighed og rettigheder, også på Ærø.",
    "Polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw, łącznie ze mną.",
    "Turkish": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar; ısı, İstanbul, dağ.",
    "Vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi, Đà Nẵng.",
    "Vietnamese, decomposed": "Ta\u0302\u0301t ca\u0309 mo\u0323i ngu\u031bo\u031b\u0300i sinh ra",
    "German, with soft hyphens": "Die Würde des Men\u00adschen ist un\u00adan\u00adtast\u00adbar.",
    "Russian": "Все люди рождаются свободными и равными. Он купил SMSку в IT-отделе, e-mail и webсайт; как, не, сора.",
    "Ukrainian": "Всі люди народжуються вільними, п\u02bcять разів; її права і обов\u02bcязки, СНІДу.",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "Armenian": "Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով:",
    "Hebrew": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם\u200f, ב-Word.",
    "Arabic": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق، ١٢٣.",
    "Persian": "تمام افراد بشر آزاد به دنیا می\u200cآیند و حیثیت و حقوق\u200cشان با هم برابر است.",
    "Hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है, क्\u200dष.",
    "Thai": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน",
    "Georgian": "ყველა ადამიანი იბადება თავისუფალი და თანასწორი.",
    "Korean": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "Japanese": "すべての人間は、生れながらにして自由であり、Tシャツ、かつ、尊厳と権利とについて平等である。",
    "Chinese": "人人生而自由,在尊严和权利上一律平等。",
    "Cherokee": "ᏂᎦᏓ ᎠᏂᏴᏫ ᏂᎨᎫᏓᎸᎾ ᎠᎴ ᎤᏂᏠᏱ ᎤᎾᏕᎿ ᏚᏳᎧᏛ ᎨᏒᎢ.",
    "words of Russian in English": "The Russian word \u201cкак\u201d means how; он and она, от Москвы.",
    "science": "TNFα, IFNγ and α-helix; NF-κB, μm, ρg, Δx, νe, χ² of 3, 2θ; the pH of H₂O, x², 10⁻³, Ωm, m³.",
    "emoji": "Well done \u2764\ufe0f \U0001f469\u200d\U0001f4bb and so on.",
    "long names": "see my\u200b.module\u200b.name and /a/\u200bpath",
}


def signs_of(content, kind="text"):
    return find_signs(KINDS[kind].read(content), kind)


@pytest.mark.parametrize("language", HONEST)
def test_honest_texts_have_no_signs(language):
    assert signs_of(HONEST[language]) is None
    assert signs_of(f"<p>{HONEST[language]}</p>", "html") is None
    assert signs_of(f"{ENGLISH} {HONEST[language]} {ENGLISH}") is None


WORD = st.one_of(
    [
        st.text([chr(code) for code in range(*codes) if chr(code).isalpha()], min_size=1, max_size=8)
        for codes in ((0x41, 0x7B), (0xC0, 0x250), (0x370, 0x400), (0x400, 0x530), (0x531, 0x588), (0x13A0, 0x13F6))
    ]
)


@given(st.lists(WORD).map(" ".join))
def test_words_of_one_script_have_no_signs(text):
    assert signs_of(text) is None


@pytest.mark.parametrize("table", [CYRILLIC, GREEK, ARMENIAN])
def test_look_alikes_inside_of_words_are_counted(table):
    text = ENGLISH.translate(table)
    signs = signs_of(text)
    words = [word.strip(".") for word in text.split()]
    expected = 0
    for word in words:
        latin = [place for place, letter in enumerate(word) if letter.isascii()]
        expected += sum(not letter.isascii() for letter in word[latin[0] : latin[-1]]) if latin else 0
    assert signs == Signs(look_alikes=expected)
    assert expected > 9
    assert signs_of("".join(f"&#{ord(letter)};" for letter in text), "html") == signs


@given(st.integers(1, 5), st.sampled_from("\u200b\u2060\u3164\u115f\uffa0\u200d\ufe0f"))
def test_invisible_characters_between_letters_are_counted(number, character):
    assert signs_of((character * number).join("word") + " end") == Signs(invisible_characters=3 * number)
    assert signs_of(f"w{character}о{character}rd") == Signs(look_alikes=1)


def test_hidden_text_is_counted():
    page = '<p>seen</p><p style="display:none">never 1</p>'
    assert signs_of(page, "html") == Signs(hidden_text=6)
    assert find_signs(KINDS["html"].read(page, version=1), "html") is None


def test_programs_have_no_signs():
    assert Recipe.preset("code").fingerprint("wоrd = 1", "code", name="a.py").signs is None
    assert Recipe.preset("text").fingerprint("wоrd = 1").signs == Signs(1)


def test_all_letters_that_count_look_latin():
    """Between two Latin letters, a letter of another script counts if the table has a Latin letter for it."""
    for character, look in look_alikes().items():
        signs = signs_of(f"x{character}x")
        assert signs is None or (look.isascii() and signs in (Signs(1), Signs(0, 1)))


def test_the_words():
    assert Signs(312, 1, 1200).text() == (
        "312 letters of another script that look Latin, 1 invisible character, 1,200 hidden letters and digits"
    )
    assert Signs(1).text() == "1 letter of another script that looks Latin"
    assert Signs(0, 40).to_dict() == {"invisible_characters": 40}
