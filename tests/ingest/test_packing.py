"""Outcomes come out of a message as they went in."""

import pickle

import fpdb
from fpdb.ingest.chunk_preparer import ChunkPreparer, KnownDocuments, ReadyDocument
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.packing import pack_outcomes, unpack_outcomes


def flat(outcome):
    if not isinstance(outcome, ReadyDocument):
        return outcome
    document = outcome.document
    arrays = document.hashes.tolist(), document.encoded_positions.tolist()
    return outcome[:3], document._replace(hashes=None, encoded_positions=None), arrays


def test_outcomes_come_out_as_they_went_in():
    items = [
        InputDocument("a", content="some words and more of them " * 9, labels={"x": "y"}, location="in.jsonl:1"),
        Skipped("b", "why", True),
        InputDocument("", content="a bad name"),
        InputDocument("c", content=b"<p>other words of other things</p>" * 9, kind="html", contact="me"),
        InputDocument("d", content="short"),
    ]
    prepared = ChunkPreparer(fpdb.Recipe.preset(), LoadOptions(keep_text=True)).prepare(items, None)
    outcomes = [*prepared, KnownDocuments(1, 3, 17)]
    assert [type(outcome) for outcome in prepared] == [ReadyDocument, Skipped, Skipped, ReadyDocument, ReadyDocument]
    sent = pickle.loads(pickle.dumps(pack_outcomes(outcomes)))
    assert list(map(flat, unpack_outcomes(sent))) == list(map(flat, outcomes))
