"""A state that no commit of a sound database leaves is neither read nor written."""

import msgpack
import numpy as np
import pytest

import fpdb
from fpdb.storage import file_format
from fpdb.storage.file_format import FIRST_BOILERPLATE, STATE_KEY
from fpdb.storage.snapshot import write_state
from fpdb.storage.state import Run, State
from tests.storage.raw import Raw

FIRST = Run(3, 900, 2, 1, 0, 9)
LAST = Run(6, 8, 1, 0, FIRST_BOILERPLATE, FIRST_BOILERPLATE + 2)
SOUND = State(7, 20, FIRST_BOILERPLATE + 3, 12, 3, 1, 77, (FIRST, Run(5, 90, 1, 0, 10, 19, 90), LAST))
WRONG_RUNS = {
    "a number that is none": {"number": "3"},
    "a number below 0": {"dead": -1},
    "no posting": {"postings": 0},
    "no block": {"blocks": 0},
    "more blocks than postings": {"blocks": 901},
    "more postings than blocks hold": {"postings": 2 * file_format.POSTINGS_PER_BLOCK + 1},
    "more postings than position blocks hold": {"postings": 65_536, "blocks": 30},
    "more position blocks than postings": {"position_blocks": 901},
    "more dead than there are": {"dead": 901},
    "ids that descend": {"first_id": 5, "last_id": 4},
    "ids of both sorts": {"last_id": FIRST_BOILERPLATE},
    "ids of the run after it": {"last_id": 10},
    "a number that was never begun": {"number": 7},
    "the number of another run": {"number": 5},
}
WRONG = {
    **{what: {"runs": (FIRST._replace(**change), *SOUND.runs[1:])} for what, change in WRONG_RUNS.items()},
    "runs out of order": {"runs": (SOUND.runs[1], FIRST, LAST)},
    "an id that was never given": {"next_document": 19},
    "a boilerplate id that was never given": {"next_boilerplate": FIRST_BOILERPLATE + 2},
    "boilerplate ids below all": {"next_boilerplate": FIRST_BOILERPLATE - 1},
    "more documents than ids": {"documents": 21},
    "more boilerplate than ids": {"boilerplate_documents": 4},
    "more texts than documents": {"texts": 16},
    "bytes of no text": {"texts": 0},
    "more bytes than texts have": {"text_bytes": file_format.LARGEST_TEXT + 1},
    "true for a number": {"documents": True},
}


def test_a_sound_state_is_read_as_it_was_written():
    assert State.unpack(SOUND.pack()) == SOUND


@pytest.mark.parametrize("what", WRONG)
def test_what_contradicts_itself_is_neither_written_nor_read(what):
    wrong = SOUND._replace(**WRONG[what])
    with pytest.raises(fpdb.Corrupt, match="impossible state"):
        wrong.pack()
    with pytest.raises(fpdb.Corrupt, match="malformed"):
        State.unpack(file_format.seal(STATE_KEY, msgpack.packb(wrong)))


def test_a_state_that_would_be_too_long_to_read_is_not_written():
    runs = tuple(Run(number, 1, 1, 0, number, number) for number in range(file_format.LARGEST_STATE // 8))
    with pytest.raises(fpdb.Corrupt, match="lists"):
        State(len(runs), len(runs), documents=len(runs), runs=runs).pack()


def test_a_commit_that_would_leave_such_a_state_changes_nothing(db):
    db.add_fingerprints("a", [1, 2, 3])
    with pytest.raises(fpdb.Corrupt, match="impossible state"), db._store.env.write() as (txn, _):
        write_state(txn, SOUND._replace(documents=99))
    assert [document.name for document in db.documents()] == ["a"]


@pytest.mark.parametrize(
    "plant",
    [
        lambda raw: raw.change_state(documents=9, next_document=9),
        lambda raw: raw.change_run(0, blocks=2),
        lambda raw: raw.change_run(0, position_blocks=2),
    ],
)
def test_more_than_the_file_has_room_for_is_refused(path, plant):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", np.arange(99))
        db.add_fingerprints("b", np.arange(99))
    with Raw(path) as raw:
        plant(raw)
    with fpdb.open(path) as db:
        for use in (lambda: db.query_fingerprints([1]), lambda: db.add_fingerprints("c", [1]), db.info):
            with pytest.raises(fpdb.Corrupt, match="more documents or blocks than there are"):
                use()


def test_numbers_of_runs_end_and_compacting_begins_again(path):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", np.arange(99))
    with Raw(path) as raw:
        raw.change_state(next_run=file_format.LARGEST_RUN)
    with fpdb.open(path) as db:
        db.add_fingerprints("b", np.arange(99))
        with pytest.raises(fpdb.Error, match="'fpdb compact' begins again"):
            db.add_fingerprints("c", np.arange(99))
        db.compact()
        db.add_fingerprints("c", np.arange(99))
        assert db.check() == []


@pytest.mark.parametrize("database", [file_format.NAMES, file_format.DOCUMENTS, file_format.SIZES])
@pytest.mark.parametrize("number", [5, 2**28 - 1, 2**31 // 338, 2**32 // 338, 2**32 - 1])
@pytest.mark.parametrize("boilerplate", [True, False])
def test_ids_that_were_never_given_are_refused(path, database, number, boilerplate):
    """Also those that are no number of 32 bits, and those below the ids of boilerplate."""
    with fpdb.open(path) as db:
        if boilerplate:
            db.add_fingerprints("form", [1], boilerplate=True)
        db.add_fingerprints("a", np.arange(99))
        db.add_fingerprints("b", np.arange(9))
    key, new = file_format.id_key(0), file_format.id_key(number)
    with Raw(path) as raw:
        if database == file_format.NAMES:
            raw.set_names(b=number)
        else:
            raw.put(database, new, file_format.seal(new, raw.get(database, key)[8:]))
    with fpdb.open(path) as db:
        assert any("never given" in problem for problem in db.check())
        names = lambda: db.document("b"), lambda: list(db.documents())
        sizes = db.only_boilerplate, db.compact
        for use in {file_format.NAMES: names, file_format.SIZES: sizes}.get(database, ()):
            with pytest.raises(fpdb.Corrupt, match="never given"):
                use()
