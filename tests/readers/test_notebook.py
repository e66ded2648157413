"""Notebooks of both formats: the sources of cells, in order."""

import json

import pytest

from fpdb.errors import Unreadable
from fpdb.readers.notebook import extract_text


def test_cells_are_in_order_and_outputs_left_out():
    cells = [{"source": ["a\n", "b"], "outputs": ["gone"]}, {"source": ""}, {"input": "c"}, 3, {"source": [4, "d"]}]
    assert extract_text(json.dumps({"cells": cells})) == "a\nb\n\nc\n\nd"
    assert extract_text(json.dumps({"worksheets": [{"cells": cells[:1]}, {"cells": cells[2:3]}]})) == "a\nb\n\nc"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"worksheets": 3}', '{"worksheets": [3]}', '{"cells": {}}'])
def test_what_is_no_notebook_is_refused(text):
    with pytest.raises(Unreadable, match="not a notebook"):
        extract_text(text)
