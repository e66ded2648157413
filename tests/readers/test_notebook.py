"""Notebooks of both formats: the sources of cells, in order."""

import json

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS, Recipe
from fpdb.readers.notebook import join_cells, parse, read_cells


def extract_text(text):
    return join_cells(cell.source for cell in read_cells(parse(text)))[0]


def test_cells_are_in_order_and_outputs_left_out():
    cells = [{"source": ["a\n", "b"], "outputs": ["gone"]}, {"source": ""}, {"input": "c"}, 3, {"source": [4, "d"]}]
    assert extract_text(json.dumps({"cells": cells})) == "a\nb\n\nc\n\nd"
    assert extract_text(json.dumps({"worksheets": [{"cells": cells[:1]}, {"cells": cells[2:3]}]})) == "a\nb\n\nc"


def cell(source, kind="code"):
    return {"cell_type": kind, "source": source, "outputs": []}


def notebook(*cells, **language):
    return json.dumps({"cells": cells, "metadata": {"language_info": language}})


def test_cells_of_code_are_read_as_a_program():
    """Without commands of IPython and cells of other languages; cells that are left out are counted."""
    program = "import os\nfor name in os.listdir():\n    print(name, len(name) + 1)"
    other = "total = sum(x * 2 for x in values)"
    cells = [
        cell("# Title", "markdown"),
        cell(program),
        cell("%%bash\nls gone"),
        cell(f"%matplotlib inline\n!ls\n{other}"),
    ]
    symbols = KINDS["ipynb-code"].read(notebook(*cells, "no cell"))
    assert symbols.values.tolist() == KINDS["code"].read(f"{program}\n{other}", "tokens", "a.py").values.tolist()
    assert symbols.note == "ipynb, python; offsets in the cells' sources"
    starts = symbols.parts.starts
    assert len(starts) == 5
    assert symbols.text[starts[1] : starts[2]].strip() == program
    assert symbols.text[starts[3] : starts[4]].strip() == other


@pytest.mark.parametrize(
    ("about", "name"), [({"file_extension": ".jl"}, "a.jl"), ({"file_extension": 3}, "a.py"), ({}, "a.py")]
)
def test_the_notebook_names_its_language(about, name):
    source = "x = f(1) % 2"
    expected = KINDS["code"].read(source, "tokens", name)
    assert KINDS["ipynb-code"].read(notebook(cell(source), **about)).values.tolist() == expected.values.tolist()


def test_notebooks_are_code_where_programs_are():
    content = notebook(cell("x = 1"))
    code = Recipe.preset("code")
    assert code.resolve_kind("auto", content, "a.ipynb") == "ipynb-code"
    assert code.with_(reader_version=1).resolve_kind("auto", content, "a.ipynb") == "ipynb"
    assert Recipe.preset("text").resolve_kind("auto", content, "a.ipynb") == "ipynb"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"worksheets": 3}', '{"worksheets": [3]}', '{"cells": {}}'])
def test_what_is_no_notebook_is_refused(text):
    with pytest.raises(Unreadable, match="not a notebook"):
        extract_text(text)
