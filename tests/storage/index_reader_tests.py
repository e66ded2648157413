"""IndexReaderTests: what every `IndexReader` must do, stated against plain Python.

Each implementation runs the suite by subclassing it, and says how a reader of some documents is made.
"""

from abc import ABC, abstractmethod
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.errors import Corrupt
from fpdb.storage import file_format, posting_scan, snapshot
from fpdb.storage.posting_scan import hashes_of, look_up_postings, scan_posting_lists, scan_postings
from tests.small_blocks import small_blocks

GREATEST = 2**64 - 1
NAMES = [b"a", b"b", b"c/1", b"c/2", b"long " * 100 + b"1", b"long " * 100 + b"2", b"\xff"]
HASHES = st.integers(0, 9) | st.just(GREATEST)
POSTINGS = st.lists(st.tuples(HASHES, st.integers(0, 3)), max_size=8, unique=True) | st.lists(
    st.tuples(HASHES, st.none()), max_size=8, unique=True
)


@dataclass
class GivenDocument:
    """A document as it was added: its postings (hash, position), and whether it is boilerplate or was removed."""

    name: bytes
    postings: list
    boilerplate: bool = False
    removed: bool = False
    store: int = 0
    text: str | None = None

    @property
    def hashes(self):
        return {hash_ for hash_, _ in self.postings}


@dataclass
class Oracle:
    """The definitions of a reader's answers, over documents in the order of their ids."""

    documents: list = field(default_factory=list)

    def live(self, *, boilerplate=False):
        return [each for each in self.documents if not each.removed and each.boilerplate is boilerplate]

    def boilerplate(self):
        return set().union(*(each.hashes for each in self.live(boilerplate=True)))

    def holders(self, hash_):
        return [each for each in self.live() if hash_ in each.hashes]


documents = st.lists(
    st.builds(
        GivenDocument,
        st.sampled_from(NAMES),
        POSTINGS,
        boilerplate=st.sampled_from([False, False, False, True]),
        removed=st.booleans(),
        store=st.integers(0, 2),
        text=st.none() | st.text(min_size=1, max_size=9),
    ),
    max_size=12,
    unique_by=lambda each: each.name,
)
hash_lists = st.sets(st.integers(0, 11) | st.just(GREATEST), max_size=9).map(
    lambda values: np.array(sorted(values), np.uint64)
)
caps = st.none() | st.integers(1, 5)


def add(db, given_documents):
    """Add documents, each in a commit of its own, so that there are several runs; then remove those to be removed."""
    for document in given_documents:
        name = document.name.decode("utf-8", "surrogateescape")
        with db.batch() as batch:
            if document.text is not None and not document.postings:
                batch.add(name, document.text, keep_text=True, boilerplate=document.boilerplate)
            else:
                document.text = None
                hashes = np.array([hash_ for hash_, _ in document.postings], np.uint64)
                positions = [position for _, position in document.postings if position is not None]
                batch.add_fingerprints(
                    name,
                    hashes,
                    np.array(positions, np.uint32) if positions else None,
                    boilerplate=document.boilerplate,
                )
    for document in given_documents:
        if document.removed:
            db.remove(document.name.decode("utf-8", "surrogateescape"))


@contextmanager
def snapshots(folder, given_documents, stores=1):
    """Yield the snapshots of `stores` stores, with the documents divided among them."""
    with ExitStack() as stack:
        opened = []
        for index in range(stores):
            db = stack.enter_context(fpdb.open(folder / f"{index}.fpdb"))
            add(db, [document for document in given_documents if stores == 1 or document.store == index])
            opened.append(db)
        yield [stack.enter_context(db._store.snapshot()) for db in opened]


@pytest.mark.usefixtures("small_limits")
class IndexReaderTests(ABC):
    """The suite. Every test makes readers of documents by `reader`, and finds documents by their names."""

    @abstractmethod
    def reader(self, folder, given_documents):
        """Return a context manager that gives a reader of the documents."""

    def check(self, tmp_path_factory, given_documents, statement):
        """Apply a statement to a reader, its oracle, and the ids of live ordinary documents by name."""
        with self.reader(tmp_path_factory.mktemp("reader"), given_documents) as reader:
            oracle = Oracle(given_documents)
            live = {record.name: document_id for document_id, record in reader.catalogue.records()}
            assert sorted(live) == sorted(each.name for each in oracle.live())
            statement(reader, oracle, live)

    @given(documents)
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    def test_documents_and_their_sizes(self, tmp_path_factory, given_documents):
        def statement(reader, oracle, live):
            assert reader.document_count == len(oracle.live())
            stored = [*oracle.live(), *oracle.live(boilerplate=True)]
            if all(each.text is None for each in stored):
                assert reader.posting_count == sum(len(each.postings) for each in stored)
            records = list(reader.catalogue.records())
            table = reader.catalogue.table(["k"])
            assert list(zip(table.ids.tolist(), table.names, table.kinds, table.labels["k"], strict=True)) == [
                (document_id, record.name, record.kind, record.labels.get("k")) for document_id, record in records
            ]
            assert table.counts.tolist() == [[*record[3:8]] for _, record in records]
            assert table.digests.tobytes() == b"".join(record.digest for _, record in records)
            ids = np.array(sorted(live.values(), reverse=True), np.uint32)  # in any order
            sizes = reader.catalogue.sizes(ids)
            by_id = {document_id: name for name, document_id in live.items()}
            for document_id, size in zip(ids.tolist(), sizes, strict=True):
                (document,) = [each for each in oracle.live() if each.name == by_id[document_id]]
                assert reader.catalogue.record(document_id).name == document.name
                assert len(reader.file_id(document_id)) == file_format.FILE_ID_BYTES
                if document.text is None:
                    assert int(size["hashes"]) == len(document.hashes)
                    assert int(size["boilerplate"]) == len(document.hashes & oracle.boilerplate())
            ascending = np.sort(ids)
            names, kgrams = reader.catalogue.names_and_kgrams(ascending)
            assert names == [by_id[document_id] for document_id in ascending.tolist()]
            assert kgrams == [reader.catalogue.record(document_id).kgrams for document_id in ascending.tolist()]

        self.check(tmp_path_factory, given_documents, statement)

    @given(documents, st.sets(st.sampled_from([*NAMES, b"none"])), st.integers(1, 4))
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    def test_names(self, tmp_path_factory, given_documents, names, count):
        def statement(reader, _, live):
            assert reader.find_by_name(names) == {name: [live[name]] for name in names if name in live}
            candidates = np.zeros(max(live.values(), default=0) + 1, np.bool_)
            candidates[list(live.values())] = True
            first = reader.catalogue.first_by_name(candidates, count)
            assert sorted(first) == sorted(live[name] for name in sorted(live)[:count])

        self.check(tmp_path_factory, given_documents, statement)

    @given(documents)
    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    def test_kept_texts(self, tmp_path_factory, given_documents):
        def statement(reader, oracle, live):
            for document in oracle.live():
                document_id = live[document.name]
                assert reader.texts.read(document_id, reader.catalogue.record(document_id)) == document.text

        self.check(tmp_path_factory, given_documents, statement)

    @given(documents, hash_lists, caps)
    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    def test_look_ups(self, tmp_path_factory, given_documents, hashes, cap):
        def statement(reader, oracle, live):
            hits = reader.look_up(hashes, cap=cap)
            bounds = np.cumsum(hits.counts).tolist()
            assert len(hits.document_ids) == (bounds or [0])[-1]
            counts = reader.count_by_document(hashes)
            for index, hash_ in enumerate(hashes.tolist()):
                holders = sorted(live[each.name] for each in oracle.holders(hash_))
                capped = cap is not None and len(holders) >= cap
                start = bounds[index] - int(hits.counts[index])
                assert bool(hits.capped[index]) is capped
                assert hits.document_ids[start : bounds[index]].tolist() == ([] if capped else holders)
            if counts is not None:
                for document in oracle.live():
                    if document.text is None:
                        expected = len(document.hashes & set(hashes.tolist()))
                        assert int(counts[live[document.name]]) == expected

        self.check(tmp_path_factory, given_documents, statement)

    @given(documents, hash_lists)
    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    def test_holders(self, tmp_path_factory, given_documents, hashes):
        """Also if two postings fill a block, so that a hash, or a document's positions of it, fill several."""

        def statement(reader, oracle, live):
            names = {document_id: name for name, document_id in live.items()}
            documents = {each.name: each for each in oracle.live() if each.text is None}
            held = reader.find_holders(hashes, np.array(sorted(names), np.uint32))
            for (row, column), holds in np.ndenumerate(held):
                document = documents.get(names[sorted(names)[column]])
                assert document is None or holds == (int(hashes[row]) in document.hashes)
            assert reader.count_holders(hashes).tolist() == held.sum(axis=1).tolist()
            sizes = reader.catalogue.held_sizes()
            for document_id, name in names.items():
                if name in documents:
                    assert int(sizes.by_id[document_id]) == len(documents[name].hashes - oracle.boilerplate())
            by_name = [each for part in reader.catalogue.ids_by_name() for each in part.tolist() if each in names]
            assert by_name == [live[name] for name in sorted(live)]

        with small_blocks(2):
            self.check(tmp_path_factory, given_documents, statement)

    @given(documents, hash_lists)
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    def test_occurrences(self, tmp_path_factory, given_documents, hashes):
        def statement(reader, oracle, live):
            found = reader.find_occurrences(hashes, np.array(sorted(live.values()), np.uint32))
            triples = list(zip(*(column.tolist() for column in found), strict=True))
            assert triples == sorted(
                (hashes.tolist().index(hash_), live[document.name], position)
                for document in oracle.live()
                for hash_, position in document.postings
                if hash_ in hashes.tolist() and position is not None
            )

        self.check(tmp_path_factory, given_documents, statement)

    @given(documents)
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    def test_scans(self, tmp_path_factory, given_documents):
        def statement(reader, oracle, live):
            assert set(reader.boilerplate().tolist()) >= oracle.boilerplate()
            pairs = [pair for part in scan_postings(reader) for pair in zip(*map(np.ndarray.tolist, part), strict=True)]
            assert pairs == sorted(pairs)
            expected = {
                (hash_, live[document.name])
                for document in oracle.live()
                for hash_ in document.hashes - oracle.boilerplate()
            }
            texts = {live[document.name] for document in oracle.live() if document.text is not None}
            dead = {pair for pair in pairs if pair[1] not in live.values()}
            assert {pair for pair in pairs if pair[1] not in texts} - dead == expected
            assert not dead or reader.has_dead_postings()
            listed = [
                (hash_, document_id)
                for lists in scan_posting_lists(reader)
                for hash_, ids in zip(
                    lists.hashes.tolist(), np.split(lists.document_ids, np.cumsum(lists.frequencies)[:-1]), strict=True
                )
                for document_id in ids.tolist()
            ]
            assert listed == sorted(set(pairs) - dead)

        self.check(tmp_path_factory, given_documents, statement)

    @given(documents, st.integers(1, 4), st.integers(1, 5))
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    def test_postings_are_looked_up_in_small_parts(self, tmp_path_factory, given_documents, together, most):
        """A hash of many documents has a part of its own, so that memory is that of its list."""

        def statement(reader, oracle, _):
            hashes = np.array(sorted({hash_ for each in oracle.live() for hash_ in each.hashes}), np.uint64)
            parts = [list(zip(*map(np.ndarray.tolist, part), strict=True)) for part in look_up_postings(reader, hashes)]
            expected = [
                (hash_, document_id)
                for hash_, count in zip(hashes.tolist(), reader.look_up(hashes).counts.tolist(), strict=True)
                for document_id in reader.look_up(np.array([hash_], np.uint64)).document_ids.tolist()
                if count
            ]
            assert sorted(pair for part in parts for pair in part) == expected
            for part in parts:
                assert part == sorted(part)
                assert len(part) <= together * (most - 1) or len(dict(part)) == 1

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(posting_scan, "LOOKED_UP", together)
            patch.setattr(posting_scan, "LISTED", most)
            self.check(tmp_path_factory, given_documents, statement)

    @given(documents, st.sets(st.sampled_from(NAMES)), st.integers(2, 6))
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    def test_hashes_of_some_documents_and_frequent_ones(self, tmp_path_factory, given_documents, some, minimum):
        def statement(reader, oracle, live):
            chosen = [each for each in oracle.live() if each.name in some and each.text is None]
            ids = np.array(sorted(live[each.name] for each in chosen), np.uint32)
            assert hashes_of(reader, ids).tolist() == sorted(set().union(*(each.hashes for each in chosen)))
            frequent = reader.find_frequent(minimum)
            expected = {hash_ for each in chosen for hash_ in each.hashes if len(oracle.holders(hash_)) >= minimum}
            assert frequent is None or set(frequent.tolist()) >= expected

        with small_blocks(2), pytest.MonkeyPatch.context() as patch:
            patch.setattr(snapshot, "FREQUENT", 2)
            self.check(tmp_path_factory, given_documents, statement)

    def test_a_document_that_does_not_exist(self, tmp_path):
        """It is dead by its sizes, holds nothing, and has no record."""
        with self.reader(
            tmp_path, [GivenDocument(b"a", [(1, 5)]), GivenDocument(b"b", [(1, 6)], removed=True)]
        ) as reader:
            ((document_id, _),) = reader.catalogue.records()
            ids = np.array([document_id, document_id + 1], np.uint32)
            assert reader.catalogue.sizes(ids)["hashes"].tolist() == [1, file_format.DEAD]
            found = reader.find_occurrences(np.array([1], np.uint64), ids)
            assert [column.tolist() for column in found] == [[0], [document_id], [5]]
            with pytest.raises(Corrupt):
                reader.catalogue.record(document_id + 1)
