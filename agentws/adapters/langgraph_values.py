"""Values of LangGraph's serializer as JSON that people can read and search, and back again.

The serializer returns a kind and bytes. `msgpack` bytes are written as the same value in JSON. A value with parts that
JSON lacks is `{"$": "value", "of": …}`, and in it these parts are objects with the key `$` too:

    {"$": "ext", "of": …, "code": 5}         an object: its class and fields, which the serializer's allow-list judges
    {"$": "bytes", "of": "<base64>"}         bytes
    {"$": "map", "of": [[key, value], …]}    a map with other keys than strings, or with the key `$`
    {"$": "float", "of": "nan"}              a number that JSON lacks

Bytes of another kind, such as encrypted ones, are `{"$": "kind", "kind": …, "of": "<base64>"}`.

Nothing is constructed here: reading returns the kind and bytes again, and the serializer decides what becomes of them.
"""

from __future__ import annotations

import base64
import json
import math
from typing import NamedTuple

import ormsgpack

from agentws.errors import UsageError

_MSGPACK, _NULL = "msgpack", "null"
_VALUE, _KIND = "value", "kind"
_EXT, _BYTES, _MAP, _FLOAT = "ext", "bytes", "map", "float"
_NESTED = frozenset(range(8))
"""The codes of LangGraph's objects; their data is msgpack again."""
_OPTION = ormsgpack.OPT_NON_STR_KEYS
_REFUSED = ("pickle",)


class Typed(NamedTuple):
    """A serialized value: its kind, and bytes."""

    kind: str
    data: bytes


def to_json(kind: str, data: bytes) -> object:
    """Return JSON from which `typed` makes the same kind and bytes; UsageError for pickle."""
    _check(kind)
    if kind == _NULL and not data:
        return None
    if kind == _MSGPACK and (value := _plain(data)) is not None:
        return value
    return {"$": _KIND, "kind": kind, "of": _base64(data)}


def loads(line: bytes) -> object:
    """Return parsed JSON for `typed`, with each object that has the key `$` replaced by its value.

    ValueError if it is no JSON, or has objects that `to_json` does not make.
    """
    try:
        text = line.decode()
        return _plain_decoder.decode(text) if '"$"' not in text else _decoder.decode(text)
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(str(error)) from error


def typed(value: object) -> Typed:
    """Return the kind and bytes of a value that `loads` returned; UsageError for pickle."""
    if isinstance(value, Typed):
        _check(value.kind)
        return value
    return Typed(_NULL, b"") if value is None else Typed(_MSGPACK, ormsgpack.packb(value, option=_OPTION))


def _check(kind: str) -> None:
    if kind in _REFUSED:
        raise UsageError(
            f"A value of the kind {kind!r} is neither stored nor read, since reading it could run a program.",
            hint="Use a serializer without pickle_fallback.",
        )


def _plain(data: bytes) -> object:
    """Return msgpack as JSON; None if JSON cannot hold it."""
    marks: list[str] = []
    try:
        value = _written(ormsgpack.unpackb(data, ext_hook=_Ext, option=_OPTION), marks)
    except (ValueError, TypeError, RecursionError):
        return None
    return {"$": _VALUE, "of": value} if marks else value


class _Ext:
    """An object in msgpack, as its code and data."""

    __slots__ = ("code", "data")

    def __init__(self, code: int, data: bytes) -> None:
        self.code = code
        self.data = data


def _written(value: object, marks: list[str]) -> object:
    """Return a value of msgpack in JSON; the marks it needs are added to `marks`. TypeError if an object is a key."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, dict):
        if "$" not in value and all(isinstance(key, str) for key in value):
            return {key: _written(part, marks) for key, part in value.items()}
        if not all(map(_is_key, value)):
            raise TypeError("an object as a key")
        return _marked(_MAP, [[_written(key, marks), _written(part, marks)] for key, part in value.items()], marks)
    if isinstance(value, list | tuple):
        return [_written(part, marks) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else _marked(_FLOAT, str(value), marks)
    if isinstance(value, bytes):
        return _marked(_BYTES, _base64(value), marks)
    if isinstance(value, _Ext):
        inner: object = value.data
        if value.code in _NESTED:
            inner = ormsgpack.unpackb(value.data, ext_hook=_Ext, option=_OPTION)
        return {**_marked(_EXT, _written(inner, marks), marks), "code": value.code}
    raise TypeError(type(value).__name__)


def _is_key(value: object) -> bool:
    return all(map(_is_key, value)) if isinstance(value, tuple) else not isinstance(value, _Ext)


def _marked(mark: str, inner: object, marks: list[str]) -> dict[str, object]:
    marks.append(mark)
    return {"$": mark, "of": inner}


def _restored(value: dict[str, object]) -> object:
    """Return the value of an object with the key `$`, whose parts were restored before; others unchanged."""
    tag, inner = value.get("$"), value.get("of")
    if tag is None:
        return value
    if tag == _VALUE:
        return Typed(_MSGPACK, ormsgpack.packb(inner, option=_OPTION))
    if tag == _KIND:
        return Typed(str(value["kind"]), base64.b64decode(str(inner)))
    if tag == _BYTES:
        return base64.b64decode(str(inner))
    if tag == _FLOAT:
        return float(str(inner))
    if tag == _MAP and isinstance(inner, list):
        return {_key(key): part for key, part in inner}
    if tag == _EXT and isinstance(code := value["code"], int):
        data = ormsgpack.packb(inner, option=_OPTION) if code in _NESTED else inner
        if isinstance(data, bytes):
            return ormsgpack.Ext(code, data)
    raise ValueError(f"unknown mark: {tag!r}")


def _key(value: object) -> object:
    """Return a key of a map, whose lists msgpack reads as tuples."""
    return tuple(_key(part) for part in value) if isinstance(value, list) else value


_plain_decoder, _decoder = json.JSONDecoder(), json.JSONDecoder(object_hook=_restored)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
