"""Records what users get, and says what has changed since: `python -m tests.recorded [GROUP...]`.

With `--compare` nothing is written; the cases then run in the opposite order, which must not make a difference.
"""

import argparse
import sys
import time

from .command_lines import GROUPS
from .recorder import Recorder, differences, load, save


def main() -> int:
    """Return the exit status: 1 where something was to be compared and differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"one of {', '.join(GROUPS)}; by default all")
    parser.add_argument("--compare", action="store_true", help="write nothing")
    given = parser.parse_args()
    recorder = Recorder()
    changed = 0
    for name in given.groups or GROUPS:
        begun = time.process_time()
        group = GROUPS[name]
        cases = group.cases[::-1] if given.compare else group.cases
        found = {case: recorder.run(group, case) for case in cases}
        outcomes = {case: found[case] for case in group.cases}
        told = differences(load(name), outcomes)
        print(f"{name}: {len(cases)} cases, {time.process_time() - begun:.1f} s, {len(told)} lines differ")
        print("\n".join(told[:200]))
        changed += len(told)
        if not given.compare:
            save(name, outcomes)
    recorder.close()
    return int(given.compare and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
