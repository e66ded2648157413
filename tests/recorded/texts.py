"""Made-up essays, the same for the same seed, with passages that are in several of them."""

import random
import re

SUBJECTS = (
    "the ferryman",
    "a travelling clockmaker",
    "our neighbour's daughter",
    "the council of the harbour",
    "an old surveyor",
    "the keeper of the orchard",
    "the night watch",
    "a clerk from the mill",
    "the youngest of the masons",
    "the schoolmistress",
    "the widow of the printer",
    "a company of dancers",
    "the physician",
    "the bridge warden",
    "the apprentice glazier",
)
VERBS = (
    "repaired",
    "counted",
    "described",
    "sold",
    "forgot",
    "defended",
    "measured",
    "painted",
    "carried away",
    "inherited",
    "wrote down",
    "borrowed",
    "examined",
    "promised",
    "gathered",
    "concealed",
    "weighed",
    "announced",
)
OBJECTS = (
    "the copper kettles",
    "a map of the marshes",
    "thirty barrels of herring",
    "the bells of the chapel",
    "an unfinished ledger",
    "the lanterns along the quay",
    "seven bolts of linen",
    "a recipe for ink",
    "the broken sundial",
    "the winter stores",
    "a chest of almanacs",
    "the terms of the lease",
    "two crates of oranges",
    "the minutes of the meeting",
    "a pair of spectacles",
)
WHENS = (
    "before the frost came",
    "in the year of the long drought",
    "while the tide was out",
    "after supper",
    "on market days",
    "without telling anybody",
    "for the second time that week",
    "as the custom required",
    "against all advice",
    "until the lamps were lit",
    "because the road was flooded",
    "with more patience than skill",
)
LINKS = ("Nevertheless", "By then", "It is said that", "In truth", "Later", "All the same", "Meanwhile", "As a rule")

FOOTER = (
    "This copy was made for the reading room of the society and must be returned to its shelf before the end of term; "
    "marks in ink or pencil are not permitted on any page.\n"
)
"""The end of many essays."""


def sentence(rng: random.Random) -> str:
    """Return one sentence of some fifteen words."""
    first, second = rng.sample(SUBJECTS, 2)
    link = f"{rng.choice(LINKS)} {first}" if rng.random() < 0.5 else first
    end = f", and {second} {rng.choice(VERBS)} {rng.choice(OBJECTS)}" if rng.random() < 0.4 else ""
    text = f"{link} {rng.choice(VERBS)} {rng.choice(OBJECTS)} {rng.choice(WHENS)}{end}."
    return text[0].upper() + text[1:]


def paragraph(seed: int, sentences: int = 5) -> str:
    """Return a paragraph that no other seed has, in lines of some words."""
    rng = random.Random(seed)
    words = " ".join(sentence(rng) for _ in range(sentences)).split()
    lines = [" ".join(words[start : start + 14]) for start in range(0, len(words), 14)]
    return "\n".join(lines) + "\n"


def essay(*seeds: int, footer: bool = False) -> str:
    """Return the paragraphs of these seeds, one after the other; those of equal seeds are equal."""
    return "\n".join([*map(paragraph, seeds), *([FOOTER] if footer else [])])


def edited(text: str, seed: int, every: int = 40) -> str:
    """Return the text with one word in so many changed."""
    rng = random.Random(seed)
    return " ".join(
        f"{word}{rng.randrange(10)}" if rng.randrange(every) == 0 else word for word in re.split(r"(?<=\S) ", text)
    )
