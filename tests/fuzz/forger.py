"""Forge databases: change values by what they mean, then seal them again with right checksums, as a stranger can."""

import random
import zlib
from contextlib import suppress

from fpdb.storage import file_format
from fpdb.storage.file_format import SEALS, STATE_KEY
from tests.fuzz import forged_records, forged_runs
from tests.fuzz.database_image import MAIN, Image
from tests.fuzz.forged_records import RUNS
from tests.fuzz.random_changes import change_bytes, change_plain, pack, unpack


def seals(image: Image, rng: random.Random) -> None:
    """Change the trees of seals, and what the state says of them."""
    image.trees_fit = False
    if rng.random() < 0.5:
        counts = unpack(image.get(MAIN, STATE_KEY))
        counts[RUNS + 1] = change_plain(counts[RUNS + 1], rng)
        image.put(MAIN, STATE_KEY, pack(counts))
    else:
        key = rng.choice(image.keys(SEALS))
        image.put(SEALS, key, rng.choice((None, change_bytes(image.get(SEALS, key), rng))))


def stray_key(image: Image, rng: random.Random) -> None:
    database = rng.choice([MAIN, *file_format.NAMED])
    image.put(database, rng.randbytes(rng.choice((1, 3, 4, 5, 8, 9, 12, 500))), rng.randbytes(rng.choice((0, 4, 40))))


FORGERIES = (*forged_records.FORGERIES, *forged_runs.FORGERIES, seals, stray_key)


def forge(image: Image, rng: random.Random) -> str:
    """Change an image in one or several ways; return what was done."""
    done = [rng.choice(FORGERIES) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    for forgery in done:
        with suppress(AttributeError, IndexError, KeyError, TypeError, ValueError, zlib.error):  # after another one
            forgery(image, rng)
    return ", ".join(forgery.__name__ for forgery in done)
