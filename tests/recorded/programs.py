"""Made-up programs in several languages, the same for the same seed, with functions that are in several of them."""

import random

WORDS = (
    *("heap", "queue", "ledger", "barrel", "lamp", "crate", "tide"),
    *("bell", "quay", "mill", "oven", "page", "rope", "sail"),
)
CURLY = (
    "for ({int} {at} = {one}; {at} < {count}; {at}++) {{ {total} += {items}[{at}] * {two}; }}",
    "while ({total} > {three}) {{ {total} = {total} / {two} - {one}; }}",
    "if ({total} % {two} == 0) {{ {total} -= {count}; }} else {{ {total} = -{total}; }}",
    "{int} {more} = {total} * {total} + {items}[{one}];",
    "do {{ {total} = ({total} ^ {count}) & {three}; }} while ({total} < {one});",
    "switch ({total}) {{ case {one}: {total}++; break; default: {total} = {two}; }}",
    "{total} = {count} > {two} ? {items}[{one}] : {total} << {two};",
)
PYTHON = (
    "for {at} in range({one}, {count}):\n        {total} += {items}[{at}] * {two}",
    "while {total} > {three}:\n        {total} = {total} // {two} - {one}",
    "if {total} % {two} == 0:\n        {total} -= {count}\n    else:\n        {total} = -{total}",
    "{more} = [{at} * {at} for {at} in {items} if {at} != {one}]",
    "try:\n        {total} = {items}[{two}]\n    except IndexError:\n        {total} = None",
    "with open({items}) as {at}:\n        {total} = {at}.read().split()",
    "{total} = {count} if {items} else {total} << {two}",
)
GO = (
    "for {at} := {one}; {at} < {count}; {at}++ {{ {total} += {items}[{at}] * {two} }}",
    "for {total} > {three} {{ {total} = {total}/{two} - {one} }}",
    "if {total}%{two} == 0 {{ {total} -= {count} }} else {{ {total} = -{total} }}",
    "for _, {at} := range {items} {{ {total} ^= {at} & {three} }}",
    "defer func() {{ {total}++ }}()",
)
RUBY = (
    "{items}.each do |{at}|\n    {total} += {at} * {two}\n  end",
    "while {total} > {three}\n    {total} = {total} / {two} - {one}\n  end",
    "if {total} % {two} == 0 then {total} -= {count} else {total} = -{total} end",
    "{total} = {items}.map {{ |{at}| {at} ** {two} }}.select {{ |{at}| {at} > {one} }}.sum",
    "{total} = {count} unless {items}.empty?",
)
SQL = (
    "CREATE TABLE {name} ({items} INTEGER NOT NULL, {count} INTEGER DEFAULT {one});",
    "SELECT {items}, SUM({count}) AS {total} FROM {name} WHERE {items} > {two} GROUP BY {items};",
    "UPDATE {name} SET {count} = {count} * {two} WHERE {items} BETWEEN {one} AND {three};",
    "DELETE FROM {name} WHERE {items} IN (SELECT {at} FROM {total} ORDER BY {count} DESC LIMIT {one});",
)
FORMS = {
    "c": (CURLY, "int {name}(int *{items}, int {count}) {{\n    int {total} = {one};\n    {body}\n}}\n"),
    "cpp": (CURLY, "template <class T> int {name}(T {items}, int {count}) {{\n    int {total};\n    {body}\n}}\n"),
    "cs": (CURLY, "public static int {name}(int[] {items}, int {count}) {{\n    int {total} = 0;\n    {body}\n}}\n"),
    "go": (GO, "func {name}({items} []int, {count} int) int {{\n\t{total} := {one}\n\t{body}\n\treturn {total}\n}}\n"),
    "java": (CURLY, "static int {name}(int[] {items}, int {count}) {{\n    int {total} = {one};\n    {body}\n}}\n"),
    "js": (CURLY, "function {name}({items}, {count}) {{\n  let {total} = {one};\n  {body}\n  return {total};\n}}\n"),
    "py": (PYTHON, "def {name}({items}, {count}):\n    # of {three} at most\n    {total} = {one}\n    {body}\n"),
    "rb": (RUBY, "def {name}({items}, {count})\n  {total} = {one}\n  {body}\n  {total}\nend\n"),
    "sql": (SQL, "-- {name}\n{body}\n"),
    "ts": (CURLY, "export function {name}({items}: number[], {count}: number): number {{\n  {body}\n}}\n"),
}
AROUND = {
    "c": "#include <stdio.h>\n#include <stdlib.h>\n\n{}",
    "cpp": "#include <vector>\nusing namespace std;\n\n{}",
    "cs": "using System;\n\nclass Tool {{\n{}}}\n",
    "go": 'package tools\n\nimport "fmt"\n\n{}',
    "java": "package society.tools;\n\nimport java.util.List;\n\nclass Tool {{\n{}}}\n",
    "py": '"""A tool of the society."""\n\nimport sys\nfrom os import path\n\n\n{}',
}


def routine(seed: int, language: str, names: int) -> str:
    """Return a function that other seeds make otherwise. names: the seed of its identifiers and numbers."""
    fragments, form = FORMS[language]
    rng = random.Random(names)
    words = dict(zip(("name", "items", "count", "total", "at", "more"), rng.sample(WORDS, 6), strict=True))
    numbers = {"one": rng.randrange(9), "two": rng.randrange(2, 9), "three": rng.randrange(100, 999)}
    values = {**words, **numbers, "int": "let" if language in ("js", "ts") else "int"}
    order = random.Random(seed)
    chosen = [order.choice(fragments).format(**values) for _ in range(order.randrange(4, 7))]
    indent = {"c": "\n    ", "py": "\n    ", "go": "\n\t", "sql": "\n"}.get(language, "\n  ")
    return form.format(**values, body=indent.join(chosen))


def program(language: str, *seeds: int, names: int = 0) -> str:
    """Return a program of these functions. names: another number gives other identifiers to the same functions."""
    parts = [routine(seed, language, names * 1000 + seed) for seed in seeds]
    return AROUND.get(language, "{}").format("\n\n".join(parts))
