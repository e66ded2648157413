"""--write: the input of a database again, without the documents that are dropped, and with passages cut out."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.arguments import argument, argument_group, option
from fpdb.cli.input_options import RecordFiles
from fpdb.cli.output import open_private, replace_file, write_json
from fpdb.cli.target import Target, output_path
from fpdb.cli.terminal import count_text, say, size_text

if TYPE_CHECKING:
    from fpdb import Database
    from fpdb.ingest.files import InputDocument, Skipped
    from fpdb.ingest.record_fields import Cuts, RecordChunk
    from fpdb.ingest.record_formats import RecordFormat
    from fpdb.ingest.verdicts import Verdict, Verdicts

UNKNOWN = {
    "missing": "not in the database",
    "changed": "another content than in the database",
    "uncut": "their characters are not those of the file, as in PDF",
}
"""Reasons for which a document is neither dropped nor cut, in words."""


@argument_group
class Rewriting(RecordFiles):
    """Options for writing the input of a database again."""

    paths: tuple[str, ...] = argument(metavar="[PATH]...", type=click.Path())
    write: str | None = option(
        "Write the records, or the files, of PATH again to FILE, or below FOLDER, without what is listed; all else is "
        "as it was. Names must be those in the database: give PATH and --name-field as to fpdb add.",
        type=click.Path(),
        callback=output_path,
        metavar="FILE|FOLDER",
    )

    def rewriter(self, target: Target) -> "Rewriter | None":
        """Return what writes the input again; None if that is not asked for. Raises click.UsageError."""
        if self.write is None:
            if self.record_format:
                raise click.UsageError("records are what is written again: give --write FILE too")
            return None
        if self.encoding and not self.record_format:
            raise click.UsageError("--encoding is that of JSON Lines and CSV: give --jsonl or --csv too")
        if not self.paths:
            raise click.UsageError("--write writes again what was added: give its PATH, as to fpdb add")
        if self.write == "-":
            raise click.UsageError("standard output is for the list: give --write a file or a folder")
        return Rewriter(self, self.write, target)


class Totals:
    """Counts of the documents that are written, of those that are not, and of their bytes."""

    def __init__(self) -> None:
        """Begin with none."""
        self.documents = self.kept = self.cut = self.skipped = 0
        self.bytes = self.kept_bytes = 0
        self.reasons: Counter[str] = Counter()
        self.unwritten: list[str] = []
        """Files of which no document could be read."""
        self.failed = False
        """Something that was named itself was not read."""

    def count(self, content: str | bytes, verdict: "Verdict") -> None:
        """Count a document."""
        self.documents += 1
        self.bytes += _size(content)
        self.reasons[verdict.reason] += 1
        if verdict.content is not None:
            self.kept += 1
            self.cut += bool(verdict.cuts)
            self.kept_bytes += _size(verdict.content)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts by name."""
        from fpdb.ingest.verdicts import DROPPED

        counts = {"documents": self.documents, "kept": self.kept, "dropped": self.documents - self.kept}
        reasons = {reason: self.reasons[reason] for reason in (*DROPPED, *UNKNOWN)}
        rest = {"cut": self.cut, "skipped": self.skipped, "bytes": self.bytes, "kept_bytes": self.kept_bytes}
        return counts | reasons | rest

    def tell(self, path: str, format: str) -> None:
        """Say what was written, and what stayed since nothing is known of it; as an object if the format is JSON."""
        from fpdb.ingest.verdicts import DROPPED

        if format == "json":
            write_json(self.to_dict())
        if not self.documents:
            reason = "no document could be read" if self.skipped else "there is no document to read"
            say(reason if path == "-" else f"{path} was not written: {reason}")
            return
        if self.unwritten:
            say(f"not written, since no document of them could be read: {', '.join(self.unwritten)}")
        if format == "json":
            return
        dropped = self.documents - self.kept
        why = ", ".join(f"{self.reasons[reason]:,} {reason}" for reason in DROPPED if self.reasons[reason])
        parts = [f"kept {self.kept:,} of {count_text(self.documents, 'document')}", f"dropped {dropped:,}"]
        parts[1] += f" ({why})" if why else ""
        parts += [f"cut {self.cut:,}"] * bool(self.cut) + [f"skipped {self.skipped:,}"] * bool(self.skipped)
        say(f"wrote {path}: {', '.join(parts)}; {size_text(self.kept_bytes)} of {size_text(self.bytes)}")
        for reason, text in UNKNOWN.items():
            if self.reasons[reason]:
                say(f"kept as they are: {count_text(self.reasons[reason], 'document')}, {text}")


class _Places:
    """The paths that are written: one file, or those in a folder, where each stands as in the folder that was named."""

    def __init__(self, paths: Sequence[str], files: Sequence[str], out: str) -> None:
        """Take what was named, and the files that are read of it, but for those in folders of documents."""
        self._out = out
        folders = [path for path in paths if os.path.isdir(path)]
        is_single = len(paths) == len(files) == 1 and not folders and not out.endswith("/") and not os.path.isdir(out)
        self._single = files[0] if is_single else None
        roots = [*folders, *(os.path.dirname(os.path.abspath(path)) for path in files)]
        self._base = os.path.commonpath([os.path.abspath(path) for path in roots or ["."]])
        if any(os.path.exists(out) and os.path.samefile(out, path) for path in files if os.path.exists(path)):
            raise click.UsageError(f"{out!r} is what is read; write to another file")
        if self._single is None and os.path.isdir(out) and os.listdir(out):
            raise click.UsageError(f"the folder {out!r} is not empty; write to a new one")
        real = os.path.realpath(out)
        if any(os.path.commonpath([real, os.path.realpath(folder)]) == os.path.realpath(folder) for folder in folders):
            raise click.UsageError(f"{out!r} is in a folder that is read; write to another one")

    def of(self, path: str) -> str:
        """Return where the file or document of this path is written. Raises ValueError if that is nowhere."""
        if path == self._single:
            return self._out
        relative = os.path.relpath(os.path.abspath(path), self._base)
        if relative.split("/")[0] == "..":
            raise ValueError("its name leads out of the folder")
        out = os.path.join(self._out, relative)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        return out


def _check_name(out: str, record_format: "RecordFormat") -> None:
    """Raise click.UsageError if the name of the output tells another format of records."""
    from fpdb.ingest.record_formats import EXTENSIONS

    own = EXTENSIONS[record_format]
    others = tuple(ending for endings in EXTENSIONS.values() for ending in endings if ending not in own)
    if out.endswith(others):
        raise click.UsageError(f"the output has the format of the input: name it *{own[0]}, not {out!r}")


class _NoDocument(Exception):
    """No document of a file of records could be read."""


class Rewriter:
    """Writes the input of a database again.

    totals: What was written.
    """

    def __init__(self, input_files: RecordFiles, out: str, target: Target, *, tells_skipped: bool = True) -> None:
        """Find the files of records. Raises click.UsageError if the output is not fit: see `_Places`, `_check_name`.

        tells_skipped: Say what is skipped, unless another reading of the input has said it.
        """
        from fpdb.ingest.files import Skipped, document_name
        from fpdb.ingest.input_files import find_input_files

        self.totals = Totals()
        self._tells_skipped = tells_skipped
        self._input, self._out = input_files, out
        self._format = input_files.record_format or "jsonl"
        self._database_files = target.database_files()
        paths = input_files.paths
        if input_files.record_format is None:
            self._found: list[str | Skipped] = [document_name(path) for path in paths if not os.path.isdir(path)]
        else:
            _check_name(out, self._format)
            self._found = list(find_input_files(paths, self._format, self._database_files))
        self._places = _Places(paths, [path for path in self._found if isinstance(path, str)], out)

    def write(self, db: "Database", fill: "Callable[[Verdicts], None]", format: str) -> None:
        """Write the input by the verdicts that `fill` makes, and tell the totals. Exit with 1 if some was not read."""
        from fpdb.cli.progress import ProgressDisplay
        from fpdb.ingest.verdicts import Verdicts

        with db.snapshot() as snapshot, ProgressDisplay("writing") as self._watcher:
            self._verdicts = Verdicts(snapshot)
            fill(self._verdicts)
            if self._input.record_format is None:
                self._write_files()
            else:
                self._write_records()
        self.totals.tell(self._out, format)
        if self.totals.failed or self.totals.documents == self.totals.reasons["missing"]:
            sys.exit(1)

    def _write_records(self) -> None:
        """Write each file of records."""
        from fpdb.errors import Unreadable
        from fpdb.ingest.files import Skipped, document_name, error_text

        for path in self._found:
            if isinstance(path, Skipped):
                self._skip(path)
                continue
            try:
                self._write_record_file(path, self._places.of(path))
            except _NoDocument:
                self.totals.unwritten.append(document_name(path))
            except (ValueError, Unreadable) as error:
                self._skip(Skipped(document_name(path), error_text(error), requested=True))

    def _write_record_file(self, path: str, out: str) -> None:
        """Write what stays of a file. Raises _NoDocument, and then leaves alone what is there."""
        from fpdb.ingest.files import Skipped
        from fpdb.ingest.record_writers import record_writer
        from fpdb.ingest.records import read_file

        fields = self._input.fields()
        fields = replace(fields, text=fields.text_field)  # so that no other fields are looked at
        documents, skipped = self.totals.documents, self.totals.skipped
        with replace_file(out) as file:
            with record_writer(file, self._format, out) as writer:
                for chunk in read_file(path, self._format, fields, whole=True):
                    if isinstance(chunk, Skipped):
                        self._skip(chunk)
                        continue
                    writer.write(chunk, self._judge_chunk(chunk))
                    self._watcher.done(chunk.input_bytes)
            if self.totals.documents == documents:
                self.totals.failed |= self.totals.skipped > skipped
                raise _NoDocument

    def _judge_chunk(self, chunk: "RecordChunk") -> "list[Cuts | None]":
        """Return for each record what is cut out of it, or None for one to leave out; what cannot be read stays."""
        from fpdb.ingest.files import Skipped

        records = list(chunk.documents())
        verdicts = iter(self._judge([record for record in records if not isinstance(record, Skipped)]))
        cuts: list[Cuts | None] = []
        for record in records:
            if isinstance(record, Skipped):
                self._skip(record)
                cuts.append(())
            else:
                verdict = next(verdicts)
                cuts.append(None if verdict.content is None else verdict.cuts)
        return cuts

    def _judge(self, documents: "Sequence[InputDocument]") -> "list[Verdict]":
        contents = [(document.name, document.content or "") for document in documents]
        verdicts = self._verdicts.judge(contents)
        for (_, content), verdict in zip(contents, verdicts, strict=True):
            self.totals.count(content, verdict)
        return verdicts

    def _write_files(self) -> None:
        """Write each document as a file, also those in archives."""
        from fpdb.ingest.chunks import chunked
        from fpdb.ingest.discover import discover
        from fpdb.ingest.files import Skipped

        for chunk in chunked(discover(self._input.paths, kind="auto", exclude=self._database_files)):
            documents = list(self._read(chunk.documents()))
            for document, verdict in zip(documents, self._judge(documents), strict=True):
                if verdict.content is None:
                    continue
                try:
                    self._write_document(verdict.content, self._places.of(document.name))
                except ValueError as error:
                    self._skip(Skipped(document.name, str(error)))
            self._watcher.done(chunk.input_bytes)

    def _read(self, items: "Iterable[InputDocument | Skipped]") -> "Iterator[InputDocument]":
        """Yield the documents with their contents."""
        from fpdb.errors import Error
        from fpdb.ingest.files import Skipped, error_text, read_content

        for item in items:
            if isinstance(item, Skipped):
                self._skip(item)
                continue
            try:
                yield item._replace(content=read_content(item))
            except (Error, OSError) as error:
                self._skip(Skipped(item.name, error_text(error), item.requested))

    def _write_document(self, content: str | bytes, out: str) -> None:
        with open(out, "wb", opener=open_private) as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def _skip(self, skipped: "Skipped") -> None:
        self.totals.skipped += 1
        self.totals.failed |= skipped.requested
        if self._tells_skipped:
            self._watcher.skipped(skipped)


def _size(content: str | bytes) -> int:
    return len(content) if isinstance(content, bytes) else len(content.encode("utf-8", "surrogatepass"))
