"""Kept texts: given back as they came after any history, and never wrongly."""

import os
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import fpdb
from fpdb.fingerprint import content_digest
from fpdb.ingest.files import InputDocument
from fpdb.ingest.prepare import PrepareOptions, ReadDocument, prepare
from fpdb.storage import file_format, texts
from tests.storage.raw import Raw

PROSE = "It was seven years ago, and nobody remembers why. " * 3
LONG = "".join(f"{number * 7919 % 100_003} " for number in range(9_000))  # several pages, compressed


def encoded(content):
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content


# ---------------------------------------------------------------- any history


NAMES = st.sampled_from(["a", "b", "long " * 100, "\udcff"])
CONTENTS = st.one_of(
    st.sampled_from(
        ["", b"", PROSE, PROSE.encode(), LONG[:1000], "\ufeffmark", "\ud800 alone", PROSE.encode("utf-16")]
    ),
    st.text(),
    st.binary(),
)
STATED = st.sampled_from([None, False, True])
ADDED = st.tuples(NAMES, CONTENTS, STATED, STATED, st.sampled_from([None, {"x": "1"}, {"y": "2"}]))


class Histories(RuleBasedStateMachine):
    """A database beside a dict: name to content, boilerplate, labels, and the kept text or None."""

    base: Path  # of the folders of all

    @initialize(folder=st.uuids(version=4))
    def create(self, folder):
        self.folder = self.base / str(folder)
        self.folder.mkdir(exist_ok=True)
        self.path = str(self.folder / f"{len(list(self.folder.iterdir()))}.fpdb")
        self.db = fpdb.open(self.path, "x")
        self.model = {}

    def put(self, into, change):
        """Add a document; what is None stays as it was, and labels add up."""
        name, content, keep, boilerplate, labels = change
        data, before = encoded(content), self.model.get(name)
        status = into.add(name, content, keep_text=keep, boilerplate=boilerplate, labels=labels)
        was_boilerplate, was_labelled, text = before[1:] if before is not None else (False, {}, None)
        keep = text is not None if keep is None else keep
        boilerplate = was_boilerplate if boilerplate is None else boilerplate
        labelled = was_labelled | (labels or {})
        is_dropped = text is not None and not keep
        if before is None or before[:2] != (data, boilerplate) or is_dropped:
            expected = "added" if before is None else "replaced"
        else:
            expected = "updated" if was_labelled != labelled or keep != (text is not None) else "unchanged"
        assert status == expected
        self.model[name] = data, boilerplate, labelled, data if keep else None

    @rule(change=ADDED)
    def add(self, change):
        self.put(self.db, change)

    @rule(changes=st.lists(ADDED | NAMES, max_size=6))
    def batch(self, changes):
        with self.db.batch() as batch:
            for change in changes:
                if not isinstance(change, str):
                    self.put(batch, change)
                elif change in self.model:
                    batch.remove(change)
                    del self.model[change]
            change = batch.change()
            kept = [*change.texts.values(), *(document.text for document in change.documents)]
            held = sum(len(text.packed) for text in kept if text is not None)
            assert batch.text_bytes == held

    @rule(name=NAMES)
    def remove(self, name):
        if self.model.pop(name, None) is not None:
            self.db.remove(name)

    @rule()
    def compact(self):
        self.db.compact()

    @rule()
    def go_on_with_a_backup(self):
        self.db.backup(f"{self.path}.new")
        self.db.close()
        self.path = f"{self.path}.new"
        self.db = fpdb.open(self.path)

    @invariant()
    def texts_are_those_that_were_given(self):
        kept = [text for *_, text in self.model.values() if text is not None]
        for name, (*_, text) in self.model.items():
            assert self.db.text(name) == text
            assert self.db.document(name).text_bytes == (None if text is None else len(text))
        info = self.db.info()
        assert (info["texts"], info["text_bytes"]) == (len(kept), sum(map(len, kept)))
        assert bool(info["text_file_bytes"]) == bool(kept)

    def teardown(self):
        if hasattr(self, "db"):
            assert self.db.check() == []
            self.db.close()


@pytest.mark.usefixtures("small_limits")
def test_texts_are_a_dict(tmp_path):
    Histories.base = tmp_path
    short = settings(max_examples=9, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Histories, settings=short)


# ---------------------------------------------------------------- what a commit does


def test_what_is_gone_takes_no_room(db):
    db.compact()
    empty = os.path.getsize(db.path)
    for name in "abc":
        db.add(name, LONG + name, keep_text=True, boilerplate=name == "c")
    assert db.info()["text_file_bytes"] > len(LONG) / 4
    db.add("a", "another", keep_text=False)
    db.remove("b")
    db.remove("c")
    assert db.info()["text_file_bytes"] == 0
    db.remove("a")
    db.compact()
    assert os.path.getsize(db.path) == empty


def test_fingerprints_and_text_are_of_one_content(db):
    document = ReadDocument(InputDocument("a"), PROSE, content_digest(PROSE))
    prepared = prepare(db.recipe, document, "text", PrepareOptions())
    with db.batch() as batch, pytest.raises(fpdb.ContentChanged):
        batch.put(prepared._replace(text=texts.pack(LONG)))
    assert "a" not in db


def test_a_text_too_large_to_keep_is_refused(db, monkeypatch):
    monkeypatch.setattr(file_format, "LARGEST_TEXT", len(PROSE))
    db.add("a", PROSE, keep_text=True)
    with pytest.raises(fpdb.Unreadable, match="too large to keep"):
        db.add("b", PROSE + "!", keep_text=True)
    assert "b" not in db


def test_a_missing_package_is_named(db, monkeypatch):
    db.add("a", PROSE, keep_text=True)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "zstandard", None)
        for ask in (lambda: db.add("b", PROSE, keep_text=True), lambda: db.text("a")):
            with pytest.raises(
                fpdb.MissingPackage, match=r"zstandard is needed for kept texts: pip install 'fpdb\[tex"
            ):
                ask()
        db.add("b", PROSE)
        assert db.text("b") is None
        db.compact()
        db.remove("b")


# ---------------------------------------------------------------- damage

DOCUMENTS = {"short": PROSE, "other": "something else", "long": LONG, "bytes": LONG.encode()[::-1]}


@pytest.fixture
def sound(path):
    """Make a closed database: ids 0 to 3 have texts, 4 has none, and a boilerplate document has one."""
    with fpdb.open(path) as db:
        for name, content in DOCUMENTS.items():
            db.add(name, content, keep_text=True)
        db.add("not kept", PROSE)
        db.add("boilerplate", "All rights reserved. " * 9, boilerplate=True, keep_text=True)
        assert db.check() == []
    return path


def pieces(raw, document):
    return [key for key in raw.keys(file_format.TEXTS) if file_format.parse_text_key(key)[0] == document]


def seal(raw, key, body):
    raw.put(file_format.TEXTS, key, file_format.seal(key, body))


def body(raw, key):
    return bytes(file_format.unseal(key, raw.get(file_format.TEXTS, key)))


def replace(document, packed):
    """Replace the whole text by another one, with valid checksums."""

    def plant(raw):
        for key in pieces(raw, document):
            raw.delete(file_format.TEXTS, key)
        for piece, start in enumerate(range(0, len(packed), file_format.TEXT_PIECE)):
            seal(raw, file_format.text_key(document, piece), packed[start : start + file_format.TEXT_PIECE])

    return plant


def flip(document, piece, byte):
    def plant(raw):
        key = file_format.text_key(document, piece)
        value = bytearray(raw.get(file_format.TEXTS, key))
        value[byte] ^= 4
        raw.put(file_format.TEXTS, key, bytes(value))

    return plant


def missing(document, at):
    return lambda raw: raw.delete(file_format.TEXTS, pieces(raw, document)[at])


def swapped(raw):
    one, other = pieces(raw, 2)[:2]
    values = raw.get(file_format.TEXTS, one), raw.get(file_format.TEXTS, other)
    raw.put(file_format.TEXTS, one, values[1])
    raw.put(file_format.TEXTS, other, values[0])


def swapped_and_sealed(raw):
    one, other = pieces(raw, 2)[:2]
    bodies = body(raw, one), body(raw, other)
    seal(raw, one, bodies[1])
    seal(raw, other, bodies[0])


def longer(raw):
    seal(raw, file_format.text_key(2, len(pieces(raw, 2))), b"more")


def longer_in_the_last_piece(raw):
    key = pieces(raw, 0)[-1]
    seal(raw, key, body(raw, key) + b"x")


def announced(size):
    """Return an empty frame whose header announces a size."""
    header = b"\x28\xb5\x2f\xfd\xe0" + size.to_bytes(8, "little")

    def plant(raw):
        replace(0, b"\0" + header + b"\1\0\0")(raw)
        raw.change_state(text_bytes=raw.state.text_bytes - raw.record(0).text + size)
        raw.change_record(0, text=size)

    return plant


def not_utf8(raw):
    raw.change_record(0, digest=texts.pack(b"\xff" * len(PROSE)).digest)
    replace(0, b"\1" + zstandard.compress(b"\xff" * len(PROSE)))(raw)


DAMAGED = {  # the text of document 0 or 2 cannot be read
    "a flipped bit": (0, flip(0, 0, 20)),
    "a flipped bit in a checksum": (0, flip(0, 0, 3)),
    "a flipped bit in a later piece": (2, flip(2, 1, 1000)),
    "no text": (0, replace(0, b"")),
    "a missing first piece": (2, missing(2, 0)),
    "a missing piece": (2, missing(2, 1)),
    "a missing last piece": (2, missing(2, -1)),
    "pieces swapped": (2, swapped),
    "pieces swapped and sealed": (2, swapped_and_sealed),
    "a piece too many": (2, longer),
    "a byte too many": (0, longer_in_the_last_piece),
    "the text of another document": (0, replace(0, texts.pack(DOCUMENTS["other"]).packed)),
    "another text of the same length": (0, replace(0, texts.pack(PROSE.swapcase()).packed)),
    "no size announced": (
        0,
        replace(0, b"\1" + zstandard.ZstdCompressor(write_content_size=False).compress(PROSE.encode())),
    ),
    "an empty piece": (0, lambda raw: seal(raw, file_format.text_key(0), b"")),
    "no frame": (0, replace(0, b"\1" + PROSE.encode())),
    "an unknown form": (0, replace(0, b"\2" + zstandard.compress(PROSE.encode()))),
    "characters that are none": (0, not_utf8),
    "more than there may be": (0, announced(file_format.LARGEST_TEXT + 1)),
    "more than so few bytes may stand for": (0, announced(file_format.ANY_TEXT + 1)),
    "less than is announced": (0, lambda raw: raw.change_record(0, text=len(PROSE) - 1)),
    "a record with another digest": (0, lambda raw: raw.change_record(0, digest=bytes(16))),
}
MISCOUNTED = {
    "a text of nobody": lambda raw: seal(raw, file_format.text_key(77), b"?"),
    "a text of a boilerplate document that is not there": lambda raw: seal(raw, file_format.text_key(2**32 - 1), b"?"),
    "a text that no record tells of": lambda raw: raw.change_record(0, text=None),
    "a text of a document without one": lambda raw: seal(raw, file_format.text_key(4), texts.pack(PROSE).packed),
    "a record that tells of a text that is not there": lambda raw: raw.change_record(4, text=len(PROSE)),
    "a key of the wrong length": lambda raw: raw.put(file_format.TEXTS, b"abc", file_format.seal(b"abc", b"?")),
    "a text too many": lambda raw: raw.change_state(texts=raw.state.texts + 1),
    "bytes too few": lambda raw: raw.change_state(text_bytes=raw.state.text_bytes - 1),
}


@pytest.mark.parametrize("fault", DAMAGED)
def test_a_damaged_text_is_never_given(sound, fault):
    document, plant = DAMAGED[fault]
    name = list(DOCUMENTS)[document]
    with Raw(sound) as raw:
        plant(raw)
    with fpdb.open(sound) as db:
        found = db.check()
        assert any(repr(name) in problem for problem in found)
        for ask in (
            lambda: db.text(name),
            lambda: db.original(name),
            lambda: db.query(DOCUMENTS[name], regions=True, include_self=True),
        ):
            with pytest.raises(fpdb.Corrupt, match=f"the kept text of '{name}' is damaged .*remove the document and"):
                ask()
        for other in set(DOCUMENTS) - {name}:
            assert db.text(other) == encoded(DOCUMENTS[other])
        db.remove(name)
        db.add(name, DOCUMENTS[name], keep_text=True)
        assert db.text(name) == encoded(DOCUMENTS[name])


@pytest.mark.parametrize("fault", MISCOUNTED)
def test_what_is_miscounted_is_found(sound, fault):
    with Raw(sound) as raw:
        MISCOUNTED[fault](raw)
    with fpdb.open(sound) as db:
        assert db.check()


def test_a_flipped_bit_anywhere_never_changes_a_text(sound, rng):
    with fpdb.open(sound) as db:
        db.compact()
        expected = {name: db.text(name) for name in DOCUMENTS}
    original = Path(sound).read_bytes()
    for _ in range(60):
        damaged = bytearray(original)
        bit = int(rng.integers(8 * 4096 * 2, 8 * len(original)))
        damaged[bit >> 3] ^= 1 << (bit & 7)
        Path(sound).write_bytes(damaged)
        try:
            with fpdb.open(sound, "r") as db:
                if not db.check():
                    assert {name: db.text(name) for name in DOCUMENTS} == expected
        except (fpdb.Corrupt, fpdb.NotADatabase):
            pass
