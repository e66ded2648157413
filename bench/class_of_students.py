"""A class of students to try `fpdb pairs` on: `python -m bench.class_of_students FOLDER`.

Writes submissions as Moodle exports them, the archive of last year, and the template that all were given. Six students
copied, each in another way (`WAYS`). The programs solve the same small tasks: each student chooses
tasks and solutions, and writes them by habits of his own (loops, guards, temporary variables, names, order, comments).
"""

import argparse
import random
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Final

from bench.student_programs import Function, Habits, read_tasks
from bench.student_writers import WRITERS

LANGUAGES: Final = ("python", "java", "c")
STUDENTS: Final = 60
LAST_YEAR: Final = 12
FUNCTIONS: Final = 14
COPIED: Final = 6  # of them, in part
REWORKED: Final = 0.3  # the share of copied functions that who copied wrote anew
WAYS: Final = ("renamed", "reordered", "comments translated", "split", "in part", "last year")
FIRST: Final = (
    "Ada",
    "Ben",
    "Cleo",
    "Dan",
    "Eve",
    "Finn",
    "Gus",
    "Hana",
    "Ivo",
    "Jana",
    "Kai",
    "Lea",
    "Max",
    "Nora",
    "Omar",
    "Pia",
    "Quin",
    "Rosa",
    "Sam",
    "Tara",
)
LAST: Final = ("Abel", "Berg", "Cruz", "Dorn", "Ekel", "Fuchs")


@dataclass(frozen=True)
class Student:
    """A student, and the functions of his program.

    Attributes:
        name: The folder of his submission without its ending, which is the owner by the rule `moodle`.
        language: The language that he writes.
        functions: The functions of his program, in their order.
        habits: How he writes.
        files: The number of files that the functions are in.
    """

    name: str
    language: str
    functions: list[Function]
    habits: Habits = field(repr=False)
    files: int = 1


def make_class(seed: int = 1) -> tuple[list[Student], list[Student], dict[str, tuple[str, str]]]:
    """Return the students, those of last year, and the pairs planted: what was done, and the owners of both."""
    rng, numbers = random.Random(seed), count(300_000 + seed)
    names = [f"{first} {last}_{next(numbers)}" for last in LAST for first in FIRST]
    tasks = read_tasks()

    def write(name: str, language: str) -> Student:
        habits = Habits.draw(rng)
        chosen = rng.sample(sorted(tasks), FUNCTIONS)
        return Student(name, language, [habits.rewrite(rng.choice(tasks[task]), rng) for task in chosen], habits)

    students = [write(name, LANGUAGES[at % 3]) for at, name in enumerate(names[:STUDENTS])]
    earlier = [write(name, LANGUAGES[at % 3]) for at, name in enumerate(names[-LAST_YEAR:])]
    planted = {}
    for at, way in enumerate(WAYS):
        source, copy = (earlier[at] if way == "last year" else students[at]), 30 + at
        students[copy] = _copied(way, replace(students[copy], language=source.language), source, rng)
        planted[way] = (source.name, students[copy].name)
    return students, earlier, planted


def _copied(way: str, copy: Student, source: Student, rng: random.Random) -> Student:
    """Return the student who copied, with what he made of the source's functions."""
    functions = list(source.functions)
    if way == "in part":
        copied = {function.name for function in functions[:COPIED]}
        own = [function for function in copy.functions if function.name not in copied]
        functions = [*functions[:COPIED], *own[: FUNCTIONS - COPIED]]
    if way in ("renamed", "reordered", "last year"):
        functions = [copy.habits.rewrite(each, rng) if rng.random() < REWORKED else each for each in functions]
    if way in ("reordered", "in part", "last year"):
        rng.shuffle(functions)
    habits = replace(source.habits, names=copy.habits.names, comments=0.1)
    if way == "comments translated":
        habits = replace(source.habits, german=True, comments=0.9)
    return replace(copy, functions=functions, habits=habits, files=2 if way == "split" else 1)


def write_class(folder: Path, seed: int = 1) -> dict[str, tuple[str, str]]:
    """Write `class/`, `last-year.zip` and `template/` into a folder, and return the pairs planted."""
    students, earlier, planted = make_class(seed)
    for student in students:
        for name, text in submission(student):
            path = folder / "class" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    with zipfile.ZipFile(folder / "last-year.zip", "w") as archive:
        for student in earlier:
            for name, text in submission(student):
                archive.writestr(zipfile.ZipInfo(name), text)
    (folder / "template").mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        writer = WRITERS[language]
        (folder / "template" / f"start{writer.ending}").write_text(writer.template)
    return planted


def submission(student: Student) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of a submission: the program, the harness that all have, and perhaps a note."""
    writer, rng = WRITERS[student.language], random.Random(student.name)
    folder = f"{student.name}_assignsubmission_file_"
    yield f"{folder}/harness{writer.ending}", writer.harness
    size = -(-len(student.functions) // student.files)
    for number in range(student.files):
        part = student.functions[number * size : (number + 1) * size]
        name = re.split(r"[ _]", student.name)[0].lower() + (str(number) if number else "")
        yield f"{folder}/{name}{writer.ending}", writer.write(part, student.habits, rng)
    if rng.random() < 0.3:
        text = f"<p>{rng.choice(['Here is my work.', 'Please see the files.', 'It runs on my machine.'])}</p>"
        yield f"{student.name}_assignsubmission_onlinetext_/onlinetext.html", text


def main() -> None:
    """Write a class, and print the pairs planted."""
    parser = argparse.ArgumentParser(prog="python -m bench.class_of_students", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for way, (source, copy) in write_class(given.folder, given.seed).items():
        print(f"{way}: {copy} copied {source}")


if __name__ == "__main__":
    main()
