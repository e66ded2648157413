# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Blocks read and sealed, blocks to arrays and back, look-ups in blocks: the loops that Python and numpy do too slowly.

Bytes are described in docs/design/file-format.md, which is their only authority. Sorted sequences are coded after Elias and
Fano: the low bits of each number packed, the high bits as a bit vector in which element i sets bit (high_i + i).
Every count and offset of a block is checked before it is used; what does not hold raises ValueError.
"""

from cpython.buffer cimport PyBUF_SIMPLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy as np
from xxhash import xxh3_64_intdigest as digest

cdef extern from *:
    """
    /* Where the processor's own instruction may not be counted on, __builtin_popcountll is a call. */
    static inline int fpdb_popcount(uint64_t x) {
    #if defined(__POPCNT__) || defined(__aarch64__)
        return __builtin_popcountll(x);
    #else
        x -= x >> 1 & 0x5555555555555555u;
        x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        return (int)(x * 0x0101010101010101u >> 56);
    #endif
    }
    #define fpdb_ctz(x) __builtin_ctzll(x)
    #define fpdb_clz(x) __builtin_clzll(x)
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    #define fpdb_big(x) __builtin_bswap64(x)
    #else
    #define fpdb_big(x) (x)
    #endif
    """
    int fpdb_popcount(uint64_t x) noexcept nogil
    int fpdb_ctz(uint64_t x) noexcept nogil
    int fpdb_clz(uint64_t x) noexcept nogil
    uint64_t fpdb_big(uint64_t x) noexcept nogil

cdef enum:
    BLOCK = 4072        # bytes of a value at most: one overflow page under either LMDB file format
    CHECKSUM = 8        # bytes in front of every value
    HEADER = 20         # bytes of a posting block after the checksum
    PADDING = 8         # zero bytes at the end, so that 64 bits may be loaded at any bit of a column
    MOST = 65535        # postings in a block
    POSITION_HEADER = 8

cdef uint64_t EVERY_OTHER = 0x5555555555555555  # bits

POSTINGS_PER_BLOCK = MOST
BLOCK_BYTES = BLOCK


# ---------------------------------------------------------------- keys and checksums

cdef inline object key_of(uint64_t number):
    """The key of a block: its number, big-endian."""
    number = fpdb_big(number)
    return PyBytes_FromStringAndSize(<char*>&number, 8)


cpdef bint sound(uint64_t number, value) except -1:
    """Whether the value of a block matches its checksum, which is seeded with the block's number."""
    cdef Py_buffer view
    cdef uint64_t said = 0
    PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
    cdef bint there = view.len > CHECKSUM
    if there:
        memcpy(&said, view.buf, CHECKSUM)
    PyBuffer_Release(&view)
    return there and digest(memoryview(value)[CHECKSUM:], number) == said


def unseal(bytes key, value):
    """The value that was sealed under a key, a view of it without the checksum. Raises ValueError."""
    cdef Py_buffer view
    cdef uint64_t said = 0
    PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
    cdef Py_ssize_t size = view.len
    if size >= CHECKSUM:
        memcpy(&said, view.buf, CHECKSUM)
    PyBuffer_Release(&view)
    body = memoryview(value)[CHECKSUM:]
    if size < CHECKSUM or digest(body, digest(key)) != said:
        raise ValueError
    return body


def read(getmulti, uint64_t first, const int64_t[::1] indices, Py_ssize_t at_once):
    """The values of the blocks with the numbers first + index, checked; some `at_once`.

    getmulti: keys in, pairs of key and value out, without those that are not there. Raises LookupError where one is
    missing, ValueError where one is damaged.
    """
    cdef Py_ssize_t n = indices.shape[0], start, i, end
    values = []
    for start in range(0, n, at_once):
        end = min(start + at_once, n)
        got = getmulti([key_of(first + <uint64_t>indices[i]) for i in range(start, end)])
        if len(got) != end - start:
            raise LookupError
        i = start
        for _, value in got:
            if not sound(first + <uint64_t>indices[i], value):
                raise ValueError
            values.append(value)
            i += 1
    return values


def sealed(uint64_t first, uint8_t[:, ::1] buffer, list sizes):
    """The items to store of blocks numbered from `first` on: keys and values. buffer: as `encode_postings` returns it,
    which the values are views of, with their checksums written."""
    cdef Py_ssize_t row = 0
    cdef uint64_t checksum
    items = []
    rows = memoryview(buffer.base).cast("B")
    for row in range(len(sizes)):
        value = rows[row * (BLOCK + 8) : row * (BLOCK + 8) + <Py_ssize_t>sizes[row]]
        checksum = digest(value[CHECKSUM:], first + row)
        memcpy(&buffer[row, 0], &checksum, CHECKSUM)
        items.append((key_of(first + row), value))
    return items


# ---------------------------------------------------------------- bits

cdef inline uint64_t load64(const uint8_t* at) noexcept nogil:
    cdef uint64_t x
    memcpy(&x, at, 8)
    return x


cdef inline int width_of(uint64_t x) noexcept nogil:
    """Bits needed for x; 0 for 0."""
    return 0 if x == 0 else 64 - fpdb_clz(x)


cdef inline uint64_t get_bits(const uint8_t* column, uint64_t index, int width) noexcept nogil:
    cdef uint64_t bit = index * <uint64_t>width
    cdef const uint8_t* at = column + (bit >> 3)
    cdef int shift = bit & 7
    cdef uint64_t x
    if width == 0:
        return 0
    x = load64(at) >> shift
    if shift + width > 64:
        x |= <uint64_t>at[8] << (64 - shift)
    if width < 64:
        x &= (<uint64_t>1 << width) - 1
    return x


cdef struct Packer:
    uint8_t* at         # where the next 8 bytes of a packed column go
    uint64_t word       # the bits that do not fill them yet
    int used            # how many these are


cdef inline void put_bits(Packer* packer, int width, uint64_t x) noexcept nogil:
    """Appends x, which has no bits beyond width."""
    packer.word |= x << packer.used
    packer.used += width
    if packer.used >= 64:
        memcpy(packer.at, &packer.word, 8)
        packer.at += 8
        packer.used -= 64
        packer.word = x >> (width - packer.used) if packer.used else 0


cdef inline void finish(Packer* packer) noexcept nogil:
    """Writes what is left."""
    memcpy(packer.at, &packer.word, (packer.used + 7) >> 3)


cdef inline uint64_t packed_bytes(uint64_t count, int width) noexcept nogil:
    return (count * <uint64_t>width + 7) >> 3


cdef inline int low_width(uint64_t span, uint64_t count) noexcept nogil:
    """Elias and Fano's choice: floor(log2(span / count)), 0 where the sequence is dense."""
    cdef uint64_t mean = span // count
    return 0 if mean == 0 else 63 - fpdb_clz(mean)


cdef inline uint64_t high_bytes(uint64_t span, uint64_t count, int low) noexcept nogil:
    """Bytes of the high bit vector, a multiple of 8."""
    return ((count + (span >> low) + 64) >> 6) << 3


# ---------------------------------------------------------------- posting blocks

cdef struct Block:
    Py_ssize_t postings, hashes     # postings, and distinct hashes among them
    int low, width                  # bits of the low parts, bits of a packed document
    uint64_t first                  # the first hash
    uint32_t base                   # the least document
    Py_ssize_t high_len             # bytes of the high vector
    const uint8_t* high
    const uint8_t* lows
    const uint8_t* starts           # bit p set: posting p has another hash than posting p - 1; NULL: every bit is set
    const uint8_t* documents


cdef int parse(const uint8_t* value, Py_ssize_t size, Block* block) noexcept nogil:
    """0, or -1 where the value cannot be a posting block. Multi-hash blocks: Elias-Fano hashes, packed documents;
    a block of one hash: Elias-Fano documents."""
    cdef uint16_t n, m, high
    cdef Py_ssize_t need
    if size < CHECKSUM + HEADER + PADDING or size > BLOCK:
        return -1
    value += CHECKSUM
    memcpy(&n, value, 2)
    memcpy(&m, value + 2, 2)
    memcpy(&high, value + 4, 2)
    block.low = value[6]
    block.width = value[7]
    memcpy(&block.first, value + 8, 8)
    memcpy(&block.base, value + 16, 4)
    if n == 0 or m == 0 or m > n or block.low > 63 or block.width > 32 or high & 7 or high == 0:
        return -1
    block.postings = n
    block.hashes = m
    block.high_len = high
    block.high = value + HEADER
    block.lows = block.high + high
    if m == 1:
        if block.width:
            return -1
        block.starts = NULL
        block.documents = block.lows
        need = HEADER + high + packed_bytes(n, block.low)
    else:
        block.starts = NULL if n == m else block.lows + packed_bytes(m, block.low)
        block.documents = block.lows + packed_bytes(m, block.low) + (0 if n == m else (n + 7) >> 3)
        need = (block.documents - value) + packed_bytes(n, block.width)
    return 0 if CHECKSUM + need + PADDING == size else -1


cdef Py_ssize_t size_of(Py_ssize_t n, Py_ssize_t m, uint64_t hash_span, uint64_t document_span) noexcept nogil:
    cdef int low
    if m == 1:
        low = low_width(document_span, n)
        return CHECKSUM + HEADER + high_bytes(document_span, n, low) + packed_bytes(n, low) + PADDING
    low = low_width(hash_span, m)
    return (CHECKSUM + HEADER + high_bytes(hash_span, m, low) + packed_bytes(m, low)
            + (0 if n == m else (n + 7) >> 3) + packed_bytes(n, width_of(document_span)) + PADDING)


cdef Py_ssize_t encode(const uint64_t* hashes, const uint32_t* documents, Py_ssize_t left,
                       uint8_t* out, Py_ssize_t* size) noexcept nogil:
    """Packs as many of the postings as one block takes into out (BLOCK + 8 zeroed bytes); returns how many."""
    cdef Py_ssize_t n = 0, m = 0, step = 32, limit, i, at, n0, m0
    cdef uint32_t least = 0xFFFFFFFF, most = 0, least0, most0
    cdef int low, width
    cdef uint64_t x, bit, span
    cdef uint16_t u
    cdef uint8_t* high
    cdef uint8_t* lows
    cdef uint8_t* starts
    cdef uint8_t* column
    cdef Packer packer
    # Grow in steps, halving the step whenever the next one no longer fits.
    while step:
        limit = min(n + step, left, <Py_ssize_t>MOST)
        if limit == n:
            break
        n0, m0, least0, most0 = n, m, least, most
        for i in range(n, limit):
            if i == 0 or hashes[i] != hashes[i - 1]:
                m += 1
            if documents[i] < least:
                least = documents[i]
            if documents[i] > most:
                most = documents[i]
        n = limit
        if size_of(n, m, hashes[n - 1] - hashes[0], most - least) > BLOCK:
            n, m, least, most = n0, m0, least0, most0
            step >>= 1
    size[0] = size_of(n, m, hashes[n - 1] - hashes[0], most - least)
    span = most - least if m == 1 else hashes[n - 1] - hashes[0]
    low = low_width(span, n if m == 1 else m)
    width = 0 if m == 1 else width_of(most - least)
    out += CHECKSUM
    u = <uint16_t>n
    memcpy(out, &u, 2)
    u = <uint16_t>m
    memcpy(out + 2, &u, 2)
    u = <uint16_t>high_bytes(span, n if m == 1 else m, low)
    memcpy(out + 4, &u, 2)
    out[6] = <uint8_t>low
    out[7] = <uint8_t>width
    memcpy(out + 8, hashes, 8)
    memcpy(out + 16, &least, 4)
    high = out + HEADER
    lows = high + u
    packer = Packer(lows, 0, 0)
    if m == 1:
        for i in range(n):
            x = documents[i] - least
            bit = (x >> low) + <uint64_t>i
            high[bit >> 3] |= <uint8_t>(1 << (bit & 7))
            put_bits(&packer, low, x & ((<uint64_t>1 << low) - 1))
        finish(&packer)
        return n
    starts = lows + packed_bytes(m, low)
    column = starts + (0 if n == m else (n + 7) >> 3)
    at = 0
    for i in range(n):
        if i == 0 or hashes[i] != hashes[i - 1]:
            x = hashes[i] - hashes[0]
            bit = (x >> low) + <uint64_t>at
            high[bit >> 3] |= <uint8_t>(1 << (bit & 7))
            put_bits(&packer, low, x & ((<uint64_t>1 << low) - 1))
            at += 1
            if n != m:
                starts[i >> 3] |= <uint8_t>(1 << (i & 7))
    finish(&packer)
    packer = Packer(column, 0, 0)
    for i in range(n):
        put_bits(&packer, width, documents[i] - least)
    finish(&packer)
    return n


ctypedef fused Number:
    uint32_t
    uint64_t


cdef inline void unpack(const uint8_t* column, int width, Py_ssize_t count, Number* out) noexcept nogil:
    """Decodes a packed column; its numbers fit into out."""
    cdef Py_ssize_t i
    cdef uint64_t bit = 0, mask = (<uint64_t>1 << width) - 1
    if width > 57:  # a number and the bits before it in its first byte may exceed 64
        for i in range(count):
            out[i] = <Number>get_bits(column, i, width)
        return
    for i in range(count):
        out[i] = <Number>((load64(column + (bit >> 3)) >> (bit & 7)) & mask)
        bit += width


cdef Py_ssize_t unpack_sorted(const uint8_t* high, Py_ssize_t high_len, const uint8_t* lows, int low,
                              Py_ssize_t count, uint64_t* out) noexcept nogil:
    """Decodes an Elias-Fano sequence; returns how many numbers it held (count, unless damaged)."""
    cdef Py_ssize_t i = 0, word
    cdef uint64_t bits
    unpack(lows, low, count, out)
    for word in range(high_len >> 3):
        bits = load64(high + 8 * word)
        while bits and i < count:
            out[i] |= (<uint64_t>(64 * word + fpdb_ctz(bits)) - <uint64_t>i) << low
            bits &= bits - 1
            i += 1
    return i


cdef int decode(const Block* block, uint64_t* hashes, uint32_t* documents, uint64_t* scratch) noexcept nogil:
    """Writes the block's postings; scratch takes MOST numbers. -1 where the block is damaged."""
    cdef Py_ssize_t i, at = -1, n = block.postings
    if block.hashes == 1:
        if unpack_sorted(block.high, block.high_len, block.lows, block.low, n, scratch) != n:
            return -1
        for i in range(n):
            hashes[i] = block.first
            documents[i] = block.base + <uint32_t>scratch[i]
        return 0
    if unpack_sorted(block.high, block.high_len, block.lows, block.low, block.hashes, scratch) != block.hashes:
        return -1
    if block.starts == NULL:
        for i in range(n):
            hashes[i] = block.first + scratch[i]
    else:
        for i in range(n):
            at += (block.starts[i >> 3] >> (i & 7)) & 1
            if at < 0 or at >= block.hashes:
                return -1
            hashes[i] = block.first + scratch[at]
        if at != block.hashes - 1:
            return -1
    unpack(block.documents, block.width, n, documents)
    for i in range(n):
        documents[i] += block.base
    return 0


cdef Py_ssize_t find(const Block* block, uint64_t hash) noexcept nogil:
    """The index of hash among the block's distinct hashes, or -1."""
    cdef uint64_t x, high, bits, zeros = 0, bit, wanted
    cdef Py_ssize_t word = 0, words = block.high_len >> 3, i
    cdef int count
    if hash < block.first:
        return -1
    x = hash - block.first
    if block.hashes == 1:
        return 0 if x == 0 else -1
    high = x >> block.low
    wanted = x & ((<uint64_t>1 << block.low) - 1)
    # Elements whose high part is `high` follow the high-th zero.
    if high:
        while True:
            if word == words:
                return -1
            bits = ~load64(block.high + 8 * word)
            count = fpdb_popcount(bits)
            if zeros + count >= high:
                break
            zeros += count
            word += 1
        for i in range(<Py_ssize_t>(high - zeros - 1)):
            bits &= bits - 1
        bit = 64 * <uint64_t>word + fpdb_ctz(bits) + 1
    else:
        bit = 0
    i = <Py_ssize_t>(bit - high)
    while i < block.hashes and bit < 8 * <uint64_t>block.high_len and (block.high[bit >> 3] >> (bit & 7)) & 1:
        x = get_bits(block.lows, i, block.low)
        if x == wanted:
            return i
        if x > wanted:
            return -1
        bit += 1
        i += 1
    return -1


cdef void extent(const Block* block, Py_ssize_t index, Py_ssize_t* first, Py_ssize_t* end) noexcept nogil:
    """The postings [first, end) of the index-th distinct hash."""
    cdef Py_ssize_t word = 0, words = (block.postings + 63) >> 6, i
    cdef uint64_t bits = 0
    cdef int count
    if block.hashes == 1:
        first[0] = 0
        end[0] = block.postings
        return
    if block.starts == NULL:
        first[0] = index
        end[0] = index + 1
        return
    first[0] = end[0] = block.postings
    # The bit that begins it, and the next one. What is loaded beyond the last posting's bit is cut off below.
    while word < words:
        bits = load64(block.starts + 8 * word)
        count = fpdb_popcount(bits)
        if count > index:
            break
        index -= count
        word += 1
    if word == words:
        return
    for i in range(index):
        bits &= bits - 1
    first[0] = min(64 * word + fpdb_ctz(bits), block.postings)
    bits &= bits - 1
    while bits == 0:
        word += 1
        if word == words:
            return
        bits = load64(block.starts + 8 * word)
    end[0] = min(64 * word + fpdb_ctz(bits), block.postings)


# ---------------------------------------------------------------- arrays in, values out

def encode_postings(const uint64_t[::1] hashes, const uint32_t[::1] documents, bint final):
    """Packs sorted postings into blocks.

    hashes, documents: shape (n,), sorted by (hash, document). Returns (buffer, sizes, counts): a uint8 array whose
    rows of BLOCK_BYTES + 8 bytes hold a block each (its first 8 bytes zero, for the checksum), the blocks' sizes in
    bytes, and their numbers of postings. Unless final, the last block, which may not be full, is left out.
    """
    cdef Py_ssize_t n = hashes.shape[0], at = 0, room, used = 0, size, took
    room = n // 128 + 2
    buffer = np.zeros((room, BLOCK + 8), np.uint8)
    sizes, counts = [], []
    cdef uint8_t[:, ::1] rows = buffer
    while at < n:
        if used == room:
            room *= 2
            grown = np.zeros((room, BLOCK + 8), np.uint8)
            grown[:used] = buffer
            buffer = grown
            rows = buffer
        with nogil:
            took = encode(&hashes[at], &documents[at], n - at, &rows[used, 0], &size)
        at += took
        if at == n and not final:
            rows[used, :] = 0
            break
        used += 1
        sizes.append(size)
        counts.append(took)
    return buffer, sizes, counts


def decode_postings(values, Py_ssize_t postings):
    """Unpacks posting blocks that hold this many postings in all.

    values: buffers. Returns (hashes uint64, documents uint32), each of shape (postings,). Raises ValueError where a
    block is damaged or the count differs.
    """
    hashes = np.empty(postings, np.uint64)
    documents = np.empty(postings, np.uint32)
    cdef uint64_t[::1] h = hashes
    cdef uint32_t[::1] d = documents
    cdef Py_buffer view
    cdef Block block
    cdef Py_ssize_t at = 0
    cdef int bad
    cdef uint64_t* scratch = <uint64_t*>malloc(MOST * 8)
    if scratch == NULL:
        raise MemoryError
    try:
        for value in values:
            PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
            with nogil:
                bad = parse(<const uint8_t*>view.buf, view.len, &block)
                if not bad and at + block.postings > postings:
                    bad = -1
                if not bad:
                    bad = decode(&block, &h[at], &d[at], scratch)
            PyBuffer_Release(&view)
            if bad:
                raise ValueError("a posting block is damaged")
            at += block.postings
    finally:
        free(scratch)
    if at != postings:
        raise ValueError(f"{at} postings where {postings} were expected")
    return hashes, documents


def encode_positions(const uint32_t[::1] numbers, bint final):
    """Packs numbers (position + 1, 0 for none), shape (n,), into blocks; returns what encode_postings returns."""
    cdef Py_ssize_t n = numbers.shape[0], at = 0, took, i, room, used = 0, capacity = BLOCK - CHECKSUM - 16
    cdef int width, wider
    cdef uint32_t count
    cdef Packer packer
    room = n // 900 + 2
    buffer = np.zeros((room, BLOCK + 8), np.uint8)
    sizes, counts = [], []
    cdef uint8_t[:, ::1] rows = buffer
    cdef uint8_t* out
    while at < n:
        took = 0
        width = 0
        while at + took < n and took < MOST:
            wider = width_of(numbers[at + took])
            if wider < width:
                wider = width
            if packed_bytes(took + 1, wider) > capacity:
                break
            width = wider
            took += 1
        if at + took == n and not final:
            break
        out = &rows[used, 0] + CHECKSUM
        count = <uint32_t>took
        memcpy(out, &count, 4)
        out[4] = <uint8_t>width
        packer = Packer(out + POSITION_HEADER, 0, 0)
        for i in range(took):
            put_bits(&packer, width, numbers[at + i])
        finish(&packer)
        used += 1
        sizes.append(CHECKSUM + POSITION_HEADER + packed_bytes(took, width) + PADDING)
        counts.append(took)
        at += took
    return buffer, sizes, counts


def decode_positions(values, Py_ssize_t postings):
    """Unpacks position blocks that hold this many numbers in all; uint32, shape (postings,). Raises ValueError."""
    numbers = np.empty(postings, np.uint32)
    cdef uint32_t[::1] out = numbers
    cdef Py_buffer view
    cdef const uint8_t* p
    cdef Py_ssize_t at = 0
    cdef uint32_t count = 0
    cdef int width, bad
    for value in values:
        PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
        p = <const uint8_t*>view.buf + CHECKSUM
        bad = view.len < CHECKSUM + POSITION_HEADER + PADDING
        if not bad:
            memcpy(&count, p, 4)
            width = p[4]
            bad = (width > 32 or count == 0 or count > MOST or at + <Py_ssize_t>count > postings
                   or CHECKSUM + POSITION_HEADER + <Py_ssize_t>packed_bytes(count, width) + PADDING != view.len)
        if not bad:
            unpack(p + POSITION_HEADER, width, count, &out[at])
            at += count
        PyBuffer_Release(&view)
        if bad:
            raise ValueError("a position block is damaged")
    if at != postings:
        raise ValueError(f"{at} positions where {postings} were expected")
    return numbers


# ---------------------------------------------------------------- look-ups

cdef inline Py_ssize_t above(const uint64_t* sorted, Py_ssize_t n, uint64_t x) noexcept nogil:
    """The index of the first number above x, or n."""
    cdef Py_ssize_t low = 0, half
    while n:
        half = n >> 1
        if sorted[low + half] <= x:
            low += half + 1
            n -= half + 1
        else:
            n = half
    return low


def spans(const uint64_t[::1] first, const uint64_t[::1] hashes):
    """The first and last block that may hold each hash; last is -1 where none can. int64, shape (n,).

    first: the first hash of each block, sorted; hashes: sorted.
    """
    cdef Py_ssize_t n = hashes.shape[0], blocks = first.shape[0], i, at = 0
    low_array, high_array = np.empty(n, np.int64), np.empty(n, np.int64)
    cdef int64_t[::1] lows = low_array, highs = high_array
    with nogil:
        for i in range(n):
            at += above(&first[0] + at, blocks - at, hashes[i]) if at < blocks else 0
            highs[i] = lows[i] = at - 1
            if at and first[at - 1] == hashes[i]:  # then it may begin in a block before
                lows[i] = above(&first[0], at, hashes[i] - 1) - 1 if hashes[i] else 0
            lows[i] = max(lows[i], <int64_t>0)
    return low_array, high_array


def slots(const int64_t[::1] lows, const int64_t[::1] highs):
    """The distinct blocks that the spans of sorted hashes cover, int64; and each span's ends as indices into them,
    uint32, shape (n,)."""
    cdef Py_ssize_t n = lows.shape[0], i, used = 0
    cdef int64_t block, covered = 0, last = -1
    low_array, high_array = np.empty(n, np.uint32), np.empty(n, np.uint32)
    cdef uint32_t[::1] low_slots = low_array, high_slots = high_array
    for i in range(n):
        covered += max(highs[i] - max(lows[i], last + 1) + 1, 0)
        last = max(last, highs[i])
    wanted_array = np.empty(covered, np.int64)
    cdef int64_t[::1] wanted = wanted_array
    last = -1
    for i in range(n):
        for block in range(max(lows[i], last + 1), highs[i] + 1):
            wanted[used] = block
            used += 1
        last = max(last, highs[i])
        # What was added last are the blocks up to `last`, one after the other, from this span's first one on.
        low_slots[i] = <uint32_t>(used - 1 - (last - lows[i]))
        high_slots[i] = <uint32_t>(used - 1 - (last - highs[i]))
    return wanted_array, low_array, high_array

cdef struct Sink:
    uint32_t* counts        # of documents; or NULL: documents are listed
    Py_ssize_t documents_end  # documents from here on are not counted, and are damage
    uint32_t* documents
    Py_ssize_t used, room   # of what is listed
    uint64_t* scratch       # MOST numbers, or NULL as long as they were not needed

cdef enum:
    DAMAGED = 1
    NO_MEMORY = 2


cdef int more_room(Sink* sink, Py_ssize_t more) noexcept nogil:
    cdef void* grown
    if sink.used + more <= sink.room:
        return 0
    sink.room = 2 * (sink.used + more)
    grown = realloc(sink.documents, sink.room * 4)
    if grown == NULL:
        return NO_MEMORY
    sink.documents = <uint32_t*>grown
    return 0


cdef int count_all(Sink* sink, const Block* block, int64_t* previous) noexcept nogil:
    """Counts the documents of a block of one hash, but for what repeats the previous one, as they are decoded."""
    cdef Py_ssize_t i = 0, n = block.postings, word, j
    cdef int low = block.low
    cdef uint64_t bits, gap
    cdef int64_t document, last = previous[0], base = block.base
    cdef uint32_t* counts
    for word in range(block.high_len >> 3):
        bits = load64(block.high + 8 * word)
        if low == 0 and (bits == EVERY_OTHER or bits == EVERY_OTHER << 1) and i + 32 <= n:  # 32 documents in a row
            document = base + 64 * word + fpdb_ctz(bits) - i
            if last < document and 0 <= document and document + 32 <= sink.documents_end:
                counts = sink.counts + document
                for j in range(32):
                    counts[j] += 1
                last = document + 31
                i += 32
                continue
        while bits:
            if i == n:
                return DAMAGED
            gap = <uint64_t>(64 * word + fpdb_ctz(bits) - i)
            if low:
                gap = gap << low | get_bits(block.lows, i, low)
            document = base + <int64_t>gap
            bits &= bits - 1
            i += 1
            if document == last:
                continue
            if document >= sink.documents_end or document < 0:
                return DAMAGED
            sink.counts[document] += 1
            last = document
    previous[0] = last
    return 0 if i == n else DAMAGED


cdef int take(Sink* sink, const Block* block, Py_ssize_t where, int64_t* previous) noexcept nogil:
    """Hands the documents of the block's distinct hash `where` on, but for what repeats the previous one."""
    cdef Py_ssize_t first = 0, end = 0, j
    cdef int64_t document
    extent(block, where, &first, &end)
    if block.hashes == 1 and sink.counts != NULL:
        return count_all(sink, block, previous)
    if block.hashes == 1:
        if sink.scratch == NULL:
            sink.scratch = <uint64_t*>malloc(MOST * 8)
            if sink.scratch == NULL:
                return NO_MEMORY
        if unpack_sorted(block.high, block.high_len, block.lows, block.low, end, sink.scratch) != end:
            return DAMAGED
    if sink.counts == NULL and more_room(sink, end - first):
        return NO_MEMORY
    for j in range(first, end):
        if block.hashes == 1:
            document = block.base + <int64_t>sink.scratch[j]
        else:
            document = block.base + <int64_t>get_bits(block.documents, j, block.width)
        if document == previous[0]:
            continue
        previous[0] = document
        if sink.counts == NULL:
            sink.documents[sink.used] = <uint32_t>document
            sink.used += 1
        elif document < sink.documents_end:
            sink.counts[document] += 1
        else:
            return DAMAGED
    return 0


cdef int visit(list values, const uint64_t[::1] hashes, const uint32_t[::1] lows, const uint32_t[::1] highs,
               Sink* sink, int64_t[::1] listed) except -1:
    """Hands the documents of each hash on; listed, shape (n,) or, where they are not, (0,): how many of each. Raises
    ValueError, MemoryError."""
    cdef Py_ssize_t n = hashes.shape[0], count = len(values), held = 0, before, i, v, where
    cdef int64_t previous
    cdef int bad = 0
    cdef Block* blocks = <Block*>malloc((count + 1) * sizeof(Block))
    cdef Py_buffer* views = <Py_buffer*>malloc((count + 1) * sizeof(Py_buffer))
    try:
        if blocks == NULL or views == NULL:
            raise MemoryError
        if lows.shape[0] != n or highs.shape[0] != n:
            raise ValueError("hashes, lows and highs differ in length")
        for v in range(count):
            PyObject_GetBuffer(values[v], &views[v], PyBUF_SIMPLE)
            held += 1
            if parse(<const uint8_t*>views[v].buf, views[v].len, &blocks[v]):
                raise ValueError("a posting block is damaged")
        with nogil:
            for i in range(n):
                if highs[i] >= count:
                    bad = DAMAGED
                    break
                previous = -1
                before = sink.used
                for v in range(lows[i], <Py_ssize_t>highs[i] + 1):
                    where = find(&blocks[v], hashes[i])
                    if where >= 0:
                        bad = take(sink, &blocks[v], where, &previous)
                    if bad:
                        break
                if bad:
                    break
                if sink.counts == NULL:
                    listed[i] = sink.used - before
        if bad == NO_MEMORY:
            raise MemoryError
        if bad:
            raise ValueError("a posting block is damaged")
        return 0
    finally:
        for v in range(held):
            PyBuffer_Release(&views[v])
        free(sink.scratch)
        free(blocks)
        free(views)


def probe(list values, const uint64_t[::1] hashes, const uint32_t[::1] lows, const uint32_t[::1] highs):
    """Looks hashes up in blocks.

    values: the blocks; lows, highs, shape (n,): hash i is looked for in values[lows[i]] to values[highs[i]], both
    included. Returns (counts, documents): how many documents hold each hash, int64, shape (n,), and the documents of one
    hash after the other, as stored, uint32; one that holds a hash at several positions comes once. Raises ValueError
    where a block is damaged.
    """
    cdef Sink sink
    memset(&sink, 0, sizeof(Sink))
    try:
        counts = np.zeros(hashes.shape[0], np.int64)
        visit(values, hashes, lows, highs, &sink, counts)
        documents = np.empty(sink.used, np.uint32)
        if sink.used:
            memcpy(<void*><size_t>documents.ctypes.data, sink.documents, sink.used * 4)
        return counts, documents
    finally:
        free(sink.documents)


def tally(list values, const uint64_t[::1] hashes, const uint32_t[::1] lows, const uint32_t[::1] highs,
          uint32_t[::1] counts):
    """Like `probe`, but adds 1 to counts[document] for each hit. Raises ValueError where a block is damaged."""
    cdef Sink sink
    memset(&sink, 0, sizeof(Sink))
    sink.documents_end = counts.shape[0]
    if sink.documents_end:
        sink.counts = &counts[0]
        visit(values, hashes, lows, highs, &sink, np.empty(0, np.int64))
