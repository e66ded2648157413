"""Fuzzes one target with atheris: `python -m tests.fuzz.guided TARGET CORPUS SECONDS SLOW MEMORY`; see `run`."""

import sys
import traceback

import atheris

PACKAGES = ["fpdb", "html", "json", "zipfile", "tarfile"]


def main() -> None:
    name, corpus, seconds, slow, memory = sys.argv[1:]
    with atheris.instrument_imports(include=PACKAGES):
        from .targets import LARGEST, TARGETS
    atheris.enabled_hooks.add("RegEx")
    target = TARGETS[name]

    def one(data: bytes) -> None:
        try:
            target.attempt(data)
        except Exception:
            traceback.print_exc()
            raise

    arguments = [sys.argv[0], f"-max_total_time={seconds}", f"-max_len={LARGEST}", f"-timeout={slow}"]
    arguments += [f"-rss_limit_mb={int(memory) >> 20}", "-print_final_stats=1", "-verbosity=0"]
    arguments += ["-artifact_prefix=crash-" + corpus.rpartition("/")[2] + "-", corpus]
    atheris.Setup(arguments, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
