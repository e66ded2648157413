"""Documents are walked in the byte order of their names, whatever is long about them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage.file_format import LONGEST_PLAIN_NAME, name_key
from fpdb.storage.name_order import walk

LONG = b"n" * (LONGEST_PLAIN_NAME - 1)
PARTS = st.sampled_from([b"a", b"b", b"\0", b"\xff", LONG, LONG + b"x"])
NAMES = st.lists(st.lists(PARTS, min_size=1, max_size=3).map(b"".join), unique=True, max_size=30)


@given(NAMES, st.integers(1, 7))
def test_names_come_in_byte_order_with_their_documents(names, block):
    ids = {name_key(name): number for number, name in enumerate(names)}
    keys = sorted(ids)
    blocks = [keys[start : start + block] for start in range(0, len(keys), block)]
    given_blocks = ((part, np.array([ids[key] for key in part], np.uint32)) for part in blocks)
    walked = list(walk(given_blocks, names.__getitem__))
    assert [name for part in walked for name in part.names] == sorted(names)
    for part in walked:
        assert [names[id_] for id_ in part.ids.tolist()] == part.names
        # From the last key of a part, a walk goes on with the next part.
        assert part.last == max(map(name_key, part.names))
