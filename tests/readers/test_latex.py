"""LaTeX: the text without commands, formulas and comments, whose places are those of the source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS
from fpdb.readers.latex import extract_text

TEXTS = {
    r"\section[gone]{Title}\label{gone} text": "Title text",
    r"\emph{a \textbf{b}} c\footnote{d}": "a b c d",
    r"50\% of a \& b \$5 % gone": "50 of a b 5",
    r"x $gone$ y $$gone$$ z \(gone\) \[gone\] end": "x y z end",
    r"\begin{align*}gone\end{align*}a\begin{equation}gone": "a",
    r"\begin{tabular}{l|r} a & b \\[2pt] c \end{tabular}": "a b c",
    r"caf\'e na\"{\i}ve Stra\ss e \c{c}a \v Sk \O rsted": "cafe naive Strasse ca Sk Orsted",
    r"\input{gone}\cite[gone]{gone}\href{gone}{link}\url{gone}": "link",
    r"\newcommand{\gone}[2][gone]{gone #1} a \def\gone#1{gone}\let\gone=\gone b": "a b",
    r"\setlength{\gone}{3pt}" + "\n" + r"\section{Kept}": "Kept",
    r"\documentclass[gone]{gone} gone \title{On \emph{x}} gone \begin{document}a\end{document}gone": "On x a",
    r"\verb|kept_it| \begin{itemize}[gone]\item one \item two\end{itemize}": "kept it one two",
    r"a\iffalse gone\fi b \begin{comment}gone\end{comment}": "a b",
    "a $5\n\nb $6": "a 5 b 6",
}


@pytest.mark.parametrize("source", TEXTS)
def test_text_is_taken_out(source):
    words = "".join(character if character.isalnum() else " " for character in "".join(extract_text(source).parts))
    assert "".join(words.split()) == TEXTS[source].replace(" ", "")


@given(
    st.lists(st.sampled_from(["word", "ß", "\\emph{", "}", "\\'e", "$", "%", "\n", "\\[", "\\]", " ", "\\ss ", "\\%"]))
)
def test_places_are_those_of_the_source(pieces):
    source = "".join(pieces)
    symbols = KINDS["latex"].read(source, "characters")
    for symbol, start, end in zip(
        symbols.values.tolist(), symbols.offsets.tolist(), symbols.ends.tolist(), strict=True
    ):
        shown = source[start:end]
        assert chr(symbol) in {"\\'e": "e", "\\ss ": "s", "ß": "s"}.get(shown, shown)


def test_memory_is_bounded(limited):
    limited(memory=1_000_000)
    with pytest.raises(Unreadable, match="--max-memory"):
        KINDS["latex"].read("\\a" * 10_000)
