"""What libraries make of a document that may crash on it, or never end: the leaves of a syntax tree, the tokens of a
lexer, the pages of a PDF.

Runs where it is imported, or as a program of its own, which `apart` starts: it imports nothing of fpdb. The program
says that it is ready, in one byte, and answers requests on standard input, one after the other, on standard output.
Both are frames: 8 bytes of length, big-endian, then msgpack; a request is [function, arguments], an answer
[result, None] or [None, what is wrong].
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
MOST_PAGES = 20_000
MOST_CHARACTERS = 1 << 28
MEMORY = 1 << 32
"""Bytes of address space that the program may come to, where the system limits it."""


class Refused(Exception):
    """The document cannot be read, and why."""


@cache
def find_parser(package: str, function: str) -> Any:
    """A tree-sitter parser of the language that a function of a package gives. ImportError."""
    from tree_sitter import Language, Parser

    return Parser(Language(getattr(import_module(package), function)()))


def leaves(package: str, function: str, whole: Collection[int], content: bytes) -> tuple[bytes, bytes, bytes]:
    """The leaves of a program's tree, those below nodes of the kinds `whole` left out, these being leaves instead.

    Arrays of the kind (uint16), the first byte, and the one behind the last (both uint32) of each.
    """
    whole = frozenset(whole)
    cursor = find_parser(package, function).parse(content).walk()
    down, onward, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    kinds: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    found = True
    while found:
        node = cursor.node
        kind = node.kind_id
        if kind not in whole and down():
            continue
        kinds.append(kind)
        starts.append(node.start_byte)
        ends.append(node.end_byte)
        while not (found := onward()):
            if not up():
                break
    return array("H", kinds).tobytes(), array("I", starts).tobytes(), array("I", ends).tobytes()


def guess(name: str | None, head: str) -> str | None:
    """The language that Pygments takes a text for, given its file's name if it has one; None if it takes it for none.
    ImportError."""
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


def lexed(language: str, content: bytes) -> tuple[list[str], bytes, bytes, bytes, bytes]:
    """The tokens of a text in UTF-8, by Pygments: the names of the types there are, which of them each token is
    (uint16), where it begins and how long it is (both uint32, in characters), and what they are, all in one, in UTF-8.
    ImportError."""
    numbers: dict[Any, int] = {}
    kinds, starts, lengths, tokens = array("H"), array("I"), array("I"), []
    for start, kind, token in _lexer(language).get_tokens_unprocessed(content.decode("utf-8", "surrogatepass")):
        kinds.append(numbers.setdefault(kind, len(numbers)))
        starts.append(start)
        lengths.append(len(token))
        tokens.append(token)
    names = [str(kind).removeprefix("Token").removeprefix(".") for kind in numbers]
    said = "".join(tokens).encode("utf-8", "surrogatepass")
    return names, kinds.tobytes(), starts.tobytes(), lengths.tobytes(), said


def pages(content: bytes) -> list[str]:
    """The text of each page of a PDF, by PDFium. Refused; ImportError."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise Refused(f"not a PDF that can be read: {error}") from error
    try:
        return _pages(document)
    except pypdfium2.PdfiumError as error:
        raise Refused(f"the PDF is damaged: {error}") from error
    finally:
        document.close()


def _pages(document: Any) -> list[str]:
    if len(document) > MOST_PAGES:
        raise Refused(f"a PDF may have {MOST_PAGES} pages; this one has {len(document)}")
    found: list[str] = []
    left = MOST_CHARACTERS
    for page in document:
        words = page.get_textpage()
        # PDFium marks a hyphen at the end of a line, where a word goes on, as U+FFFE: it is no letter.
        text = words.get_text_bounded().replace("\r\n", "\n")
        words.close()
        page.close()
        left -= len(text)
        if left < 0:
            raise Refused(f"the PDF has more than {MOST_CHARACTERS} characters")
        # What is not text at all (lone surrogates) cannot be sent on.
        found.append(text.encode("utf-8", "replace").decode())
    return found


FUNCTIONS: dict[str, Callable[..., Any]] = {"guess": guess, "leaves": leaves, "lexed": lexed, "pages": pages}


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Say that we are ready, and answer until the requests end."""
    answers.write(READY)
    answers.flush()
    while len(head := requests.read(8)) == 8:
        function, arguments = msgpack.unpackb(requests.read(int.from_bytes(head)), strict_map_key=False)
        try:
            answer = [FUNCTIONS[function](*arguments), None]
        except (Refused, ImportError) as error:
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
