"""Records what users get, and says what has changed since: `python -m tests.recorded [GROUP...]`.

With `--compare` nothing is written; the cases then run in the opposite order, which must not make a difference.
"""

import argparse
import sys
import time

from .everything import groups
from .recorder import Recorder, differences, load, save


def main() -> int:
    """Return the exit status: 1 where something was to be compared and differs."""
    every = groups()
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"one of {', '.join(every)}; by default all")
    parser.add_argument("--compare", action="store_true", help="write nothing")
    given = parser.parse_args()
    recorder = Recorder()
    changed = 0
    for name in given.groups or every:
        begun = time.perf_counter()
        cases = list(every[name])
        found = {case: every[name][case](recorder) for case in (cases[::-1] if given.compare else cases)}
        outcomes = {case: found[case] for case in cases}
        told = differences(load(name), outcomes)
        print(f"{name}: {len(cases)} cases, {time.perf_counter() - begun:.1f} s, {len(told)} lines differ")
        if told:
            print("\n".join(told))
        changed += len(told)
        if not given.compare:
            save(name, outcomes)
    recorder.close()
    return int(given.compare and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
