"""`fpdb check`, `fpdb repair`, `fpdb compact`, `fpdb backup` and `fpdb publish`."""

import os
import sys
from typing import TYPE_CHECKING

import click

from fpdb.cli.arguments import argument, argument_group, command, option
from fpdb.cli.options import format_option
from fpdb.cli.output import write_csv, write_json
from fpdb.cli.target import Target
from fpdb.cli.terminal import count_text, say, size_text, write_line
from fpdb.errors import DatabaseExists, NewerFormat, NotADatabase

if TYPE_CHECKING:
    from fpdb import Findings, Loss, Repair


@argument_group
class _CheckArguments:
    quick: bool = option(
        "Check all small structures, and samples of the large ones: takes about a second for any size."
    )
    repair: str | None = option(
        "If the database is damaged, write all that is sound to a new file NEW, and list what is lost.",
        type=click.Path(),
        metavar="NEW",
    )
    format: str = format_option()


@argument_group
class _RepairArguments:
    dest: str = argument(metavar="NEW", type=click.Path())
    format: str = format_option()


@argument_group
class _NoArguments:
    pass


@argument_group
class _BackupArguments:
    dest: str = argument(type=click.Path())


@argument_group
class _PublishArguments:
    source: str = argument(metavar="SRC", type=click.Path())
    dest: str = argument(type=click.Path())


@command(_CheckArguments)
def check(target: Target, arguments: _CheckArguments) -> None:
    """Verify the database.

    List the damage, one problem a line, or print "sound". The file is only read, in a process of its own, because
    damage can end the process that reads it.

    --quick checks the pages of the trees (the first 16,384), the state, all fences and counts, and samples of
    blocks, records and stored texts. It may miss damage elsewhere.

    --repair never changes the damaged file; do not write to it meanwhile. Documents that have lost some of their
    fingerprints are kept and listed: add them again if you have them. Then replace the damaged file with NEW.

    Exit status: 0 sound, or repaired without a loss; 1 damaged.

    Example: fpdb check --repair saved.fpdb
    """
    _check(target, arguments.repair, arguments.format, quick=arguments.quick)


@command(_RepairArguments)
def repair(target: Target, arguments: _RepairArguments) -> None:
    """Write all that is sound in a damaged database to a new file NEW.

    The same as `fpdb check --repair NEW`, which see. If the database is sound, nothing is written.

    Example: fpdb repair saved.fpdb
    """
    _check(target, arguments.dest, arguments.format, quick=False)


def _check(target: Target, repair_path: str | None, format: str, *, quick: bool) -> None:
    import fpdb

    if quick and repair_path is not None:
        raise click.UsageError("a repair needs the whole check: leave out --quick")
    if repair_path is not None and os.path.lexists(repair_path):
        raise DatabaseExists(f"there is a file at {repair_path!r} already; a repair does not overwrite")
    try:
        findings = fpdb.check(target.path, quick=quick, immutable=target.immutable)
    except NotADatabase as error:
        if repair_path is None or isinstance(error, NewerFormat):
            raise
        findings = fpdb.Findings((str(error),))
    repair = None if repair_path is None or findings.sound else fpdb.repair(target.path, repair_path)
    if format == "json":
        write_json(_check_record(findings, repair, quick=quick))
    else:
        _print_findings(findings, format)
        if repair is not None:
            _print_repair(repair, repair_path)
    if not findings.sound and (repair is None or repair.losses):
        sys.exit(1)


def _check_record(findings: "Findings", repair: "Repair | None", *, quick: bool) -> dict[str, object]:
    counts = ("documents", "boilerplate_documents", "postings", "texts")
    return {
        "sound": findings.sound,
        "problems": findings.problems,
        "unchecked": findings.unchecked,
        "quick": quick,
        "repaired": None if repair is None else {name: getattr(repair, name) for name in counts},
        "lost": None if repair is None else [loss._asdict() for loss in repair.losses],
    }


def _print_findings(findings: "Findings", format: str) -> None:
    if format == "csv":
        write_csv(("problem",), ([problem] for problem in findings.problems))
        return
    for problem in findings.problems:
        write_line(problem)
    for sentence in findings.unchecked:
        write_line(f"not checked: {sentence}")
    if findings.sound:
        write_line("sound")


def _print_repair(repair: "Repair", path: str | None) -> None:
    for loss in repair.losses:
        write_line(_loss_text(loss))
    say(
        f"wrote {path}: {count_text(repair.documents, 'document')}, "
        f"{count_text(repair.boilerplate_documents, 'boilerplate document')}, "
        f"{count_text(repair.postings, 'posting')}; {count_text(len(repair.losses), 'loss', 'losses')}"
    )


def _loss_text(loss: "Loss") -> str:
    if loss.what == "changes":
        return "lost the last changes: what they added may be missing, what they removed may be there again"
    name = "a document whose name is lost too" if loss.name is None else loss.name
    if loss.what == "document":
        return f"lost {name}"
    texts = {
        "fingerprints": f"{loss.kept or 0:,} of {loss.of or 0:,} fingerprints are left",
        "positions": f"{loss.kept or 0:,} of {loss.of or 0:,} fingerprints have their positions",
        "share": "of how much its fingerprints are a sample",
    }
    return f"incomplete {name}: {texts.get(loss.what, 'its kept text')}"


@command(_NoArguments)
def compact(target: Target, _: _NoArguments) -> None:
    """Free unused space.

    Removed and replaced documents take space until their postings are merged away. This command does it at once.

    Example: fpdb compact
    """
    before = os.stat(target.path).st_size
    with target.open("r+") as db:
        db.compact()
    say(f"compacted {target.path}: {size_text(before)} before, {size_text(os.stat(target.path).st_size)} now")


@command(_BackupArguments)
def backup(target: Target, arguments: _BackupArguments) -> None:
    """Copy the database to DEST.

    The copy is consistent, even while other processes read and write.

    Example: fpdb backup /media/disk/corpus-2024-05-01.fpdb
    """
    with target.open("r") as db:
        db.backup(arguments.dest)
    say(f"wrote {arguments.dest}: {size_text(os.stat(arguments.dest).st_size)}")


@command(_PublishArguments)
def publish(target: Target, arguments: _PublishArguments) -> None:
    """Put a copy of the database SRC in the place of the database DEST.

    The copy is consistent, and all of it is checked, before it takes the place of DEST in one step. Processes that have
    DEST open go on, and see the copy at their next query. DEST must have the recipe of SRC; if it does not exist, it is
    created.

    Example: fpdb publish build/corpus.fpdb /srv/corpus.fpdb
    """
    import fpdb

    if target.paths:
        raise click.UsageError("both databases are arguments: leave out --db")
    fpdb.publish(arguments.source, arguments.dest, timeout=target.timeout, immutable=target.immutable)
    say(f"published {arguments.dest}: {size_text(os.stat(arguments.dest).st_size)}")
