"""`fpdb check`, `fpdb compact` and `fpdb backup`: care of the database."""

import os
import sys

import click

from fpdb.cli.options import Target, format_option
from fpdb.cli.output import say, size_text, write_csv, write_json, write_line


@click.command()
@format_option
@click.pass_obj
def check(target: Target, form: str) -> None:
    """Verify everything.

    Lists what is damaged, one problem a line, or says "sound".

    Exit status: 0 sound, 1 damaged.

    Example: fpdb check || fpdb --db corpus.fpdb list > still-there.txt
    """
    with target.open("r") as db:
        problems = db.check()
    if form == "json":
        write_json({"sound": not problems, "problems": problems})
    elif form == "csv":
        write_csv(("problem",), ([problem] for problem in problems))
    else:
        for problem in problems:
            write_line(problem)
        if not problems:
            write_line("sound")
    if problems:
        sys.exit(1)


@click.command()
@click.pass_obj
def compact(target: Target) -> None:
    """Give unused space back.

    Removed and replaced documents take space until their postings are merged away; this does it at once.

    Example: fpdb compact
    """
    before = os.stat(target.path).st_size
    with target.open("r+") as db:
        db.compact()
    say(f"compacted {target.path}: {size_text(before)} before, {size_text(os.stat(target.path).st_size)} now")


@click.command()
@click.argument("dest", type=click.Path())
@click.pass_obj
def backup(target: Target, dest: str) -> None:
    """Copy the database to DEST.

    The copy is consistent, even while others read and write.

    Example: fpdb backup /media/disk/corpus-2024-05-01.fpdb
    """
    with target.open("r") as db:
        db.backup(dest)
    say(f"wrote {dest}: {size_text(os.stat(dest).st_size)}")
