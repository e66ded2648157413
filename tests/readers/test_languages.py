"""The language of a program is told by its name or its first line."""

import pytest

from fpdb.readers.languages import (
    AMBIGUOUS,
    EXTENSIONS,
    LANGUAGES,
    is_code_extension,
    language_by_name,
    language_by_shebang,
)


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("x.py", "", "python"),
        ("dir.d/X.JAVA", "", "java"),
        ("x.h", "int f(void);", "c"),
        ("x.h", "namespace a { class B; }", "cpp"),
        ("x.tsx", "", "tsx"),
        ("x.r", "", "splus"),
        ("x.pl", "", None),
        ("python", "", None),
    ],
)
def test_names_tell_languages(name, text, language):
    assert language_by_name(name, text) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#!/usr/bin/env python3\nx = 1\n", "python"),
        ("\ufeff#! /bin/sh\n", "bash"),
        ("#!/usr/bin/env -S A=1 node --x\n", "javascript"),
        ("#!/usr/bin/ruby2.7\n", "ruby"),
        ("<?php\necho $x;", "php"),
        ("#!/usr/bin/nothing\n", None),
        ("\n#!/bin/sh\n", None),
    ],
)
def test_first_lines_tell_languages(text, language):
    assert language_by_shebang(text) == language


def test_each_extension_is_of_one_language_or_ambiguous():
    rows = [extension for row in LANGUAGES.values() for extension in row.extensions.split()]
    assert len(rows) == len(set(rows)) == len(EXTENSIONS)
    assert not AMBIGUOUS & set(rows)
    assert all(map(is_code_extension, [*rows, *AMBIGUOUS]))
