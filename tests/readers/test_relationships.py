"""References between the parts of a package, wherever they lead."""

import io
import zipfile

import pytest

from fpdb.errors import Unreadable
from fpdb.limits import timed_reading
from fpdb.readers import relationships
from fpdb.readers.relationships import find_related, list_referred
from tests.readers import essays

PART = "ppt/a.xml"


def package(targets, part="<a/>"):
    members = {"ppt/_rels/a.xml.rels": essays.relations(targets), PART: part, "ppt/b.xml": "", "c.xml": ""}
    return zipfile.ZipFile(io.BytesIO(essays.zipped(members)))


def test_targets_are_relative_to_their_part():
    targets = {"1": ("x", "b.xml"), "2": ("y", "/c.xml"), "3": ("z", "../c.xml"), "4": ("z", "../../../c.xml")}
    with timed_reading() as reading, package(targets) as archive:
        related = find_related(archive, PART, reading)
        assert find_related(archive, "ppt/b.xml", reading) == {}
    assert related == {"1": ("x", "ppt/b.xml"), "2": ("y", "c.xml"), "3": ("z", "c.xml"), "4": ("z", "c.xml")}


def test_each_member_is_referred_to_once():
    part = f'<a xmlns="x" xmlns:r="{essays.REFER}">' + "".join(f'<b r:id="{id_}"/>' for id_ in "32149") + "</a>"
    targets = {"1": ("x", "b.xml"), "2": ("y", "/c.xml"), "3": ("z", "../c.xml"), "4": ("z", "gone.xml")}
    with timed_reading() as reading, package(targets, part) as archive:
        assert [member for member, _ in list_referred(archive, PART, "b", reading)] == ["c.xml", "ppt/b.xml"]


def test_too_many_references_are_refused(monkeypatch):
    monkeypatch.setattr(relationships, "MAX_OFFICE_MEMBERS", 3)
    content = package({str(number): ("x", "b.xml") for number in range(4)})
    with pytest.raises(Unreadable, match="to more than 3 parts"), timed_reading() as reading, content as archive:
        find_related(archive, PART, reading)
