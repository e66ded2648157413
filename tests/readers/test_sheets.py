"""Cells of workbooks by their types; references that lead nowhere are empty."""

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS
from tests.readers import essays


def workbook(rows, strings="<si><t>shared</t></si>"):
    sheets = '<sheet name="One" r:id="r"/><sheet r:id="no"/>'
    relations = essays.relations({"s": ("sharedStrings", "s.xml"), "r": ("worksheet", "1.xml")})
    return essays.zipped(
        {
            "xl/workbook.xml": f'<a xmlns="x" xmlns:r="{essays.REFER}">{sheets}</a>',
            "xl/_rels/workbook.xml.rels": relations,
            "xl/s.xml": f'<a xmlns="x">{strings}</a>',
            "xl/1.xml": f'<a xmlns="x">{rows}</a>',
        }
    )


def test_cells_are_read_by_their_types():
    cells = {
        '<c t="s"><v>0</v></c>': "shared",
        '<c t="s"><v>1</v></c>': "",
        '<c t="s"><v>-1</v></c>': "",
        f'<c t="s"><v>{"9" * 5000}</v></c>': "",
        "<c><v>12.5</v></c>": "12.5",
        '<c t="str"><f>gone</f><v>a\nb</v></c>': "a b",
        '<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>': "inline",
        '<c t="b"><v>1</v></c>': "",
        '<c t="e"><v>#N/A</v></c>': "",
    }
    symbols = KINDS["xlsx"].read(workbook(f"<row>{''.join(cells)}</row><row/>"), "characters")
    assert symbols.text == "".join(f"{text}\t" for text in cells.values()) + "\n\n"
    assert symbols.parts == ("sheet", [0], ["One"])


def test_strings_take_no_more_memory_than_is_allowed(limited):
    limited(memory=1_000_000)
    with pytest.raises(Unreadable, match="its strings take too much memory"):
        KINDS["xlsx"].read(workbook("", "<si/>" * 10_000))
