# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Merging sorted postings by a tree of losers."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from fpdb.storage.id_set cimport IdSet, IdTable, holds


cdef class Stream:
    """A sorted sequence of postings that arrives in pieces.

    Runs and the merge's inputs are in order of document ids, so that equal hashes come from the earlier stream first.
    """
    cdef const uint64_t[::1] hashes
    cdef const uint32_t[::1] documents
    cdef const uint32_t[::1] positions
    cdef Py_ssize_t taken
    cdef Py_ssize_t left
    cdef public bint ended

    def refill(self, const uint64_t[::1] hashes, const uint32_t[::1] documents, const uint32_t[::1] positions):
        """Replace the piece that has been used up."""
        self.hashes, self.documents, self.positions = hashes, documents, positions
        self.taken = 0
        self.left = hashes.shape[0]


cdef inline Py_ssize_t comes_before(const uint64_t* heads, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Return 1 if stream a comes first, else 0; without a jump, which nobody could predict."""
    return <Py_ssize_t>(heads[a] < heads[b]) | (<Py_ssize_t>(heads[a] == heads[b]) & <Py_ssize_t>(a < b))


cdef void build(const uint64_t* heads, Py_ssize_t* losers, Py_ssize_t count) noexcept nogil:
    """Play all games of a tree of losers (Knuth, volume 3, section 5.4.1).

    Stream i enters at node (i + count) / 2, and each node keeps who lost there; losers[0] is who lost none.
    """
    cdef Py_ssize_t i, node, winner, other
    for i in range(count):
        losers[i] = -1
    for i in range(count):
        winner = i
        node = (i + count) >> 1
        while node:
            other = losers[node]
            if other < 0:  # waits for an opponent
                losers[node] = winner
                winner = -1
                break
            if comes_before(heads, other, winner):
                losers[node], winner = winner, other
            node >>= 1
        if winner >= 0:
            losers[0] = winner


cdef struct Head:
    const uint64_t* hashes
    const uint32_t* documents
    const uint32_t* positions
    Py_ssize_t left
    Py_ssize_t stream

cdef struct Tree:
    Head* heads         # of streams that have postings
    uint64_t* hashes    # the first hash of each
    Py_ssize_t* losers
    Py_ssize_t count

cdef struct Output:
    uint64_t* hashes
    uint32_t* documents
    uint32_t* positions
    Py_ssize_t filled, room

cdef Py_ssize_t copy_head(Head* head, Output* output) noexcept nogil:
    """Move postings of the only stream, none of them dead, as `run_tree` does."""
    cdef Py_ssize_t count = min(head.left, output.room - output.filled)
    memcpy(output.hashes + output.filled, head.hashes, <size_t>count * sizeof(uint64_t))
    memcpy(output.documents + output.filled, head.documents, <size_t>count * sizeof(uint32_t))
    memcpy(output.positions + output.filled, head.positions, <size_t>count * sizeof(uint32_t))
    output.filled += count
    head.left -= count
    return -1 if head.left else head.stream


cdef Py_ssize_t run_tree(Tree* tree, Output* output, const IdTable* live) noexcept nogil:
    """Move postings until the output is full, or a stream is dry; return the dry one's stream, or -1."""
    cdef Py_ssize_t best = tree.losers[0], count = tree.count, filled = output.filled, node, other, swapped
    cdef Py_ssize_t* losers = tree.losers  # local, so that the compiler need not read them again after each store
    cdef uint64_t* heads = tree.hashes
    cdef uint64_t* hashes = output.hashes
    cdef uint32_t* documents = output.documents
    cdef uint32_t* positions = output.positions
    cdef Head* head
    cdef uint32_t document
    while filled < output.room:
        head = &tree.heads[best]
        document = head.documents[0]
        if live == NULL or holds(live, document):
            hashes[filled] = heads[best]
            documents[filled] = document
            positions[filled] = head.positions[0]
            filled += 1
        head.hashes += 1
        head.documents += 1
        head.positions += 1
        head.left -= 1
        if head.left == 0:
            output.filled = filled
            return head.stream
        heads[best] = head.hashes[0]
        node = (best + count) >> 1
        while node:
            other = losers[node]
            swapped = (best ^ other) & -comes_before(heads, other, best)
            losers[node] = other ^ swapped
            best ^= swapped
            node >>= 1
    output.filled = filled
    return -1


cdef Py_ssize_t begin(list streams, Tree* tree) except -2:
    """Fill in the heads; return the index of a stream that is dry before anything was moved, or -1."""
    cdef Stream stream
    cdef Py_ssize_t i
    for i in range(len(streams)):
        stream = streams[i]
        if stream.left:
            tree.heads[tree.count] = Head(&stream.hashes[stream.taken], &stream.documents[stream.taken],
                                          &stream.positions[stream.taken], stream.left, i)
            tree.hashes[tree.count] = stream.hashes[stream.taken]
            tree.count += 1
        elif not stream.ended:
            return i
    return -1


def merge(list streams, tuple output, Py_ssize_t filled, IdSet live):
    """Move postings from the streams, in order, into arrays, until these are full or a stream runs dry.

    Args:
        streams: In order of document ids.
        output: Arrays of hashes, document ids and encoded positions; shape (n,).
        filled: Where in the arrays to begin.
        live: The documents whose postings are moved, or None for those of all.

    Returns:
        The next free index of the arrays, and the index of the stream that has run dry but has not ended, or -1.
    """
    cdef uint64_t[::1] hashes = output[0]
    cdef uint32_t[::1] documents = output[1], positions = output[2]
    cdef size_t room = len(streams) + 1
    cdef uint8_t[::1] heads = np.empty(room * sizeof(Head), np.uint8)
    cdef uint64_t[::1] first_hashes = np.empty(room, np.uint64)
    cdef Py_ssize_t[::1] losers = np.empty(room, np.intp)
    cdef Output target = Output(&hashes[0], &documents[0], &positions[0], filled, hashes.shape[0])
    cdef Tree tree = Tree(<Head*>&heads[0], &first_hashes[0], &losers[0], 0)
    cdef const IdTable* table = NULL if live is None else &live.table
    cdef Py_ssize_t i, dry
    cdef Stream stream
    dry = begin(streams, &tree)
    if dry < 0 and tree.count:
        with nogil:
            if tree.count == 1 and table == NULL:
                dry = copy_head(&tree.heads[0], &target)
            else:
                build(tree.hashes, tree.losers, tree.count)
                dry = run_tree(&tree, &target, table)
        for i in range(tree.count):
            stream = streams[tree.heads[i].stream]
            stream.taken += stream.left - tree.heads[i].left
            stream.left = tree.heads[i].left
    return target.filled, dry
