"""Converts Python values to plain JSON, never pickles; and makes JSON readable for people.

The result is plain: a dataclass becomes the dictionary of its fields, a moment its ISO text. Objects of pydantic, attrs
and msgspec are recognised by their methods; these libraries are never imported. Readable JSON has letters of every
script as they are, invisible or misleading ones as `\\uXXXX`: any reader gets the same value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agentws.core.formats.json import plainjson
from agentws.core.text import invisible, letters
from agentws.core.text.lazy import Pattern
from agentws.errors import UsageError

Pairs = Iterable[tuple[object, object]]


DEEPEST = 60
"""Levels of lists and dictionaries: as many as the body of an event may have."""
_MOST_BITS = 14_000
"""Of an integer: Python reads no more than 4,300 digits."""
_AS_TEXT = ("decimal.Decimal", "fractions.Fraction", "uuid.UUID", "ipaddress.", "zoneinfo.")
_NAMES = "a dict, a list, a dataclass, or a pydantic or attrs model"


def plain(value: object, *, name: str = "state") -> Any:
    """Return `value` as plain JSON; UsageError names the place of what cannot be converted: `state.a[3].b`.

    Enums become their values, dates and times ISO texts, durations seconds, paths and ids texts, bytes base64, sets
    sorted lists; two keys of a dictionary that become the same text are an error.
    """
    return _plain(value, name, {})


def _plain(value: Any, place: str, above: dict[int, str]) -> Any:
    kind = type(value)
    if value is None or kind is str or kind is bool:
        return value
    if kind is int or kind is float:
        return _number(value, place)
    if id(value) in above:
        raise UsageError(
            f"{place} refers back to {above[id(value)]}: a circular reference.",
            hint="Save an id instead of the object.",
        )
    if len(above) >= DEEPEST:
        raise UsageError(f"{place} is nested more than {DEEPEST} levels deep.", hint="Save a flatter value.")
    above[id(value)] = place
    try:
        return _compound(value, place, above)
    finally:
        del above[id(value)]


def _compound(value: Any, place: str, above: dict[int, str]) -> Any:
    if hasattr(type(value), "__members__") and hasattr(value, "value"):  # a member of an enum
        return _plain(value.value, place, above)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int | float):
        return _number(value, place)
    if isinstance(value, bytes | bytearray | memoryview):
        from binascii import b2a_base64

        return b2a_base64(value, newline=False).decode("ascii")
    pairs = _pairs(value)
    if pairs is not None:
        return _dictionary(pairs, place, above)
    if isinstance(value, set | frozenset):
        return sorted(_items(value, place, above), key=plainjson.dumps)
    if isinstance(value, list | tuple | range) or type(value).__name__ in ("deque", "UserList"):
        return _items(value, place, above)
    if hasattr(value, "model_dump"):
        return _model(value, place, above)
    return _text(value, place)


def _number(value: float, place: str) -> int | float:
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise UsageError(f"{place} has more than 4,300 digits.", hint="Save a text instead.")
        return int(value)
    if value - value:  # infinite, or no number
        raise UsageError(f"{place} is {float(value)!r}, which JSON cannot hold.", hint="Save None or a text instead.")
    return float(value)


def _pairs(value: Any) -> Pairs | None:
    """Return keys and values of what has names for its parts; None for anything else, also for a class itself."""
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, type):
        return None
    if hasattr(value, "__dataclass_fields__"):
        import dataclasses

        return ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    if hasattr(value, "__attrs_attrs__"):
        return ((field.name, getattr(value, field.name)) for field in value.__attrs_attrs__)
    if hasattr(value, "__struct_fields__"):
        return ((name, getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return zip(value._fields, value, strict=True)
    return value.items() if hasattr(value, "keys") and hasattr(value, "items") else None


def _dictionary(pairs: Pairs, place: str, above: dict[int, str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, item in pairs:
        word = key if type(key) is str else _key(key, place)
        if word in result:
            raise UsageError(f"{place} has two keys that are {word!r} as a text.", hint="Rename one of them.")
        result[word] = _plain(item, inside(place, word), above)
    return result


def _key(key: object, place: str) -> str:
    if key is None or key is True or key is False:
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, tuple | list | dict | set | frozenset | bytes):
        raise UsageError(f"{place} has the key {key!r}, which is not a text.", hint="Use texts or numbers as keys.")
    return str(_plain(key, f"a key of {place}", {}))


def inside(place: str, word: str) -> str:
    """Return the place of a key within the dictionary at `place`, for error messages about values that JSON lacks."""
    return f"{place}.{word}" if word.isidentifier() else f"{place}[{word!r}]"


def _items(values: Iterable[object], place: str, above: dict[int, str]) -> list[Any]:
    return [_plain(item, f"{place}[{number}]", above) for number, item in enumerate(values)]


def _model(value: Any, place: str, above: dict[int, str]) -> Any:
    """Return what a pydantic model says of itself; if it cannot, the same from its fields, which finds the place."""
    try:
        return _plain(value.model_dump(mode="json"), place, above)
    except UsageError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        fields: Iterator[tuple[str, object]] | None = iter(value) if hasattr(value, "__iter__") else None
        if fields is None:
            raise UsageError(f"{place} cannot be saved: {error}.", hint=f"Save {_NAMES}.") from error
        return _dictionary(fields, place, above)


def _text(value: Any, place: str) -> Any:
    kind = type(value)
    full = f"{kind.__module__}.{kind.__qualname__}"
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if hasattr(value, "total_seconds"):
        return _number(value.total_seconds(), place)
    if hasattr(value, "__fspath__"):
        path = value.__fspath__()
        return path if isinstance(path, str) else path.decode("utf-8", "surrogateescape")
    if full.startswith(_AS_TEXT):
        return str(value)
    raise UsageError(f"{place} is of type {full}, which JSON cannot hold.", hint=f"Save {_NAMES}.")


_PIECE = Pattern(rf"\\u[0-9a-f]{{4}}|\\.|[\w{letters.MARKS}]+|.", "DOTALL")
_ALIKE = ("ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "MATHEMATICAL")
"""Scripts with letters that look like Latin ones: no language mixes both in one word."""
_ASTRAL = 0x10000
_DELETE = "\x7f"
"""The only control character that JSON does not require to be escaped."""


def dumps(value: object, *, indent: int | None = None) -> str:
    """Return `value` as readable JSON, on one line if `indent` is None."""
    plain = plainjson.dumps(value, indent=indent).replace(_DELETE, _code(_DELETE))
    if "\\u" not in plain:
        return plain
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent).replace(_DELETE, _code(_DELETE))
    return "".join(_shown(text, match.start(), match[0]) for match in _PIECE.compiled.finditer(text))


def _shown(text: str, start: int, piece: str) -> str:
    if piece.isascii():
        return piece
    is_mixed = _is_mixed(piece)
    return "".join(
        char if char.isascii() or (not is_mixed and _is_plain(text, at)) else _code(char)
        for at, char in enumerate(piece, start)
    )


def _is_mixed(word: str) -> bool:
    """Return whether this word mixes letters that look alike."""
    import unicodedata

    scripts = {unicodedata.name(char, "").partition(" ")[0] for char in word if char.isalpha()}
    return "LATIN" in scripts and not scripts.isdisjoint(_ALIKE)


def _is_plain(text: str, at: int) -> bool:
    """Return whether this character is visible and separate from the one before it."""
    char = text[at]
    if invisible.is_ignorable(char):
        from agentws.core.text import joiners

        return joiners.useful(text, at)
    before = text[at - 1]
    return char.isprintable() and (not letters.is_mark(char) or before.isalnum() or letters.is_mark(before))


def _code(char: str) -> str:
    code = ord(char)
    if code < _ASTRAL:
        return f"\\u{code:04x}"
    high, low = divmod(code - _ASTRAL, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
