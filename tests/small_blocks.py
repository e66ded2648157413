"""Runs whose blocks hold a few postings each, so that few documents fill blocks with one hash."""

from contextlib import contextmanager
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest

from fpdb.storage.runs import _encode, writer


@contextmanager
def small_blocks(size):
    """Let runs that are written meanwhile have blocks of so many postings."""

    def encode_postings(hashes, document_ids, final):
        end = len(hashes) if final else len(hashes) // size * size
        parts = [
            _encode.encode_postings(hashes[at : at + size], document_ids[at : at + size], True)
            for at in range(0, end, size)
        ]
        if not parts:
            return _encode.encode_postings(hashes[:0], document_ids[:0], True)
        buffers, sizes, counts = zip(*parts, strict=True)
        rows = [buffer[: len(part)] for buffer, part in zip(buffers, sizes, strict=True)]
        return np.concatenate(rows), list(chain.from_iterable(sizes)), list(chain.from_iterable(counts))

    with pytest.MonkeyPatch.context() as patch:
        encode = SimpleNamespace(encode_postings=encode_postings, encode_positions=_encode.encode_positions)
        patch.setattr(writer, "_encode", encode)
        yield
