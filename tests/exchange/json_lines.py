"""Exports and imports of databases, as bytes."""

import io

import fpdb

PROSE = "Four score and seven years ago our fathers brought forth on this continent, a new nation. " * 9


def exported(db, **options):
    out = io.BytesIO()
    assert db.export(out, **options) == len(list(db.documents()))
    return out.getvalue()


def imported(path, lines):
    return fpdb.import_(path, io.BytesIO(lines))
