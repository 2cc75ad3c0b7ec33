"""Fast JSON of plain values without the json package, whose import costs most of an interpreter's start.

Reads what `json.loads` reads. Writes what `json.dumps` writes of None, booleans, finite numbers, texts, lists and
dictionaries with texts as keys: ASCII alone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


try:
    from _json import encode_basestring_ascii as _quoted, make_encoder as _make_encoder, make_scanner as _make_scanner
except ImportError:  # an interpreter without these parts in C
    from json.encoder import encode_basestring_ascii as _quoted

    _make_encoder = _make_scanner = None  # type: ignore[assignment,misc]


class _Strict:
    """The settings of the JSON scanner: plain values, no numbers outside of the JSON standard."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012

    @staticmethod
    def parse_constant(word: str) -> object:
        raise ValueError(word)


class _TwiceError(ValueError):
    """An object has a key twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _TwiceError(f"the key {name!r} occurs twice")
            seen.add(name)
    return record


class _Once(_Strict):
    """As _Strict, and each key once."""

    object_pairs_hook = staticmethod(_once)  # type: ignore[assignment]
    memo: dict[str, str] = {}  # noqa: RUF012


_scan: Callable[[str, int], tuple[Any, int]] | None = None
_scan_once: Callable[[str, int], tuple[Any, int]] | None = None
if _make_scanner is not None:
    _scan = _make_scanner(_Strict)  # type: ignore[arg-type]  # a class with these attributes is all that it asks
    _scan_once = _make_scanner(_Once)  # type: ignore[arg-type]


def loads(text: str | bytes) -> Any:
    """Return the value in the JSON `text`; ValueError if it is invalid or nested too deeply."""
    try:
        if _scan is not None:
            try:
                plain = (text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")).strip(" \t\n\r")
                value, end = _scan(plain, 0)
                if end == len(plain):
                    return value
            except (StopIteration, ValueError, SystemError):
                pass  # the last one is the scanner that finds no json package to take its error from
        import json

        # Odd text is judged there, and so is what is wrong with it.
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def fields_of(text: str | bytes) -> dict[str, Any]:
    """Return the fields of the JSON object in `text`; none if it is invalid or another value."""
    try:
        value = loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def unambiguous(text: str) -> Any:
    """Return the JSON value as `loads`; ValueError also for a duplicate key, which readers resolve differently."""
    if _scan_once is not None:
        try:
            plain = text.strip(" \t\n\r")
            value, end = _scan_once(plain, 0)
            if end == len(plain):
                return value
        except _TwiceError:
            raise
        except (StopIteration, ValueError, SystemError, RecursionError):
            pass  # as above
    import json

    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


_encoders: dict[tuple[str, str], Callable[[object, int], tuple[str, ...]]] = {}
"""One for each pair of separators: none keeps anything of what it has written."""


def dumps(value: object, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    """Return `value` as plain JSON without the json package, on one line if `indent` is None."""
    comma, colon = separators or (", " if indent is None else ",", ": ")
    if indent is None and _make_encoder is not None:
        encode = _encoders.get((comma, colon))
        if encode is None:
            encode = _make_encoder(None, _refuse, _quoted, None, colon, comma, False, False, False)
            _encoders[comma, colon] = encode
        return "".join(encode(value, 0))
    parts: list[str] = []
    _write(value, parts, comma, colon, "" if indent is None else "\n", " " * (indent or 0))
    return "".join(parts)


def _write(value: object, parts: list[str], comma: str, colon: str, line: str, step: str) -> None:
    if isinstance(value, str):
        parts.append(_quoted(value))
    elif value is None or value is True or value is False:
        parts.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, int):
        parts.append(int.__repr__(value))
    elif isinstance(value, float) and not value - value:  # neither infinite nor no number
        parts.append(float.__repr__(value))
    elif isinstance(value, dict):
        _write_pairs(value, parts, comma, colon, line, step)
    elif isinstance(value, list | tuple):
        _write_items(value, parts, comma, colon, line, step)
    else:
        _refuse(value)


def _refuse(value: object) -> None:
    raise TypeError(f"{type(value).__name__} is not a plain value")


def _write_pairs(value: Mapping[str, object], parts: list[str], comma: str, colon: str, line: str, step: str) -> None:
    deeper = line and line + step
    before = "{" + deeper
    for key, item in value.items():
        parts += (before, _quoted(key), colon)
        _write(item, parts, comma, colon, deeper, step)
        before = comma + deeper
    parts.append(line + "}" if value else "{}")


def _write_items(value: Sequence[object], parts: list[str], comma: str, colon: str, line: str, step: str) -> None:
    deeper = line and line + step
    before = "[" + deeper
    for item in value:
        parts.append(before)
        _write(item, parts, comma, colon, deeper, step)
        before = comma + deeper
    parts.append(line + "]" if value else "[]")


_MOST_DEPTH = 60
_MOST_BITS = 10_000
"""JSON knows longer numbers, and Python refuses to write them."""
_MOST_CHARS = 10_000
"""So much is kept of the words that stand for a value which JSON does not know."""
_STABLE_TYPES = (bytes, bytearray, range)
_STABLE_MODULES = ("datetime", "decimal", "fractions", "pathlib", "uuid")
"""The types and the modules whose values have the same words in each process: no address, no order of a set."""


def plain(value: Any, depth: int = 0, *, refuses: bool = False) -> Any:
    """Return the value if JSON has it, else a text for it: recording an event never fails because of its values.

    A set becomes a sorted list. With `refuses` the text is one that another process gives again: an enum's member
    stands for its value, a dataclass for its fields; TypeError names the type of a value without such a text.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value) if value.bit_length() < _MOST_BITS else f"a number of {value.bit_length():,} bits"
    if isinstance(value, float):
        return value if value - value == 0 else repr(value)  # JSON knows neither infinity nor NaN
    if depth < _MOST_DEPTH and isinstance(value, dict):
        return {_name(key, depth, refuses): plain(item, depth + 1, refuses=refuses) for key, item in value.items()}
    if depth < _MOST_DEPTH and isinstance(value, list | tuple | set | frozenset):
        items = [plain(item, depth + 1, refuses=refuses) for item in value]
        return items if isinstance(value, list | tuple) else sorted(items, key=dumps)
    if refuses and type(value) not in _STABLE_TYPES and type(value).__module__.partition(".")[0] not in _STABLE_MODULES:
        return _stable(value, depth)
    return _words(value)


def _stable(value: Any, depth: int) -> Any:
    """Return the same for the value in each process; TypeError if its text is not known to be the same."""
    from dataclasses import fields, is_dataclass
    from enum import Enum

    if isinstance(value, Enum):
        return plain(value.value, depth + 1, refuses=True)
    if is_dataclass(value) and not isinstance(value, type):
        shown = {
            field.name: getattr(value, field.name) for field in fields(value) if field.repr
        }  # others may be secret
        return plain(shown, depth, refuses=True)
    if isinstance(value, dict | list | tuple | set | frozenset):
        try:
            return _words(plain(value, refuses=True))  # deeper than the journal nests values
        except RecursionError:
            raise TypeError(f"{type(value).__qualname__}, nested too deeply") from None
    raise TypeError(type(value).__qualname__)


def _name(key: object, depth: int, refuses: bool) -> str:
    name = key if isinstance(key, str) else plain(key, depth + 1, refuses=refuses)
    return name if isinstance(name, str) else dumps(name) if isinstance(name, list) else _words(name)


def _words(value: object) -> str:
    try:
        return repr(value)[:_MOST_CHARS]
    except Exception:
        return f"<{type(value).__name__}>"
