"""Errors of calls from Python: an argument of a wrong type is named, and options are named as parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from types import NoneType
from typing import Any

from agentws.errors import UsageError

_TYPES: dict[str, tuple[type, ...]] = {
    "None": (NoneType,),
    "bool": (bool,),
    "bytes": (bytes,),
    "date": (date,),
    "datetime": (date,),
    "float": (float, int),
    "int": (int,),
    "str": (str,),
}
_MANY = re.compile(r"(?:Sequence|Iterable|Collection|list|tuple)\[(.+?)(?:, \.\.\.)?\]")
_OTHER_NAMES = {
    "by": ("writer",),
    "for": ("for_whom", "path"),
    "from": ("stated_from",),
    "in": ("rooms",),
    "with": ("place",),
}
"""Parameters that are not called like their option."""
_QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")
_OPTION = re.compile(r"(?<![\w-])--?([a-z][a-z-]*)(?: ([A-Z]{2,}|N)\b)?")


def explain(
    error: Exception, function: Callable[..., Any], arguments: tuple[object, ...], named: Mapping[str, object]
) -> None:
    """Raise UsageError if an argument has a wrong type; in an error about options, name the parameters instead."""
    parameters = inspect.signature(function).parameters
    if isinstance(error, UsageError):
        error.message = _in_python(error.message, parameters)
        error.args = (error.message,)
        if error.hint and "agentws " not in error.hint:  # else it is a command to type
            error.hint = _in_python(error.hint, parameters)
        return
    try:
        given = inspect.signature(function).bind(None, *arguments, **named).arguments
    except TypeError:
        return  # an argument is missing or unknown, which Python's own message names
    for name, value in list(given.items())[1:]:
        wanted = str(parameters[name].annotation)
        is_many = parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        if not all(_fits(item, wanted) for item in (value if is_many else (value,))):
            raise UsageError(f"{name} must be {wanted}, not {value!r:.60}.") from error


def _fits(value: object, annotation: str) -> bool:
    """Return whether a value has the type of an annotation; True for types that this module does not know."""
    return any(_fits_one(value, name) for name in annotation.split(" | "))


def _fits_one(value: object, name: str) -> bool:
    if many := _MANY.fullmatch(name):
        return (
            isinstance(value, Iterable)
            and not isinstance(value, str | bytes)
            and (isinstance(value, Iterator) or all(_fits(item, many[1]) for item in value))  # it may be used up
        )
    if name.startswith(("Mapping[", "dict[")):
        return isinstance(value, Mapping)
    return isinstance(value, _TYPES.get(name, object))


def _in_python(text: str, parameters: Iterable[str]) -> str:
    """Return a text with parameters in place of options: `done=N` for `--done N`."""
    known = set(parameters)

    def parameter(match: re.Match[str]) -> str:
        option = match[1].replace("-", "_")
        name = next(
            (
                spelling
                for spelling in (option, f"{option}s", f"{option}_s", *_OTHER_NAMES.get(option, ()))
                if spelling in known
            ),
            None,
        )
        if name is None:
            return match[0]
        return f"{name}={match[2]}" if match[2] else name

    parts = _QUOTED.split(text)  # what the caller wrote stays as it is
    return "".join(part if number % 2 else _OPTION.sub(parameter, part) for number, part in enumerate(parts))
