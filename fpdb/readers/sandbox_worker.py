"""Read documents by libraries that may crash or never end: syntax trees, tokens, pages of a PDF, rows of Parquet.

Runs where it is imported, or as a program that `sandbox` starts; imports nothing of fpdb. The program writes `READY`,
and answers requests on standard input in order, on standard output. Requests and answers are frames: 8 bytes of length,
big-endian, then msgpack. A request is [function, arguments, seconds, memory, largest answer], both of these in bytes;
an answer is [result, refusal, out of memory], of which one is given.
"""

import io
import resource
import signal
import sys
import time
from array import array
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import msgpack

READY = b"."
CPU_SLACK = 2
"""Seconds of processor time beyond a call's own, after which the system ends the program, whoever waits for it."""


class DocumentError(Exception):
    """The document cannot be read."""


@cache
def find_parser(package: str, function: str) -> Any:
    """Return a tree-sitter parser of the language that a function of a package returns; may raise ImportError."""
    from tree_sitter import Language, Parser

    return Parser(Language(getattr(import_module(package), function)()))


def leaves(package: str, function: str, opaque_kinds: Collection[int], content: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the leaves of a program's syntax tree; nodes of opaque kinds count as leaves.

    Returns:
        Arrays of the kind (uint16), the first byte, and the byte behind the last (both uint32) of each leaf.
    """
    opaque_kinds = frozenset(opaque_kinds)
    cursor = find_parser(package, function).parse(content).walk()
    down, onward, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    kinds, starts, ends = array("H"), array("I"), array("I")
    has_next = True
    while has_next:
        node = cursor.node
        kind = node.kind_id
        if kind not in opaque_kinds and down():
            continue
        kinds.append(kind)
        starts.append(node.start_byte)
        ends.append(node.end_byte)
        while not (has_next := onward()):
            if not up():
                break
    return kinds.tobytes(), starts.tobytes(), ends.tobytes()


def errors(package: str, function: str, content: bytes) -> int:
    """Return how many bytes of a program are no part of its syntax, or missing in it."""
    tree = find_parser(package, function).parse(content)
    nodes, found = [tree.root_node], 0
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            found += max(node.end_byte - node.start_byte, 1)
        elif node.has_error:
            nodes += node.children
    return found


def guess(name: str | None, head: str) -> str | None:
    """Return the language that Pygments guesses by a text, or by its file's name if given; None for none."""
    import pygments.lexers
    from pygments.util import ClassNotFound

    with suppress(ClassNotFound, IndexError):
        if name is not None:
            return str(pygments.lexers.guess_lexer_for_filename(name, head).aliases[0])
        return str(pygments.lexers.guess_lexer(head).aliases[0])
    return None


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    import pygments.lexers

    return pygments.lexers.get_lexer_by_name(language)


def lex(language: str, content: bytes) -> tuple[list[str], bytes, bytes, bytes, bytes]:
    """Return the tokens of a text in UTF-8, by Pygments.

    Returns:
        Names of the token types; arrays of the index of its type (uint16), the start and the length (both uint32, in
        characters) of each token; and the text of all tokens, in UTF-8.
    """
    indices: dict[Any, int] = {}
    kinds, starts, lengths, tokens = array("H"), array("I"), array("I"), io.StringIO()
    for start, kind, token in _lexer(language).get_tokens_unprocessed(content.decode("utf-8", "surrogatepass")):
        kinds.append(indices.setdefault(kind, len(indices)))
        starts.append(start)
        lengths.append(len(token))
        tokens.write(token)
    names = [str(kind).removeprefix("Token").removeprefix(".") for kind in indices]
    joined = tokens.getvalue().encode("utf-8", "surrogatepass")
    return names, kinds.tobytes(), starts.tobytes(), lengths.tobytes(), joined


def pages(content: bytes, max_pages: int, max_characters: int, as_seen: bool) -> tuple[list[str], int]:
    """Return the text of each page of a PDF, by PDFium, and the number of letters and digits left out as hidden.

    as_seen: leave out hidden text, and read columns one after the other, see `pdf_page`. Raises DocumentError if the
    document is damaged or too large.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error):
            raise DocumentError("encrypted with a password: save the PDF without one (qpdf --decrypt)") from error
        raise DocumentError(f"not a PDF that can be read: {error}") from error
    try:
        if len(document) > max_pages:
            raise DocumentError(f"a PDF may have {max_pages} pages; this one has {len(document)}")
        return _page_texts(document, max_characters, as_seen)
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"the PDF is damaged: {error}") from error
    finally:
        document.close()


def _page_texts(document: Any, max_characters: int, as_seen: bool) -> tuple[list[str], int]:
    texts: list[str] = []
    remaining, hidden = max_characters, 0
    for page in document:
        text_page = page.get_textpage()
        remaining -= text_page.count_chars()
        if remaining < 0:
            raise DocumentError(f"the PDF has more than {max_characters} characters")
        if as_seen:
            hidden_text = list(_module("pdf_hidden").find_hidden(page))
            text, count = _module("pdf_page").read_page(page, text_page, hidden_text)
            hidden += count
        else:
            text = text_page.get_text_bounded()
            text_page.close()
        page.close()
        texts.append(text.replace("\r\n", "\n").encode("utf-8", "replace").decode())  # msgpack takes no lone surrogates
    return texts, hidden


def rich_text(content: bytes) -> str:
    """Return the text of Rich Text Format, by striprtf. Raises DocumentError if it is damaged."""
    from striprtf import striprtf

    to_text: Callable[..., str] = striprtf.rtf_to_text
    try:
        text = to_text(content.decode("latin-1"), errors="replace")
    except (ValueError, LookupError, OverflowError, RecursionError) as error:
        raise DocumentError(f"the RTF is damaged: {error}") from error
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mail(content: bytes, max_parts: int) -> tuple[str, list[tuple[bytes, str | None, bool]]]:
    """Return what `mail_parts` reads in an e-mail. Raises DocumentError if it is damaged."""
    try:
        subject, texts = _module("mail_parts").read(content, max_parts)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise DocumentError(f"the e-mail is damaged: {error}") from error
    return subject, texts


@cache
def _module(name: str) -> Any:
    """Load a module of the package without the package itself, which takes memory."""
    loader = SourceFileLoader(name, str(Path(__file__).with_name(f"{name}.py")))
    module = ModuleType(loader.name)
    loader.exec_module(module)
    return module


def parquet_layout(path: str) -> Any:
    """Return what `parquet_rows.read_layout` does. Raises DocumentError if the file is damaged."""
    with _arrow_errors():
        return _module("parquet_rows").read_layout(path)


def parquet_rows(options: dict[str, Any]) -> Any:
    """Return what `parquet_rows.read_next` does. Raises DocumentError if the file is damaged."""
    with _arrow_errors():
        return _module("parquet_rows").read_next(options)


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Turn errors of Arrow, but for want of memory, into DocumentError."""
    import pyarrow

    try:
        yield
    except MemoryError:  # of Arrow, too
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DocumentError(str(error)) from error


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (errors, guess, leaves, lex, mail, pages, parquet_layout, parquet_rows, rich_text)
}


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Write `READY`, and answer requests until they end."""
    base = _data_bytes()
    answers.write(READY)
    answers.flush()
    while len(head := requests.read(8)) == 8:
        packed = _answer(requests.read(int.from_bytes(head)), base)
        answers.write(len(packed).to_bytes(8))
        answers.write(packed)
        answers.flush()


def _answer(request: bytes, base: int) -> bytes:
    """Return the answer to a request; base: bytes of memory that do not count."""
    packed: bytes
    try:
        function, arguments, seconds, memory, largest = msgpack.unpackb(request, strict_map_key=False)
        del request
        _limit(resource.RLIMIT_CPU, int(time.process_time() + seconds) + CPU_SLACK)
        _limit(resource.RLIMIT_DATA, base + memory)
        packed = msgpack.packb([FUNCTIONS[function](*arguments), None, False])
        if len(packed) > largest:
            raise DocumentError(f"what it holds takes {len(packed)} bytes; at most {largest} are read")
    except (DocumentError, ImportError) as error:
        packed = msgpack.packb([None, str(error), False])
    except MemoryError:
        packed = msgpack.packb([None, None, True])
    return packed


def _limit(kind: int, value: int) -> None:
    """Set a limit that this process may raise again."""
    with suppress(OSError, ValueError):
        resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))


def _data_bytes() -> int:
    """Return the bytes of memory that count against RLIMIT_DATA; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[5]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for package in sys.argv[1:]:
        with suppress(ImportError):
            import_module(package)
    serve(sys.stdin.buffer, sys.stdout.buffer)
