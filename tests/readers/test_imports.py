"""Lines that import or name a package are no symbols, in any language that has such lines; what looks alike stays."""

import re
from pathlib import Path

import numpy as np
import pytest

from fpdb.fingerprint import KINDS
from fpdb.readers import imports
from fpdb.readers.grammars import GRAMMARS
from fpdb.readers.languages import EXTENSIONS

NONE = {  # no such lines, or only expressions and blocks
    "batch",
    "smalltalk",
    "zig",
}
DROPPED = {
    "java": "package a.b;\nimport static c.D.*;",
    "python": "import a\nfrom b import (c,\n    d)\nfrom __future__ import e",
    "c": '#include <a.h>\n#include "b.h"',
    "cpp": "#include <a>\nusing std::b;\nusing namespace c;",
    "javascript": "import a, {b} from 'c';",
    "typescript": "import a = require('b');\nimport c = d.e;\nimport type {f} from 'g';",
    "tsx": "import a from 'b';",
    "go": 'package a\nimport (\n"b"\n)',
    "rust": "use a::{b, c};\nextern crate d;",
    "csharp": "using A;\nextern alias B;\nnamespace C.D;",
    "ruby": "require 'a'\nrequire_relative('b')\n  load \"x.rb\" if y\nautoload :A,\n  'b'",
    "php": "<?php\nnamespace A\\B;\nuse C;\nrequire 'a.php';\ninclude_once(__DIR__ . '/b');\ninclude $x;",
    "ada": "with Ada.Text_IO; use Ada.Text_IO;\nuse A;",
    "awk": '@include "a.awk"',
    "bash": "source a.sh\n. ./b.sh",
    "clojure": "(ns a.b\n  (:require [c.d :as e])\n  (:import f))\n(require '[x.y])",
    "cobol": "       COPY ABC.",
    "common-lisp": "(require 'cl)\n(in-package :a)",
    "crystal": 'require "a"',
    "d": "module a.b;\nimport std.stdio;",
    "dart": "import 'a.dart';\nlibrary a;\nexport 'b.dart';\npart 'c.dart';",
    "delphi": "unit A;\nuses\n  B,\n  C;",
    "elixir": "import A\nalias B.C\nrequire D\nuse E",
    "elm": "module A exposing (..)\nimport B",
    "erlang": '-module(a).\n-include("b.hrl").\n-import(lists, [map/2]).',
    "fsharp": "namespace B\nopen System",
    "fortran": '      use a\n      include "b"',
    "fortranfixed": "      USE A\n      USE B, ONLY: C",
    "groovy": "package a\nimport b.c",
    "haskell": "module A where\nimport Data.List",
    "julia": 'using A\nimport B\ninclude("c.jl")',
    "kotlin": "package a\nimport b.c",
    "lua": "require 'a'\nrequire(\"b\")",
    "nasm": '%include "a.inc"',
    "nim": "import a\nfrom b import c\ninclude d",
    "ocaml": "open A",
    "powershell": "using module A\nImport-Module B",
    "prolog": ":- use_module(library(lists)).\n:- module(a, []).",
    "racket": "#lang racket\n(require a)",
    "scala": "package a.b\nimport c.d",
    "scheme": '(import (scheme base))\n(load "a")',
    "splus": 'library(a)\nrequire(b)\nsource("c")',
    "sql": "USE a;",
    "swift": "import A",
    "systemverilog": '`include "a"\nimport a::*;',
    "tcl": "package require A\nsource b.tcl",
    "vb.net": "Imports A.B",
    "vhdl": "library ieee;\nuse ieee.std_logic_1164.all;",
}
# With the tokens, apart by spaces; _ is a space or a line feed in a token.
KEPT = {
    "ruby": (
        "x = require 'z'\ninclude Foo\na.require 'x'\nload = 3\nload.x\ny = %q(\nrequire 'q'\n)\n",
        "x = require 'z' include Foo a . require 'x' load = 3 load . x y = %q(_require_'q'_)",
    ),
    "php": (
        "<?php\n$x = include 'c';\nclass A { use T; }\nnamespace A { f(); }\nnamespace\\f(2);\n/*\nrequire 'x';*/",
        "$x = include 'c' ; class A { use T ; } namespace A { f ( ) ; } namespace \\ f ( 2 ) ;",
    ),
    "csharp": ("namespace A { class B {} }", "namespace A { class B { } }"),
    "lua": ("local x = require 'a'", "local x = require 'a'"),
    "perl": ('my $use = 1;\n$x = "\nuse A;\n";', 'my $ use = 1 ; $ x = "_use_A;_" ;'),
}
SUFFIX = {language: extension for extension, language in reversed(EXTENSIONS.items())} | {"perl": "perl"}


def read(text, language):
    if language == "perl":
        text = "#!/usr/bin/perl\n" + text
    return KINDS["code"].read(text, "tokens", f"a.{SUFFIX[language]}")


def tokens(text, language):
    symbols = read(text, language)
    return [symbols.text[start:end] for start, end in zip(symbols.offsets, symbols.ends, strict=True)]


def test_every_language_is_tried():
    assert set(EXTENSIONS.values()) == set(DROPPED) | NONE
    assert set(DROPPED) | {"perl"} >= imports.MARKED_BY_LINES
    assert set(GRAMMARS) <= set(DROPPED)


@pytest.mark.parametrize("language", DROPPED)
def test_import_lines_are_no_symbols(language):
    left = tokens(DROPPED[language] + "\n", language)
    assert set(left) <= {")"}  # the end of a list that began on another line


@pytest.mark.parametrize("language", KEPT)
def test_what_only_looks_like_an_import_stays(language):
    text, expected = KEPT[language]
    assert [re.sub(r"[ \n]", "_", token) for token in tokens(text, language)] == expected.split()


@pytest.mark.parametrize("language", sorted(set(EXTENSIONS.values())))
def test_places_are_those_of_the_tokens_in_every_language(language):
    """Some lexers count from the beginning of the line, or of what is set in."""
    line = "      x1 = y22 + f33(z)\n"
    symbols = read(("<?php\n" if language == "php" else "") + line * 3, language)
    assert np.all(symbols.offsets[1:] >= symbols.ends[:-1])
    offsets = symbols.offsets[symbols.offsets < symbols.text.index(line) + 3 * len(line)] - symbols.text.index(line)
    first, second, third = (offsets[offsets // len(line) == number].tolist() for number in range(3))
    assert [at + len(line) for at in first] == second
    assert [at + len(line) for at in second] == third


def test_the_table_of_the_documentation_has_every_language():
    text = (Path(__file__).parents[2] / "docs" / "guide" / "programs.md").read_text("utf-8")
    text = text.split("## Lines that import")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)[1:]
    assert {name.split()[0] for row in rows for name in row.split(", ")} == {*DROPPED, *KEPT} - NONE
