"""Plain queries of rows: conditions on fields, an order, a limit."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agentws.core.formats.json import plainjson
from agentws.errors import UsageError

Row = Mapping[str, object]
Conditions = str | Sequence[str] | Mapping[str, object]

_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_CONDITION = re.compile(r"([^=!<>]+)(!=|>=|<=|=|>|<)(.*)", re.DOTALL)


def check(where: Conditions) -> Callable[[Row], bool]:
    """Return the check whether a row meets all conditions: texts such as `status=open`, `amount>=100`, or a mapping.

    A value is read as JSON if it is JSON, else as text; a field of an inner object is `customer.name`. UsageError for
    a text that is not a condition.
    """
    if isinstance(where, dict):
        equal = dict(where)
        return lambda row: all(_same(field_of(row, name), value) for name, value in equal.items())
    conditions = [_condition(text) for text in ([where] if isinstance(where, str) else where)]
    return lambda row: all(_meets(field_of(row, name), sign, text) for name, sign, text in conditions)


def ordered(rows: Iterable[dict[str, object]], by: str, *, descending: bool) -> list[dict[str, object]]:
    """Return the rows by a field: numbers before texts, rows without the field last."""
    every = list(rows)
    having = [row for row in every if field_of(row, by) is not None]
    having.sort(key=lambda row: _rank(field_of(row, by)), reverse=descending)
    return having + [row for row in every if field_of(row, by) is None]


def field_of(row: Row, name: str) -> object:
    """Return a field of a row by its name, or by a path of names with dots; None for a missing field."""
    if name in row:
        return row[name]
    value: object = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def is_key(value: object, key: object) -> bool:
    """Return whether a field holds a key, as a number or as text."""
    return value == key or (value is not None and str(value) == str(key))


def _condition(text: str) -> tuple[str, str, str]:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a condition.", hint="For example: --where status=open --where 'amount>=100'")
    name, sign, value = match.groups()
    return name.strip(), sign, value.strip()


def _meets(value: object, sign: str, text: str) -> bool:
    try:
        wanted = plainjson.loads(text)
    except ValueError:
        wanted = text
    if sign in ("=", "!="):
        return (value == text or _same(value, wanted)) == (sign == "=")
    if isinstance(value, str):
        wanted = text  # dates and names that look like numbers too
    elif not (_is_number(value) and _is_number(wanted)):
        return False
    return bool(_COMPARED[sign](value, wanted))


def _same(value: object, wanted: object) -> bool:
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rank(value: object) -> tuple[int, object]:
    if _is_number(value):
        return 0, value
    return (1, value) if isinstance(value, str) else (2, str(value))
