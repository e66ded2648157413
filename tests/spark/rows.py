"""Rows of Spark and of a database in one form, to compare them."""


def rows(frame):
    return [tuple(row) for row in frame.collect()]


def local_pairs(db, **options):
    return [tuple(pair.to_dict().values()) for pair in db.pairs(**options)]
