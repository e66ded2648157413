"""`fpdb check`, `fpdb compact` and `fpdb backup`: care of the database."""

import os
import sys
from typing import TYPE_CHECKING

import click

from fpdb.cli.options import Target, format_option
from fpdb.cli.output import count_text, say, size_text, write_csv, write_json, write_line
from fpdb.errors import DatabaseExists, NewerFormat, NotADatabase

if TYPE_CHECKING:
    from fpdb import Loss, Repair


@click.command()
@click.option(
    "--quick",
    is_flag=True,
    help="Look at all that is small, and at samples of what is not: about a second, whatever the size.",
)
@click.option(
    "--repair",
    "target_path",
    type=click.Path(),
    metavar="NEW",
    help="If it is damaged, write all that is sound to a new file NEW, and list what is lost.",
)
@format_option
@click.pass_obj
def check(target: Target, quick: bool, target_path: str | None, form: str) -> None:
    """Verify everything.

    Lists what is damaged, one problem a line, or says "sound". The file is only read, in a process of its own, since
    damage can be such that reading it ends the process.

    --quick examines the pages of the file's trees (the first 16,384), the state, all fences and counts, and samples of
    blocks, records and kept texts; damage in a particular place may be missed.

    --repair never changes the damaged file; nobody may write to it meanwhile. Documents that have lost some of their
    fingerprints are kept with the others, and are listed: add them again if you have them. Then put NEW in the place of
    the damaged file.

    Exit status: 0 sound, or repaired without a loss; 1 damaged.

    Example: fpdb check --repair saved.fpdb
    """
    import fpdb

    if quick and target_path is not None:
        raise click.UsageError("a repair needs the whole check: leave out --quick")
    if target_path is not None and os.path.lexists(target_path):
        raise DatabaseExists(f"there is a file at {target_path!r} already; a repair does not overwrite")
    try:
        found = fpdb.check(target.path, quick=quick)
    except NotADatabase as error:
        if target_path is None or isinstance(error, NewerFormat):
            raise
        found = fpdb.Findings((str(error),))
    repaired = None if target_path is None or found.sound else fpdb.repair(target.path, target_path)
    if form == "json":
        write_json(
            {
                "sound": found.sound,
                "problems": found.problems,
                "unchecked": found.unchecked,
                "quick": quick,
                "repaired": None if repaired is None else _counts(repaired),
                "lost": None if repaired is None else [loss._asdict() for loss in repaired.losses],
            }
        )
    elif form == "csv":
        write_csv(("problem",), ([problem] for problem in found.problems))
    else:
        for problem in found.problems:
            write_line(problem)
        for sentence in found.unchecked:
            write_line(f"not checked: {sentence}")
        if found.sound:
            write_line("sound")
    if repaired is not None and form != "json":
        for loss in repaired.losses:
            write_line(_loss_text(loss))
        say(
            f"wrote {target_path}: {count_text(repaired.documents, 'document')}, "
            f"{count_text(repaired.boilerplate_documents, 'boilerplate document')}, "
            f"{count_text(repaired.postings, 'posting')}; {count_text(len(repaired.losses), 'loss', 'losses')}"
        )
    if not found.sound and (repaired is None or repaired.losses):
        sys.exit(1)


def _counts(repaired: "Repair") -> dict[str, int]:
    names = ("documents", "boilerplate_documents", "postings", "texts")
    return {name: getattr(repaired, name) for name in names}


def _loss_text(loss: "Loss") -> str:
    if loss.what == "changes":
        return "lost the last changes: what they added may be missing, what they removed may be there again"
    name = "a document whose name is lost too" if loss.name is None else loss.name
    if loss.what == "document":
        return f"lost {name}"
    if loss.what == "fingerprints":
        return f"incomplete {name}: {loss.kept:,} of {loss.of:,} fingerprints are left"
    if loss.what == "positions":
        return f"incomplete {name}: {loss.kept:,} of {loss.of:,} fingerprints have their positions"
    if loss.what == "share":
        return f"incomplete {name}: of how much its fingerprints are a sample"
    return f"incomplete {name}: its kept text"


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
