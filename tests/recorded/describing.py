"""Values of the library in words: of each kind all public fields, by name, in a form that is the same on every run."""

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

import fpdb

from .observing import digest, stable

LONG = 400
NOWHERE = Path("/nowhere")
"""Characters of a string that are told."""
MANY = 60
"""Numbers of an array that are told."""


def described(value: Any, folder: Path) -> list[str]:
    """Return a value in lines; what has several parts has a line for each."""
    if isinstance(value, Iterator):
        value = list(value)
    if isinstance(value, fpdb.Answer):
        lines = [f"Answer of {_words(value.query)}", *map(_words, value.matches)]
    elif isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        lines = [f"{type(value).__name__} of {len(value)}", *(line for one in value for line in _parts(one))]
    elif isinstance(value, Mapping):
        lines = [f"{type(value).__name__} of {len(value)}", *(f"{name}: {_words(one)}" for name, one in value.items())]
    else:
        lines = [_words(value)]
    return [stable(line, folder) for line in lines]


def raised(error: BaseException, folder: Path) -> list[str]:
    """Return an error in lines: its type, those that it is a sort of, and what it says."""
    sorts = [sort.__name__ for sort in type(error).__mro__[1:-2]]
    return [stable(f"raised {type(error).__name__} ({', '.join(sorts)}): {error}", folder)]


def _parts(value: Any) -> list[str]:
    if isinstance(value, fpdb.Answer):
        return [f"Answer of {_words(value.query)}", *(f"  {_words(match)}" for match in value.matches)]
    return [_words(value)]


def _words(value: Any) -> str:  # noqa: C901 (the definition in one piece)
    if isinstance(value, fpdb.Error):
        return f"{type(value).__name__}: {value}"
    if isinstance(value, str) and len(value) > LONG:
        value = stable(value, NOWHERE)
        return f"str of {len(value)}, {digest(value)}: {value[:60]!r}"
    if isinstance(value, bytes | bytearray):
        return f"{type(value).__name__} of {len(value)}: {value.hex()[:32]}"
    if isinstance(value, np.ndarray):
        told = digest(value.tobytes().hex()) if value.size > MANY else value.tolist()
        return f"array of {value.shape} {value.dtype}: {told}"
    if isinstance(value, np.generic):
        return f"{type(value).__name__}({value})"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {_words(one)}" for name, one in value.items()) + "}"
    fields = fields_of(value)
    if fields is not None:
        told = [f"{name}={_words(_field(value, name))}" for name in fields if getattr(value, name) is not None]
        return f"{type(value).__name__}({', '.join(told)})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_words, value))}]"
    if isinstance(value, str | int | float | bool | Path | None):
        return repr(value)
    return f"a {type(value).__name__}"


def _field(value: Any, name: str) -> Any:
    """Return a field; regions as JSON output has them."""
    return value.to_dict()[name] if name == "regions" else getattr(value, name)


def fields_of(value: Any) -> list[str] | None:
    """Return the public fields of a dataclass or a named tuple, or of one of its values; None for anything else."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    elif hasattr(value, "_fields"):
        names = list(value._fields)
    else:
        return None
    hidden = ("source",) if value is fpdb.Fingerprints or isinstance(value, fpdb.Fingerprints) else ()
    return [name for name in names if not name.startswith("_") and name not in hidden]


def interface(name: str) -> list[str]:
    """Return what a public name is: a function's parameters; a class's bases, fields and what else is public."""
    value = getattr(fpdb, name)
    if not isinstance(value, type):
        return [f"{name}{parameters(value)}"]
    bases = [
        base.__name__ for base in value.__mro__[1:-1] if base.__name__ in fpdb.__all__ or base in (Exception, tuple)
    ]
    lines = [f"class {name}({', '.join(bases)})"]
    if issubclass(value, BaseException):
        return lines
    fields = fields_of(value)
    if fields is not None:
        lines += [f"fields: {', '.join(fields)}", f"made by: {name}{parameters(value)}"]
    for attribute in dir(value):
        member = inspect.getattr_static(value, attribute)
        if attribute.startswith("_") or attribute in (fields or ()):
            continue
        if isinstance(member, classmethod | staticmethod) or inspect.isfunction(member):
            lines.append(f".{attribute}{parameters(getattr(value, attribute))}")
        else:
            lines.append(f".{attribute}")
    return lines


def parameters(function: Any) -> str:
    """Return the parameters of a function with their defaults, without types."""
    signature = inspect.signature(function)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
