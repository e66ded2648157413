"""Common are the hashes that so many documents, or owners, among those that are compared hold."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.pairs.common_hashes import CommonHashes
from fpdb.pairs.options import PairOptions

COLLECTIONS = st.dictionaries(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("123")).map("/".join), st.sets(st.integers(0, 6)), min_size=1
)


@given(COLLECTIONS, st.integers(0, 3), st.booleans(), st.sampled_from([None, "x/*"]))
def test_common_hashes_are_those_of_the_definition(tmp_path_factory, documents, max_df, by_owner, excluded):
    options = PairOptions(max_df=max_df, by_owner=by_owner, owners="path:1", exclude_names=excluded)
    holders = {
        hash_: {
            name.partition("/")[0] if by_owner else name
            for name, hashes in documents.items()
            if hash_ in hashes and not (excluded and name.startswith("x/"))
        }
        for hash_ in range(7)
    }
    with fpdb.open(tmp_path_factory.mktemp("common") / "t.fpdb") as db:
        with db.batch() as batch:
            for name, hashes in documents.items():
                batch.add_fingerprints(name, sorted(hashes))
        with db.snapshot() as snapshot:
            common = CommonHashes.of(snapshot, options)
            for part in ([0, 2, 4], range(7), range(7)):
                expected = [hash_ for hash_ in part if max_df and len(holders[hash_]) >= max_df]
                assert common.among(np.array(part, np.uint64)).tolist() == expected
        assert db.check() == []
