# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The pages of an LMDB file (engine 0.9, 4096 bytes a page), examined before LMDB trusts what they say.

LMDB follows page numbers, node offsets and lengths without looking: a wrong one leads it out of the file, or to another
page. Here each is held against the rest: a page has its own number and one type, its nodes lie in it and fill it
without gaps, keys ascend and stay between those of the branches above, a page is used once and is not free as well, and
the counts of a database are those that were found. Values are not read; their checksums are for whoever reads them.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy
from mmap import mmap

from posix.mman cimport MADV_DONTNEED, MADV_WILLNEED, madvise

cpdef enum:             # the layout of the file, for Python as well
    PAGE = 4096
    HEADER = 16         # page number (8), pad (2), flags (2), lower end of the free space (2), upper end (2)
    NODE = 8            # size or page number (6, with the flags), flags (2), bytes of the key (2)
    TREE_RECORD = 48    # pad (4), flags (2), depth (2), branches, leaves, overflow, entries, root (8 each)
    BRANCH = 1          # flags of a page
    LEAF = 2
    OVERFLOW = 4
    BIG = 1             # flag of a node: the value is on pages of its own
    DATABASE = 2        # flag of a node: the value is a tree's record
    DEEPEST = 32        # levels of a tree

cdef enum:
    KINDS = 0x7F        # flags of a tree that say how it is kept; beside the free list's are some of the file's own
    INTEGERS = 8        # the one of the free list; fpdb's databases have none
    TREES = HEADER + 24 # in a meta page: the records of its two trees, then the last page and the transaction
    MAX_DATABASES = 64
    MAPPED = 512        # pages looked at until the map is dropped: the system maps each with the 15 around it
    LIVE = 1
    FREE = 2

cdef const uint64_t NOWHERE = <uint64_t>-1

cdef struct Tree:
    uint16_t flags
    uint16_t depth
    uint64_t branches, leaves, entries, root    # as its record says
    uint64_t found_branches, found_leaves, found_entries

cdef struct Key:
    const uint8_t* at
    int size            # -1: none

cdef struct Page:
    uint64_t number
    Key low, high       # its keys are not below the one, and below the other
    bint numbers        # keys are numbers, in the processor's order
    bint leaf
    const uint8_t* start
    int nodes

cdef struct File:
    const uint8_t* pages
    uint64_t count      # pages that there are
    uint64_t end        # pages that the commit counts
    uint8_t* used       # LIVE and FREE of each page
    bint mapped         # the pages are a map of a file, which can be dropped: its pages come back when they are read
    uint64_t budget     # pages that may still be looked at
    uint64_t page       # where the fault is
    const char* fault
    int databases
    Tree named[MAX_DATABASES]


cdef Key NO_KEY
NO_KEY.at, NO_KEY.size = NULL, -1


cdef inline uint16_t u16(const uint8_t* at) noexcept nogil:
    cdef uint16_t x
    memcpy(&x, at, 2)
    return x


cdef inline uint32_t u32(const uint8_t* at) noexcept nogil:
    cdef uint32_t x
    memcpy(&x, at, 4)
    return x


cdef inline uint64_t u64(const uint8_t* at) noexcept nogil:
    cdef uint64_t x
    memcpy(&x, at, 8)
    return x


cdef inline int even(int x) noexcept nogil:
    return (x + 1) & ~1


cdef inline int compare(Key a, Key b, bint numbers) noexcept nogil:
    cdef int shorter, order
    cdef uint64_t x, y
    if numbers:
        x, y = u64(a.at), u64(b.at)
        return (x > y) - (x < y)
    shorter = a.size if a.size < b.size else b.size
    order = memcmp(a.at, b.at, shorter)
    return order if order else a.size - b.size


cdef bint wrong(File* file, uint64_t page, const char* fault) noexcept nogil:
    """Note a fault, the first one only; return False."""
    if file.fault is NULL:
        file.fault, file.page = fault, page
    return False


cdef bint take(File* file, uint64_t page, uint64_t count, uint64_t user, uint8_t use) noexcept nogil:
    """Mark pages as used; user: the page that names them."""
    cdef uint64_t index
    if page < 2 or page >= file.end or count > file.end - page:
        return wrong(file, user, "names a page that is not there")
    for index in range(page, page + count):
        if file.used[index]:
            return wrong(file, user, "names a page that is used elsewhere or free")
        file.used[index] = use
    return True


cdef Tree read_record(const uint8_t* at) noexcept nogil:
    cdef Tree tree
    tree.flags, tree.depth = u16(at + 4), u16(at + 6)
    tree.branches, tree.leaves, tree.entries, tree.root = u64(at + 8), u64(at + 16), u64(at + 32), u64(at + 40)
    tree.found_branches = tree.found_leaves = tree.found_entries = 0
    return tree


cdef bint read_header(File* file, Tree* tree, Page* page) noexcept nogil:
    """Find out a page's entries, which the tree counts."""
    cdef int lower, upper
    if page.number >= file.count:
        return wrong(file, page.number, "is behind the end of the file")
    page.start = file.pages + page.number * PAGE
    if u64(page.start) != page.number:
        return wrong(file, page.number, "has another page's number")
    if u16(page.start + 10) != (LEAF if page.leaf else BRANCH):
        return wrong(file, page.number, "is of the wrong type")
    lower, upper = u16(page.start + 12), u16(page.start + 14)
    page.nodes = (lower - HEADER) // 2
    if lower < HEADER or lower & 1 or lower > upper or upper > PAGE:
        return wrong(file, page.number, "has impossible bounds")
    if page.nodes < (1 if page.leaf or page.numbers else 2):
        return wrong(file, page.number, "has too few entries")
    if page.leaf:
        tree.found_leaves += 1
        tree.found_entries += page.nodes
    else:
        tree.found_branches += 1
    return True


cdef inline const uint8_t* node_of(const Page* page, int index) noexcept nogil:
    return page.start + u16(page.start + HEADER + 2 * index)


cdef inline Key key_of(const uint8_t* node) noexcept nogil:
    return Key(node + NODE, u16(node + 6))


cdef bint examine_entries(File* file, Tree* tree, const Page* page) noexcept nogil:
    """Check where a page's entries lie, the order of their keys, and what a leaf's lead to."""
    cdef const uint8_t* node
    cdef const uint8_t* upper = page.start + u16(page.start + 14)
    cdef const uint8_t* end = page.start + PAGE
    cdef int index, size, place = PAGE
    cdef Key key, last = NO_KEY
    for index in range(page.nodes):
        node = node_of(page, index)
        if node < upper or node + NODE > end:
            return wrong(file, page.number, "has an entry outside of it")
        key = key_of(node)
        size = NODE + key.size
        if page.leaf:
            size += 8 if u16(node + 4) & BIG else <int>min(u32(node), <uint32_t>PAGE)
        if node + size > end:
            return wrong(file, page.number, "has an entry that runs over its end")
        place -= even(size)
        if page.numbers and key.size != 8 and (page.leaf or index):
            return wrong(file, page.number, "has a key of the wrong length")
        if page.leaf or index:  # the first key of a branch means nothing
            if key.size == 0:
                return wrong(file, page.number, "has an empty key")
            if page.low.size >= 0 and last.size < 0 and compare(key, page.low, page.numbers) < 0:
                return wrong(file, page.number, "has a key below those of its place")
            if last.size >= 0 and compare(key, last, page.numbers) <= 0:
                return wrong(file, page.number, "has keys out of order")
            last = key
        if page.leaf and not examine_value(file, tree, page.number, node):
            return False
    if last.size >= 0 and page.high.size >= 0 and compare(last, page.high, page.numbers) >= 0:
        return wrong(file, page.number, "has a key above those of its place")
    if page.start + place != upper:
        return wrong(file, page.number, "has entries that do not fill it")
    return True


cdef inline uint64_t child_of(const uint8_t* node) noexcept nogil:
    return u32(node) | <uint64_t>u16(node + 4) << 32


cdef void fetch_children(File* file, const Page* page) noexcept nogil:
    """Have the system read the pages that a branch names, all at once, as far as they will be looked at."""
    cdef uint64_t first = 0, end = 0, child
    cdef int index, count = page.nodes if <uint64_t>page.nodes < file.budget else <int>file.budget
    for index in range(count):
        child = child_of(node_of(page, index))
        if child >= file.count:
            return  # which is found to be wrong
        if child != end:
            fetch(file, first, end)
            first = child
        end = child + 1
    fetch(file, first, end)


cdef inline void fetch(File* file, uint64_t first, uint64_t end) noexcept nogil:
    if end > first:
        madvise(<void*>(file.pages + first * PAGE), (end - first) * PAGE, MADV_WILLNEED)


cdef bint examine_page(File* file, Tree* tree, Page page, int depth) noexcept nogil:
    """Check a page of a tree, and all below it. Of the page, start and nodes are not set."""
    cdef const uint8_t* node
    cdef Page child
    cdef int index
    if not file.budget:
        return True
    file.budget -= 1
    if file.mapped and file.budget % MAPPED == 0:
        madvise(<void*>file.pages, file.count * PAGE, MADV_DONTNEED)
    page.leaf = depth == tree.depth
    if not read_header(file, tree, &page) or not examine_entries(file, tree, &page):
        return False
    if page.leaf:
        return True
    child = page
    fetch_children(file, &page)
    for index in range(page.nodes):
        node = node_of(&page, index)
        child.number = child_of(node)
        if not take(file, child.number, 1, page.number, LIVE):
            return False
        if index:
            child.low = key_of(node)
        child.high = key_of(node_of(&page, index + 1)) if index + 1 < page.nodes else page.high
        if not examine_page(file, tree, child, depth + 1):
            return False
    return True


cdef bint examine_value(File* file, Tree* tree, uint64_t number, const uint8_t* node) noexcept nogil:
    """Check what a leaf's entry leads to."""
    cdef int flags = u16(node + 4)
    cdef uint64_t size = u32(node)
    cdef const uint8_t* value = node + NODE + u16(node + 6)
    cdef uint64_t first, pages
    if flags == BIG:
        first = u64(value)
        pages = (HEADER - 1 + size) // PAGE + 1
        if not take(file, first, pages, number, LIVE):
            return False
        if first + pages > file.count:
            return wrong(file, number, "names a page behind the end of the file")
        value = file.pages + first * PAGE + HEADER
    elif flags == DATABASE and tree == &file.named[1] and size == TREE_RECORD and file.databases < MAX_DATABASES:
        file.named[file.databases] = read_record(value)
        file.databases += 1
        return True
    elif flags:
        return wrong(file, number, "has an entry of an unknown sort")
    if tree == &file.named[0]:
        return examine_free(file, number, value, size)
    return True


cdef bint examine_free(File* file, uint64_t number, const uint8_t* value, uint64_t size) noexcept nogil:
    """Check a list of free pages: how many, and each, descending."""
    cdef uint64_t count, index
    if size < 8 or size & 7 or u64(value) != size // 8 - 1:
        return wrong(file, number, "has a list of free pages of the wrong length")
    count = u64(value)
    if file.budget <= size // PAGE:
        file.budget = 0
        return True
    file.budget -= size // PAGE
    for index in range(count):
        if not take(file, u64(value + 8 + 8 * index), 1, number, FREE):
            return False
    return True


cdef bint examine_tree(File* file, Tree* tree) noexcept nogil:
    cdef Page root = Page(tree.root, NO_KEY, NO_KEY, tree == &file.named[0], False, NULL, 0)
    if tree.flags & KINDS != (INTEGERS if tree == &file.named[0] else 0):
        return wrong(file, tree.root, "is the root of a database of an unknown sort")
    if tree.root != NOWHERE:
        if not 0 < tree.depth <= DEEPEST:
            return wrong(file, tree.root, "is the root of a database of impossible depth")
        if not take(file, tree.root, 1, tree.root, LIVE) or not examine_page(file, tree, root, 1):
            return False
    elif tree.depth:
        return wrong(file, 0, "leads to a database without a root")
    if file.budget and (
        tree.found_branches != tree.branches
        or tree.found_leaves != tree.leaves
        or tree.found_entries != tree.entries
    ):
        return wrong(file, tree.root, "is the root of a database that counts other pages or entries")
    return True


cdef uint64_t newest_freed(File* file, Tree* tree) noexcept nogil:
    """Return the last key of the free list, the last transaction that changed anything; 0 where there is none."""
    cdef uint64_t number = tree.root
    cdef const uint8_t* page
    cdef const uint8_t* node
    cdef int depth, nodes
    if number == NOWHERE or tree.depth > DEEPEST:
        return 0
    for depth in range(1, tree.depth + 1):
        if number < 2 or number >= file.count:
            return 0
        page = file.pages + number * PAGE
        nodes = (<int>u16(page + 12) - HEADER) // 2
        if u16(page + 10) != (LEAF if depth == tree.depth else BRANCH) or not 0 < nodes <= (PAGE - HEADER) // 2:
            return 0
        node = page + u16(page + HEADER + 2 * (nodes - 1))
        if node + NODE + 8 > page + PAGE:
            return 0
        if depth == tree.depth:
            return u64(node + NODE) if u16(node + 6) == 8 else 0
        number = u32(node) | <uint64_t>u16(node + 4) << 32
    return 0


def examine(pages, int meta, uint64_t budget):
    """Return what is wrong with the commit that a meta page names, in a few words, or None.

    pages: a map of the file, or its bytes. At most `budget` pages of trees and free lists are looked at.
    """
    cdef const uint8_t[::1] content = pages
    cdef File file
    cdef const uint8_t* trees
    cdef int index
    file.pages, file.count = &content[0], content.shape[0] // PAGE
    trees = file.pages + meta * PAGE + TREES
    file.end = u64(trees + 2 * TREE_RECORD) + 1
    file.mapped = isinstance(pages, mmap)
    file.budget, file.fault, file.page = budget, NULL, 0
    file.named[0], file.named[1] = read_record(trees), read_record(trees + TREE_RECORD)
    file.databases = 2
    # The file may lack free pages at its end, but not many: a wild number must not take memory.
    if file.end < 2 or file.end > 2 * file.count + (1 << 20):
        return f"meta page {meta} counts {file.end} pages of {file.count}"
    file.used = <uint8_t*>calloc(file.end, 1)
    if file.used is NULL:
        raise MemoryError
    try:
        with nogil:
            index = 0
            while index < file.databases and examine_tree(&file, &file.named[index]):
                index += 1
    finally:
        free(file.used)
    return None if file.fault is NULL else f"page {file.page} {file.fault.decode()}"


def last_change(const uint8_t[::1] pages, int meta):
    """Return the last transaction that freed a page, as the commit of a meta page knows it; 0: none."""
    cdef File file
    cdef Tree tree
    file.pages, file.count = &pages[0], pages.shape[0] // PAGE
    tree = read_record(file.pages + meta * PAGE + TREES)
    return newest_freed(&file, &tree)
