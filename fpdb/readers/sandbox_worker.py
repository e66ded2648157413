"""Read documents by libraries that may crash or never end: syntax trees, tokens of lexers, pages of a PDF.

Runs where it is imported, or as a program that `sandbox` starts; imports nothing of fpdb. The program writes `READY`,
and answers requests on standard input in order, on standard output. Requests and answers are frames: 8 bytes of length,
big-endian, then msgpack. A request is [function, arguments], an answer [result, None] or [None, refusal].
"""

import resource
import signal
import sys
from array import array
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from typing import IO, Any

import msgpack

READY = b"."
MAX_PAGES = 20_000
MAX_CHARACTERS = 1 << 28
MEMORY = 1 << 32
"""Bytes of address space that the program may use, where the system limits it."""


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
    kinds: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
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
    return array("H", kinds).tobytes(), array("I", starts).tobytes(), array("I", ends).tobytes()


def guess(name: str | None, head: str) -> str | None:
    """Return the language that Pygments guesses by a text, and its file's name if given; None for none."""
    import pygments.lexers
    from pygments.util import ClassNotFound

    if name is not None:
        with suppress(ClassNotFound, IndexError):
            return str(pygments.lexers.guess_lexer_for_filename(name, head).aliases[0])
    with suppress(ClassNotFound, IndexError):
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
    kinds, starts, lengths, tokens = array("H"), array("I"), array("I"), []
    for start, kind, token in _lexer(language).get_tokens_unprocessed(content.decode("utf-8", "surrogatepass")):
        kinds.append(indices.setdefault(kind, len(indices)))
        starts.append(start)
        lengths.append(len(token))
        tokens.append(token)
    names = [str(kind).removeprefix("Token").removeprefix(".") for kind in indices]
    joined = "".join(tokens).encode("utf-8", "surrogatepass")
    return names, kinds.tobytes(), starts.tobytes(), lengths.tobytes(), joined


def pages(content: bytes) -> list[str]:
    """Return the text of each page of a PDF, by PDFium; DocumentError if it is damaged or too large."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"not a PDF that can be read: {error}") from error
    try:
        return _page_texts(document)
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"the PDF is damaged: {error}") from error
    finally:
        document.close()


def _page_texts(document: Any) -> list[str]:
    if len(document) > MAX_PAGES:
        raise DocumentError(f"a PDF may have {MAX_PAGES} pages; this one has {len(document)}")
    texts: list[str] = []
    remaining = MAX_CHARACTERS
    for page in document:
        text_page = page.get_textpage()
        # PDFium marks a hyphen at the end of a line, inside a word, as U+FFFE: it is no letter.
        text = text_page.get_text_bounded().replace("\r\n", "\n")
        text_page.close()
        page.close()
        remaining -= len(text)
        if remaining < 0:
            raise DocumentError(f"the PDF has more than {MAX_CHARACTERS} characters")
        texts.append(text.encode("utf-8", "replace").decode())  # msgpack takes no lone surrogates
    return texts


FUNCTIONS: dict[str, Callable[..., Any]] = {"guess": guess, "leaves": leaves, "lex": lex, "pages": pages}


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Write `READY`, and answer requests until they end."""
    answers.write(READY)
    answers.flush()
    while len(head := requests.read(8)) == 8:
        function, arguments = msgpack.unpackb(requests.read(int.from_bytes(head)), strict_map_key=False)
        try:
            answer = [FUNCTIONS[function](*arguments), None]
        except (DocumentError, ImportError) as error:
            answer = [None, str(error)]
        except MemoryError:
            answer = [None, f"reading it takes more than {MEMORY / 1e9:.1f} GB"]
        packed: bytes = msgpack.packb(answer)
        answers.write(len(packed).to_bytes(8) + packed)
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer)
