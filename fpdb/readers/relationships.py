"""Find the parts of an Office Open XML package that another part refers to (ISO/IEC 29500-2)."""

import posixpath
import zipfile
from collections.abc import Mapping
from typing import NamedTuple

from fpdb.errors import Unreadable
from fpdb.limits import MAX_OFFICE_MEMBERS, Reading
from fpdb.readers.xml import XmlHandlers, has_member, parse_member

_RELATIONSHIP = "http://schemas.openxmlformats.org/package/2006/relationships Relationship"
IDS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)
"""Attributes that refer to a relationship by its id."""


class Relationship(NamedTuple):
    """A reference to a member of the archive; type: the last word of its type, such as "slide"."""

    type: str
    member: str


def find_related(archive: zipfile.ZipFile, part: str, reading: Reading) -> dict[str, Relationship]:
    """Return what a part refers to, by id; empty if it refers to nothing. Raises Unreadable."""
    folder, name = posixpath.split(part)
    member = f"{folder}/_rels/{name}.rels"
    related: dict[str, Relationship] = {}

    def start(element: str, attributes: Mapping[str, str]) -> None:
        if element == _RELATIONSHIP and attributes.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", ""))).lstrip("/")
            kind = attributes.get("Type", "").rpartition("/")[2]
            related[attributes.get("Id", "")] = Relationship(kind, target)
            if len(related) > MAX_OFFICE_MEMBERS:
                raise Unreadable(f"{member}: refers to more than {MAX_OFFICE_MEMBERS:,} parts")

    if has_member(archive, member):
        parse_member(archive, member, XmlHandlers(start, _ignore, _ignore), reading)
    return related


def list_referred(
    archive: zipfile.ZipFile, part: str, element: str, reading: Reading
) -> list[tuple[str, Mapping[str, str]]]:
    """Return the members that elements of a part, whose names end so, refer to, each once, and their attributes."""
    related = find_related(archive, part, reading)
    referred: dict[str, Mapping[str, str]] = {}

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name.endswith(f" {element}"):
            relationship = next((related[attributes[id_]] for id_ in IDS if attributes.get(id_) in related), None)
            if relationship is not None and has_member(archive, relationship.member):
                referred.setdefault(relationship.member, attributes)

    parse_member(archive, part, XmlHandlers(start, _ignore, _ignore), reading)
    return list(referred.items())


def _ignore(*_: object) -> None:
    pass
