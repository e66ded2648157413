"""All command lines that are recorded, as data: by group, what the folder holds, and the cases.

A case is what a user types after `fpdb`, and may go on with further commands after ` ; `. Between commands `!` is for
the tools of `tools.py`, and `|`, `<` and `>` are what they are in a shell.
"""

from . import lines_adding, lines_asking, lines_keeping, lines_recipes, written
from .recorder import Group

GROUPS: dict[str, Group] = {
    "adding": lines_adding.ADDING,
    "kinds": lines_adding.KINDS,
    "archives": lines_adding.ARCHIVES,
    "records": lines_adding.RECORDS,
    "recipes": lines_recipes.RECIPES,
    "fingerprints": lines_recipes.FINGERPRINTS,
    "keys": lines_recipes.KEYS,
    "queries": lines_asking.QUERIES,
    "pairs": lines_asking.PAIRS,
    "cutting": lines_asking.CUTTING,
    "code": lines_asking.CODE,
    "help": lines_keeping.HELP,
    "catalogue": lines_keeping.CATALOGUE,
    "care": lines_keeping.CARE,
    "several": lines_keeping.SEVERAL,
    "damage": written.DAMAGE,
    "missing": lines_keeping.MISSING,
    "terminal": lines_keeping.TERMINAL,
    "processes": lines_keeping.PROCESSES,
}
