"""Fuzz one target with atheris: `python -m tests.fuzz.guided TARGET CORPUS SECONDS SLOW MEMORY`; see `run`.

SECONDS and SLOW are processor time: by the clock, a busy machine would try fewer inputs, and call more of them slow.
atheris's hook of `re` is left out: its patterns take no start position, which lexers and the tokenizer pass.
"""

import os
import signal
import sys
import time
import traceback

import atheris

PACKAGES = ["fpdb", "html", "json", "zipfile", "tarfile"]


def main() -> None:
    name, corpus, seconds, slow, memory = sys.argv[1:]
    with atheris.instrument_imports(include=PACKAGES):
        from .target import LARGEST
        from .targets import TARGETS
    target = TARGETS[name]

    def one(data: bytes) -> None:
        begun = time.process_time()
        if begun > float(seconds):
            os.kill(os.getpid(), signal.SIGUSR1)  # on which libFuzzer says what it did and ends
        try:
            target.attempt(data)
            used = time.process_time() - begun
            if used > float(slow):
                raise AssertionError(f"it took {used:.0f} s")
        except Exception:
            traceback.print_exc()
            raise

    # By the clock, so for what never ends.
    arguments = [sys.argv[0], f"-max_len={LARGEST}", f"-timeout={int(slow) * 30}"]
    arguments += [f"-rss_limit_mb={int(memory) >> 20}", "-print_final_stats=1", "-verbosity=0"]
    arguments += ["-artifact_prefix=crash-" + corpus.rpartition("/")[2] + "-", corpus]
    atheris.Setup(arguments, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
