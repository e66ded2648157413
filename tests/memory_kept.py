"""Memory that kernels take from malloc and do not free."""

import ctypes
import gc

FIELDS = "arena", "ordblks", "smblks", "hblks", "mapped", "usmblks", "fsmblks", "used", "free", "keepcost"


class MallocState(ctypes.Structure):
    """Of the GNU C library: see mallinfo(3)."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in FIELDS)


def allocated():
    """Return the bytes that malloc has given out, or 0 if the C library does not tell."""
    try:
        mallinfo = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return 0
    mallinfo.restype = MallocState
    state = mallinfo()
    return state.used + state.mapped


def kept_by(call, times=20):
    """Return the bytes that calls keep in all."""
    call()
    gc.collect()
    before = allocated()
    for _ in range(times):
        call()
    gc.collect()
    return allocated() - before
