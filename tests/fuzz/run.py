"""Fuzzes one target: `python -m tests.fuzz.run TARGET --seconds N [--plain]`; without a target, lists them.

With atheris, which sees what an input reaches and keeps those that reach something new; --plain damages the seeds at
random, which needs no package and can run under a sanitizer. Ends with status 1 and writes the input to the working
directory where one takes too long or raises what it may not.
"""

import argparse
import hashlib
import resource
import sys
import time
import traceback
from pathlib import Path

from .mutations import mutated

SLOW = 20.0
"""Seconds of processor time that an input may take: far more than any needs, and far less than one that hangs."""
MEMORY = 4 << 30
"""Bytes that the process may come to."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run")
    parser.add_argument("target", nargs="?")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", action="store_true", help="list those that run kernels of ours")
    given = parser.parse_args()
    if given.target is None:
        from .targets import CLOSE_TO_MEMORY, TARGETS

        print("\n".join(CLOSE_TO_MEMORY if given.kernels else TARGETS))
    elif given.plain:
        plain(given.target, given.seconds, given.seed)
    else:
        guided(given.target, given.seconds, given.seed)


def plain(name: str, seconds: float, seed: int, most: int | None = None) -> tuple[int, int, float]:
    """Tries damaged inputs; returns how many, how many of them were taken, and the most seconds that one took."""
    from .targets import LARGEST, TARGETS

    target = TARGETS[name]
    until = time.monotonic() + seconds
    done = taken = 0
    slowest = 0.0
    for data in mutated(target.seeds(), seed, LARGEST):
        begun = time.process_time()
        try:
            taken += target.attempt(data)
        except BaseException:
            keep(name, data)
            raise
        used = time.process_time() - begun
        slowest = max(slowest, used)
        if used > SLOW:
            keep(name, data)
            raise AssertionError(f"{name}: an input took {used:.0f} s")
        done += 1
        if time.monotonic() > until or done == most:
            break
    if __name__ == "__main__":
        report(name, done, f"{taken:,} of them taken, at most {slowest:.2f} s for one")
    return done, taken, slowest


def guided(name: str, seconds: float, seed: int) -> None:
    """The same by atheris, which ends the process."""
    import atheris

    with atheris.instrument_imports(include=["fpdb", "html", "json", "zipfile", "tarfile", "msgpack", "xml"]):
        from .targets import LARGEST, TARGETS
    atheris.enabled_hooks.add("RegEx")
    atheris.enabled_hooks.add("str")
    target = TARGETS[name]
    corpus = Path("fuzz-corpus", name.replace(", ", "-").replace(" ", "-"))
    corpus.mkdir(parents=True, exist_ok=True)
    for data in target.seeds():
        (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)  # noqa: S324 (as libFuzzer names them)
    done = 0

    def one(data: bytes) -> None:
        nonlocal done
        done += 1
        try:
            target.attempt(data)
        except Exception:
            traceback.print_exc()
            raise

    arguments = [sys.argv[0], f"-max_total_time={seconds:.0f}", f"-max_len={LARGEST}", f"-timeout={SLOW:.0f}"]
    arguments += [f"-rss_limit_mb={MEMORY >> 20}", f"-seed={seed}", "-print_final_stats=1", "-verbosity=0", str(corpus)]
    atheris.Setup(arguments, one)
    import atexit

    atexit.register(lambda: report(name, done, f"{len(list(corpus.iterdir())):,} kept for what they reach"))
    atheris.Fuzz()


def keep(name: str, data: bytes) -> None:
    path = Path(f"crash-{name.replace(', ', '-').replace(' ', '-')}-{hashlib.sha256(data).hexdigest()[:12]}")
    path.write_bytes(data)
    print(f"{name}: the input is in {path}", file=sys.stderr)


def report(name: str, done: int, more: str) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{name}: {done:,} inputs, {more}; {peak:,} MB", flush=True)


if __name__ == "__main__":
    main()
