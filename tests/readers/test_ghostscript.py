"""PostScript by Ghostscript itself: an essay is the same document; a hostile program does no harm and is given up."""

import subprocess

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS, Recipe
from fpdb.readers import postscript
from tests.readers import essays

PARAGRAPHS = essays.essay()
HEADER = "%!PS-Adobe-3.0\n"


def read(program):
    return KINDS["postscript"].read((HEADER + program).encode(), "characters", "a.ps")


def by_hand():
    """Return the essay as a program that shows a line at a time, with a new page every 60 lines."""
    lines = [text[at : at + 80] for text in PARAGRAPHS for at in range(0, len(text), 80)]
    shown = ["/Helvetica findfont [/Encoding ISOLatin1Encoding] pop 9 scalefont setfont"]
    for number, text in enumerate(lines):
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        shown.append(f"40 {760 - number % 60 * 12} moveto ({escaped}) show")
        if number % 60 == 59 or number == len(lines) - 1:
            shown.append("showpage")
    return "\n".join(shown).replace("é", "e").replace("ï", "i")


def from_pdf(tmp_path):
    """Return the PostScript that Ghostscript makes of the essay's PDF."""
    (tmp_path / "essay.pdf").write_bytes(essays.FORMS["essay.pdf"](PARAGRAPHS))
    command = ["gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=ps2write", "-sOutputFile=essay.ps", "essay.pdf"]
    subprocess.run(command, cwd=tmp_path, check=True)
    return (tmp_path / "essay.ps").read_bytes()


@pytest.mark.parametrize("made", ["from PDF", "by hand"])
def test_an_essay_is_the_same_in_postscript(made, tmp_path):
    content = from_pdf(tmp_path) if made == "from PDF" else (HEADER + by_hand()).encode("latin-1")
    text = "\n\n".join(PARAGRAPHS)
    recipe = Recipe.preset("text")
    one = set(recipe.fingerprint(text).hashes.tolist())
    two = set(recipe.fingerprint(content, "auto", name="essay.ps").hashes.tolist())
    assert len(one) >= 80
    assert len(one & two) / len(one) >= 0.95
    assert len(one & two) / len(two) >= 0.95


def test_what_a_program_prints_is_no_text_of_its_pages():
    assert read(
        "(printed) print flush /Helvetica findfont 12 scalefont setfont 72 72 moveto (shown) show showpage"
    ).text
    assert "printed" not in read("(printed) print flush showpage").text


REFUSED = {
    "read": "({file}) (r) file 100 string readstring pop /Helvetica findfont 12 scalefont setfont 72 72 moveto show",
    "run": "({file}) run",
    "write": "({new}) (w) file dup (owned) writestring closefile",
    "append": "({file}) (a) file dup (owned) writestring closefile",
    "delete": "({file}) deletefile",
    "rename": "({file}) ({new}) renamefile",
    "pipe": "(%pipe%touch {new}) (w) file closefile",
    "page": "<< /OutputFile ({new}) >> setpagedevice showpage",
    "no longer safe": "systemdict /SAFER false put ({file}) (r) file",
    "recursion": "/f {{f f}} def f",
    "too much at once": "2000000000 string",
    "nonsense": "no such operator",
    "bytes": "\0\1\2\xff}}>>)",
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_hostile_program_is_refused_and_touches_nothing(case, tmp_path):
    file, new = tmp_path / "secret.txt", tmp_path / "new.txt"
    file.write_text("secret")
    with pytest.raises(Unreadable, match=r"Ghostscript (failed|was stopped)") as raised:
        read(REFUSED[case].format(file=file, new=new))
    assert file.read_text() == "secret"
    assert not new.exists()
    assert len(str(raised.value)) < 300


def test_a_program_learns_no_names_of_files(tmp_path):
    (tmp_path / "secret.txt").write_text("")
    show = "/Helvetica findfont 12 scalefont setfont 72 72 moveto"
    symbols = read(f"{show} ({tmp_path}/*) {{show}} 256 string filenameforall showpage")
    assert "secret" not in symbols.text


@pytest.mark.parametrize(
    "program",
    ["{} loop", "{(x) print} loop", "/Helvetica findfont 9 scalefont setfont {9 9 moveto (x) show showpage} loop"],
    ids=["nothing", "printing", "pages"],
)
def test_a_program_without_end_is_given_up(program, limited):
    limited(seconds=1)
    with pytest.raises(Unreadable, match=r"reading it took more than 1 s|Ghostscript was stopped"):
        read(program)


def test_what_is_written_is_limited(monkeypatch):
    monkeypatch.setattr(postscript, "MAX_POSTSCRIPT_OUTPUT", 1 << 16)
    with pytest.raises(Unreadable, match="Ghostscript was stopped by signal"):
        read(
            "/Helvetica findfont 9 scalefont setfont "
            "1000 {9 9 moveto 6 {(some words of a page) show} repeat showpage} repeat"
        )


def test_memory_is_limited(limited):
    limited(memory=150 << 20)
    with pytest.raises(Unreadable, match="VMerror"):
        read("/kept 1000 array def 0 1 999 {kept exch 65535 array put} for")
