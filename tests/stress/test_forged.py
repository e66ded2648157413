"""Row 17: a forged database raises fpdb's errors only, and harms neither the process nor what it is merged into."""

import random
from collections import Counter

import pytest

from tests.fuzz.database_image import Image
from tests.fuzz.forged import Forgeries
from tests.fuzz.forger import FORGERIES

PARTS = 8


@pytest.fixture(scope="module")
def forgeries(tmp_path_factory):
    return Forgeries(tmp_path_factory.mktemp("forgeries"))


def faults(messages):
    return [message for message in messages if message[0] == "fault"]


@pytest.mark.parametrize("part", range(PARTS))
def test_forged_values_are_refused_or_do_no_harm(forgeries, amount, figure, part):
    count, merged, sound = amount(1, 1_250), Counter(), 0
    for number in range(count):
        forged, messages = forgeries.attempt(part, number)
        assert not faults(messages), f"{number}, {forged}: {faults(messages)}"
        merged.update(message[2] for message in messages if message[:2] == ["end", "merge, skip"])
        sound += ["sound"] in messages
    words = f"{merged['Corrupt']} not merged, {sound} sound, and answered by their postings; no other error"
    figure(17, f"forged databases, part {part + 1}", f"{count:,}: {words}")


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.__name__)
def test_each_sort_of_value_is_forged(forgeries, amount, forgery):
    for number in range(amount(1, 20)):
        rng = random.Random(number)
        name = ("varied", "many", "texts")[number % 3]
        image = Image(forgeries.image(name).bodies)
        forgery(image, rng)
        assert not faults(forgeries.use(name, image))
