# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Look-ups of hashes in blocks, without unpacking the blocks. What is looked at of a block is checked."""

from cpython.buffer cimport PyBUF_SIMPLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy as np

from fpdb.storage._bits cimport SortedColumn, get_bits, load64, popcount, trailing_zeros, unpack_sorted
from fpdb.storage.runs._block cimport Block, MAX_POSTINGS, parse_block

cdef extern from *:
    """
    #define prefetch(address) __builtin_prefetch(address)
    """
    void prefetch(const void* address) noexcept nogil

cdef enum:
    OWN_PAGE = 2048         # bytes, half a page, from which LMDB gives a value pages of its own: no other change moves it
    AHEAD = 8               # blocks that are fetched into the processor's cache while one is parsed

cdef uint64_t ALTERNATE_BITS = 0x5555555555555555


cdef Py_ssize_t find_sorted(const SortedColumn* column, Py_ssize_t count, uint64_t x) noexcept nogil:
    """Return the index of a number in a sorted sequence, or -1."""
    cdef uint64_t high, bits, zeros = 0, bit = 0, wanted, other
    cdef const uint8_t* highs = column.high
    cdef Py_ssize_t word = 0, words = column.high_bytes >> 3, i
    cdef int ones, low = column.low
    high = x >> low
    wanted = x & ((<uint64_t>1 << low) - 1)
    # Elements whose high part is `high` follow the high-th zero.
    if high:
        while True:
            if word == words:
                return -1
            bits = ~load64(highs + 8 * word)
            ones = popcount(bits)
            if zeros + ones >= high:
                break
            zeros += ones
            word += 1
        for i in range(<Py_ssize_t>(high - zeros - 1)):
            bits &= bits - 1
        bit = 64 * <uint64_t>word + trailing_zeros(bits) + 1
    i = <Py_ssize_t>(bit - high)
    while i < count and bit < 64 * <uint64_t>words and (highs[bit >> 3] >> (bit & 7)) & 1:
        other = get_bits(column.lows, i, low)
        if other == wanted:
            return i
        if other > wanted:
            return -1
        bit += 1
        i += 1
    return -1


cdef Py_ssize_t find_hash(const Block* block, uint64_t hash) noexcept nogil:
    """Return the index of a hash among the block's distinct hashes, or -1."""
    if hash < block.first:
        return -1
    if block.hashes == 1:
        return 0 if hash == block.first else -1
    return find_sorted(&block.sequence, block.hashes, hash - block.first)


cdef struct Range:
    Py_ssize_t start, end


cdef Range postings_of(const Block* block, Py_ssize_t index) noexcept nogil:
    """Return which postings are of the distinct hash of this index."""
    cdef Py_ssize_t word = 0, words = (block.postings + 63) >> 6, i
    cdef uint64_t bits = 0
    cdef int count
    cdef Range found = Range(block.postings, block.postings)
    if block.hashes == 1:
        return Range(0, block.postings)
    if block.starts == NULL:
        return Range(index, index + 1)
    # The bit that begins it, and the next one. What is loaded beyond the last posting's bit is cut off below.
    while word < words:
        bits = load64(block.starts + 8 * word)
        count = popcount(bits)
        if count > index:
            break
        index -= count
        word += 1
    if word == words:
        return found
    for i in range(index):
        bits &= bits - 1
    found.start = min(64 * word + trailing_zeros(bits), block.postings)
    bits &= bits - 1
    while bits == 0:
        word += 1
        if word == words:
            return found
        bits = load64(block.starts + 8 * word)
    found.end = min(64 * word + trailing_zeros(bits), block.postings)
    return found


# ---------------------------------------------------------------- the documents of a hash

cdef enum:
    DAMAGED = 1
    NO_MEMORY = 2

cdef struct Sink:
    uint32_t* counts            # of documents; or NULL: documents are listed, or only how many they are
    uint32_t first_id           # documents before are damage
    uint64_t documents_end      # and so are documents from here on
    uint32_t* documents
    Py_ssize_t used, room       # of what is listed
    int64_t previous            # the last document of the hash that was taken
    uint64_t* scratch           # MAX_POSTINGS numbers, or NULL as long as they were not needed


cdef int reserve(Sink* sink, Py_ssize_t more) noexcept nogil:
    cdef void* grown
    if sink.used + more <= sink.room:
        return 0
    sink.room = 2 * (sink.used + more)
    grown = realloc(sink.documents, sink.room * 4)
    if grown == NULL:
        return NO_MEMORY
    sink.documents = <uint32_t*>grown
    return 0


cdef int unpack_documents(Sink* sink, const Block* block) noexcept nogil:
    """Unpack the document ids of a block of one hash into the scratch."""
    if sink.scratch == NULL:
        sink.scratch = <uint64_t*>malloc(MAX_POSTINGS * 8)
        if sink.scratch == NULL:
            return NO_MEMORY
    return 0 if unpack_sorted(&block.sequence, block.postings, sink.scratch) == block.postings else DAMAGED


cdef int count_block(Sink* sink, const Block* block) noexcept nogil:
    """Count the documents of a block of one hash, without repetitions, as they are decoded."""
    cdef Py_ssize_t i = 0, n = block.postings, used = sink.used, word, j
    cdef int low = block.sequence.low
    cdef uint64_t bits, gap
    cdef int64_t document, last = sink.previous, base = block.base
    cdef uint32_t* counts
    for word in range(block.sequence.high_bytes >> 3):
        bits = load64(block.sequence.high + 8 * word)
        if low == 0 and (bits == ALTERNATE_BITS or bits == ALTERNATE_BITS << 1) and i + 32 <= n:  # 32 ids in a row
            document = base + 64 * word + trailing_zeros(bits) - i
            if last < document and 0 <= document and <uint64_t>document + 32 <= sink.documents_end:
                if sink.counts != NULL:
                    counts = sink.counts + document
                    for j in range(32):
                        counts[j] += 1
                used += 32
                last = document + 31
                i += 32
                continue
        while bits:
            if i == n:
                return DAMAGED
            gap = <uint64_t>(64 * word + trailing_zeros(bits) - i)
            if low:
                gap = gap << low | get_bits(block.sequence.lows, i, low)
            document = base + <int64_t>gap
            bits &= bits - 1
            i += 1
            if document == last:
                continue
            if <uint64_t>document >= sink.documents_end or document < last:
                return DAMAGED
            if sink.counts != NULL:
                sink.counts[document] += 1
            used += 1
            last = document
    sink.used, sink.previous = used, last
    return 0 if i == n else DAMAGED


cdef int take(Sink* sink, const Block* block, Py_ssize_t index) noexcept nogil:
    """Hand on the documents of the block's distinct hash of this index, without repetitions; they must ascend."""
    cdef Range postings
    cdef Py_ssize_t j, used = sink.used
    cdef int64_t document, previous = sink.previous
    cdef uint64_t bit, mask = (<uint64_t>1 << block.width) - 1
    cdef uint32_t* documents
    cdef int fault
    if block.base < sink.first_id:
        return DAMAGED
    if block.hashes == 1:
        if sink.counts != NULL:
            return count_block(sink, block)
        fault = unpack_documents(sink, block)
        if fault:
            return fault
    postings = postings_of(block, index)
    if sink.counts == NULL and reserve(sink, postings.end - postings.start):
        return NO_MEMORY
    documents = sink.documents
    for j in range(postings.start, postings.end):
        if block.hashes == 1:
            document = block.base + <int64_t>sink.scratch[j]
        else:
            bit = <uint64_t>j * block.width
            document = block.base + <int64_t>((load64(block.documents + (bit >> 3)) >> (bit & 7)) & mask)
        if document <= previous:
            if document == previous:
                continue
            return DAMAGED
        previous = document
        if sink.counts == NULL:
            documents[used] = <uint32_t>document
            used += 1
        elif <uint64_t>document < sink.documents_end:
            sink.counts[document] += 1
        else:
            return DAMAGED
    if previous >= 0 and <uint64_t>previous >= sink.documents_end:
        return DAMAGED
    sink.used = used
    sink.previous = previous
    return 0


# ---------------------------------------------------------------- many hashes in many blocks

cdef struct Place:
    const uint8_t* start        # of a value; NULL: not known
    Py_ssize_t size


cdef class Located:
    """Values of blocks that can be read as long as the transaction that found them lasts."""
    cdef Place* places
    cdef Py_ssize_t count
    cdef list read              # those that are in no `Places`

    def __cinit__(self, Py_ssize_t count):
        self.places = <Place*>malloc((count + 1) * sizeof(Place))
        if self.places == NULL:
            raise MemoryError
        self.count = count

    def __dealloc__(self):
        free(self.places)


cdef class Places:
    """The places of a run's posting blocks in the map of an open file: of those that were read and verified.

    A block that has a page of its own stays where it is as long as any snapshot lists its run.
    """
    cdef Place* places
    cdef Py_ssize_t count

    def __cinit__(self, Py_ssize_t count):
        """Begin without any; count: the blocks of the run."""
        self.places = <Place*>calloc(count + 1, sizeof(Place))
        if self.places == NULL:
            raise MemoryError
        self.count = count

    def __dealloc__(self):
        free(self.places)

    def locate(self, const int64_t[::1] indices, read):
        """Return where blocks lie, in a transaction that only reads.

        Args:
            indices: Of the blocks; shape (n,).
            read: Called with the indices of blocks whose places are not known; returns their values, verified.
        """
        cdef Py_ssize_t n = indices.shape[0], i, missing = 0
        cdef Located located = Located(n)
        cdef Py_buffer view
        cdef Place place
        for i in range(n):
            if not 0 <= indices[i] < self.count:
                raise ValueError("there is no such block")
            located.places[i] = self.places[indices[i]]
            missing += located.places[i].start == NULL
        if not missing:
            return located
        wanted_array = np.empty(missing, np.int64)
        cdef int64_t[::1] wanted = wanted_array
        missing = 0
        for i in range(n):
            if located.places[i].start == NULL:
                wanted[missing] = indices[i]
                missing += 1
        located.read = read(wanted_array)
        values = iter(located.read)
        for i in range(n):
            if located.places[i].start == NULL:
                PyObject_GetBuffer(next(values), &view, PyBUF_SIMPLE)
                place = Place(<const uint8_t*>view.buf, view.len)
                PyBuffer_Release(&view)
                located.places[i] = place
                if place.size >= OWN_PAGE:
                    self.places[indices[i]] = place
        return located


cdef class Blocks:
    """Parsed blocks, whose bytes are held."""
    cdef Block* blocks
    cdef Py_buffer* views
    cdef Py_ssize_t count, viewed
    cdef object values

    def __cinit__(self, values):
        cdef Py_ssize_t count = (<Located>values).count if isinstance(values, Located) else len(values)
        self.values = values
        self.blocks = <Block*>malloc((count + 1) * sizeof(Block))
        if self.blocks == NULL:
            raise MemoryError
        if isinstance(values, Located):
            self.parse_located(values)
        else:
            self.views = <Py_buffer*>malloc((count + 1) * sizeof(Py_buffer))
            if self.views == NULL:
                raise MemoryError
            self.parse_values(values)

    cdef int parse_located(self, Located located) except -1:
        cdef Py_ssize_t i
        cdef const Place* places = located.places
        cdef int fault = 0
        with nogil:
            for i in range(located.count):
                if i + AHEAD < located.count:
                    prefetch(places[i + AHEAD].start)
                    prefetch(places[i + AHEAD].start + 64)
                fault |= parse_block(places[i].start, places[i].size, &self.blocks[i])
        if fault:
            raise ValueError("a posting block is damaged")
        self.count = located.count
        return 0

    cdef int parse_values(self, list values) except -1:
        cdef Py_buffer* view
        for value in values:
            view = &self.views[self.viewed]
            PyObject_GetBuffer(value, view, PyBUF_SIMPLE)
            self.viewed += 1
            if parse_block(<const uint8_t*>view.buf, view.len, &self.blocks[self.viewed - 1]):
                raise ValueError("a posting block is damaged")
        self.count = self.viewed
        return 0

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.viewed):
            PyBuffer_Release(&self.views[i])
        free(self.blocks)
        free(self.views)


cdef struct Query:
    const uint64_t* hashes
    const uint32_t* lows        # hash i is looked for in blocks lows[i] to highs[i]
    const uint32_t* highs
    Py_ssize_t count
    int64_t* listed             # how many documents were listed of each hash; NULL: they are counted


cdef int visit(const Query* query, const Block* blocks, Py_ssize_t count, Sink* sink) noexcept nogil:
    """Hand on the documents of each hash."""
    cdef Py_ssize_t i, index, before, block
    cdef int fault
    for i in range(query.count):
        if query.highs[i] >= count:
            return DAMAGED
        sink.previous = -1
        before = sink.used
        for block in range(query.lows[i], <Py_ssize_t>query.highs[i] + 1):
            index = find_hash(&blocks[block], query.hashes[i])
            if index >= 0:
                fault = take(sink, &blocks[block], index)
                if fault:
                    return fault
        if query.listed != NULL:
            query.listed[i] = sink.used - before
    return 0


cdef int run_query(values, const uint64_t[::1] first_hashes, Query* query, Sink* sink) except -1:
    cdef Blocks blocks = Blocks(values)
    cdef Py_ssize_t i
    cdef int fault
    if first_hashes.shape[0] != blocks.count:
        raise ValueError("blocks and first hashes differ in length")
    for i in range(blocks.count):
        if blocks.blocks[i].first != first_hashes[i]:
            raise ValueError("a posting block is not the one of its fence")
    with nogil:
        fault = visit(query, blocks.blocks, blocks.count, sink)
    free(sink.scratch)
    sink.scratch = NULL
    if fault == NO_MEMORY:
        raise MemoryError
    if fault:
        raise ValueError("a posting block is damaged")
    return 0


cdef Query make_query(const uint64_t[::1] hashes, const uint32_t[::1] lows, const uint32_t[::1] highs) except *:
    cdef Py_ssize_t n = hashes.shape[0]
    if lows.shape[0] != n or highs.shape[0] != n:
        raise ValueError("hashes, lows and highs differ in length")
    if n == 0:
        return Query(NULL, NULL, NULL, 0, NULL)
    return Query(&hashes[0], &lows[0], &highs[0], n, NULL)


def probe(values, const uint64_t[::1] first_hashes, const uint64_t[::1] hashes, const uint32_t[::1] lows,
          const uint32_t[::1] highs, uint32_t first_id=0, uint32_t last_id=0xffffffff):
    """Look hashes up in blocks.

    Args:
        values: The blocks, a list of them or what `Places.locate` returns.
        first_hashes: The first hash of each, as the fences say.
        hashes: Shape (n,).
        lows: Hash i is looked for in values[lows[i]] to values[highs[i]], both included; shape (n,).
        highs: See lows.
        first_id: The first document that may hold any.
        last_id: The last one.

    Returns:
        The number of documents that hold each hash, int64, shape (n,); and the documents of one hash after the other,
        ascending, uint32. A document that holds a hash at several positions comes once.

    Raises:
        ValueError: A block is damaged, or another than the fences say.
    """
    cdef Sink sink
    cdef Query query = make_query(hashes, lows, highs)
    cdef int64_t[::1] counts
    memset(&sink, 0, sizeof(Sink))
    sink.first_id, sink.documents_end = first_id, <uint64_t>last_id + 1
    try:
        count_array = np.zeros(query.count, np.int64)
        counts = count_array
        if query.count:
            query.listed = &counts[0]
        run_query(values, first_hashes, &query, &sink)
        documents = np.empty(sink.used, np.uint32)
        if sink.used:
            memcpy(<void*><size_t>documents.ctypes.data, sink.documents, sink.used * 4)
        return count_array, documents
    finally:
        free(sink.documents)


def tally(values, const uint64_t[::1] first_hashes, const uint64_t[::1] hashes, const uint32_t[::1] lows,
          const uint32_t[::1] highs, uint32_t[::1] counts, uint32_t first_id=0, uint32_t last_id=0xffffffff):
    """Add 1 to counts[document] for each document that `probe` would list. Raises ValueError."""
    cdef Sink sink
    cdef Query query = make_query(hashes, lows, highs)
    memset(&sink, 0, sizeof(Sink))
    sink.first_id, sink.documents_end = first_id, min(<uint64_t>counts.shape[0], <uint64_t>last_id + 1)
    if counts.shape[0]:
        sink.counts = &counts[0]
        run_query(values, first_hashes, &query, &sink)


# ---------------------------------------------------------------- the blocks of one hash

cdef int check_blocks_of(Blocks blocks, uint64_t hash, uint32_t first_id) except -1:
    """Raise ValueError unless all blocks are of this hash alone."""
    cdef Py_ssize_t i
    for i in range(blocks.count):
        if blocks.blocks[i].hashes != 1 or blocks.blocks[i].first != hash or blocks.blocks[i].base < first_id:
            raise ValueError("a posting block is not the one of its fence")
    return 0


def count_documents(list values, uint64_t hash_, uint32_t first_id=0, uint32_t last_id=0xffffffff):
    """Return the first document of each block of one hash, uint32, and the distinct documents in all of them.

    values: blocks that hold this hash alone, one after the other. first_id, last_id: see `probe`. Raises ValueError.
    """
    cdef Blocks blocks = Blocks(values)
    cdef Sink sink
    cdef Py_ssize_t i
    cdef int fault = 0
    firsts_array = np.empty(blocks.count, np.uint32)
    cdef uint32_t[::1] firsts = firsts_array
    check_blocks_of(blocks, hash_, first_id)
    memset(&sink, 0, sizeof(Sink))
    sink.first_id, sink.documents_end, sink.previous = first_id, <uint64_t>last_id + 1, -1
    with nogil:
        for i in range(blocks.count):
            firsts[i] = blocks.blocks[i].base
            fault = fault or count_block(&sink, &blocks.blocks[i])
    if fault:
        raise ValueError("a posting block is damaged")
    return firsts_array, sink.used


def first_documents(list values, uint64_t hash_, uint32_t first_id=0):
    """Return the first of `count_documents`, without counting."""
    cdef Blocks blocks = Blocks(values)
    cdef Py_ssize_t i
    firsts = np.empty(blocks.count, np.uint32)
    check_blocks_of(blocks, hash_, first_id)
    for i in range(blocks.count):
        firsts[i] = blocks.blocks[i].base
    return firsts


def hold(list values, uint64_t hash_, const uint32_t[::1] slots, const uint32_t[::1] documents):
    """Return which documents hold a hash; uint8, shape (n,).

    values: blocks that hold this hash alone. slots: the one that document i is looked for in. Raises ValueError.
    """
    cdef Blocks blocks = Blocks(values)
    cdef Block* block
    cdef Py_ssize_t i, n = documents.shape[0]
    held_array = np.zeros(n, np.uint8)
    cdef uint8_t[::1] held = held_array
    check_blocks_of(blocks, hash_, 0)
    with nogil:
        for i in range(n):
            if slots[i] < <uint32_t>blocks.count:
                block = &blocks.blocks[slots[i]]
                if documents[i] >= block.base:
                    held[i] = find_sorted(&block.sequence, block.postings, documents[i] - block.base) >= 0
    return held_array
