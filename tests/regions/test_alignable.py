"""Documents are read once while there is room, and have the same marks by their texts and by their positions."""

import numpy as np

from fpdb.regions import alignable
from fpdb.regions.alignable import AlignableDocuments, with_positions
from fpdb.regions.source_roots import SourceRoots
from fpdb.regions.sources import Sources
from tests.regions.documents import words


def test_documents_are_read_once_while_there_is_room(db, monkeypatch):
    texts = {name: "".join(words(seed, 60)) for seed, name in enumerate("abcd")}
    read = []
    for name, text in texts.items():
        db.add(name, text)

    def given(_, record):
        read.append(record.name)
        return texts[record.name.decode()]

    with db.snapshot() as snapshot:
        documents = AlignableDocuments(snapshot, db.recipe, Sources(lambda *_: SourceRoots(()), given))
        first = [documents.read(number) for number in range(4)]
        assert [documents.read(number) for number in range(4)] == first
        assert read == [b"a", b"b", b"c", b"d"]
        monkeypatch.setattr(alignable, "MAX_SYMBOLS", 1)
        for number in (0, 3, 2, 0):  # what makes room is forgotten, but two
            documents.read(number)
        assert read[4:] in ([], [b"a"])
        small = AlignableDocuments(snapshot, db.recipe, Sources(lambda *_: SourceRoots(()), given))
        read.clear()
        for number in (0, 1, 2, 2, 1, 0):
            small.read(number)
        assert read == [b"a", b"b", b"c", b"a"]
    assert db.check() == []


def test_positions_tell_the_marks_up_to_a_window(db):
    """By all k-grams of a text, or those of its selected k-grams that are stored."""
    form, own = ("".join(words(seed, 80)) for seed in (1, 2))
    text = own + form + own[::-1]
    db.add("form", form, boilerplate=True)
    db.add("a", text, keep_text=True)
    rule = db.recipe.rules["characters"]
    with db.snapshot() as snapshot:
        documents = AlignableDocuments(snapshot, db.recipe, Sources(lambda *_: SourceRoots(())))
        document = documents.read(0)
        exact = np.flatnonzero(document.marks.flags(len(text)))
        assert (exact[0], exact[-1]) == (len(own), len(own + form) - 1)
        assert len(exact) == len(form)
        stored = np.flatnonzero(documents.stored_marks([0], rule.k)[0].flags(len(text)))
        assert set(stored) <= set(exact)
        assert len(exact) - len(stored) <= 2 * (rule.window - 1)
        placed = with_positions(document.source.original.fingerprints, complete=True)
        assert document.sequence.length == len(text)
        assert len(placed.hashes) == len(document.source.original.fingerprints.hashes)
    assert db.check() == []
