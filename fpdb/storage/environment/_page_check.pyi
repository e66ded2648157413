from mmap import mmap

PAGE: int
HEADER: int
NODE: int
TREE_RECORD: int
BRANCH: int
LEAF: int
OVERFLOW: int
BIG: int
DATABASE: int
DEEPEST: int

def examine(pages: mmap, meta: int, budget: int) -> str | None: ...
def last_change(pages: mmap, meta: int) -> int: ...
