"""Reads and writes simple front matter without YAML: most headers, and all that agentws writes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = str | list["Value"] | dict[str, "Value"]

_FENCE = "---"
_MOST_LINES = 64
_LONGEST_KEY = 64
_QUOTES = "\"'"
_USUAL = {"status", "created", "updated", "priority", "session", "title", "step", "labels", "waiting_on"}
"""Keys that need no closer look."""
_WIDTH = 80
_NO_WORDS = {"no", "on", "yes", "off", "true", "false", "null", "nan", "inf", "infinity"}
"""Of two letters and more, what some loader takes for something else than a text."""
_LEAST_LETTERS = 2
_LEAST_DASHES = 3
"""A date has two; no number has any inside but for an exponent."""
_MOMENT = "0000-00-00T00:00:00+00:00"


def fields(lines: Sequence[str]) -> dict[str, Value] | None:
    """Return the fields of a plain header, given as lines with both fences, exactly as YAML reads them.

    None if the header has to be parsed in full.
    """
    if not 2 < len(lines) <= _MOST_LINES or lines[0].rstrip("\r\n") != _FENCE or lines[-1].rstrip("\r\n") != _FENCE:
        return None
    result: dict[str, Value] = {}
    for line in lines[1:-1]:
        field = _field(line)
        if field is None or field[0] in result:
            return None
        result[field[0]] = field[1]
    return result


def _field(line: str) -> tuple[str, Value] | None:
    """The key and the value of a line; None if telling them takes more."""
    key, colon, rest = line.partition(": ")
    # Most lines are such that nothing needs to be taken off: of many tasks this is half of what reading costs.
    if key in _USUAL and _is_plain(rest) and rest[-1] != " ":
        return key, rest
    key, colon, rest = line.removesuffix("\n").removesuffix("\r").partition(":")
    value = _value(rest.strip(" ")) if colon and rest[:1] in ("", " ") else None
    return None if value is None or not (key in _USUAL or _is_key(key)) else (key, value)


def _is_key(text: str) -> bool:
    word = text.replace("_", "a").replace("-", "a")
    return word.isascii() and word.isalnum() and text[0].isalpha() and len(text) <= _LONGEST_KEY


def _value(text: str) -> Value | None:
    """Return the value in a one-line field that needs no unescaping; None for any other."""
    if not text:
        return ""
    if not text.isprintable():
        return None
    if text[0] in _QUOTES:
        inner = text[1:-1]
        whole = len(text) > 1 and text[-1] == text[0]
        return inner if whole and text[0] not in inner and "\\" not in inner else None
    if text[0] == "[":
        items = [item.strip(" ") for item in text[1:-1].split(",")]
        return [*items] if text[-1] == "]" and all(map(_is_word, items)) else None
    return text if _is_plain(text) else None


def _is_plain(text: str) -> bool:
    return text[:1].isalnum() and text.isprintable() and ": " not in text and " #" not in text and text[-1] != ":"


def _is_word(text: str) -> bool:
    return text[:1].isalnum() and all(char.isalnum() or char in " _-./" for char in text)


def written(fields: Mapping[str, Value]) -> list[str] | None:
    """Return the lines of a plain header with these fields, byte for byte as PyYAML writes them.

    None if only YAML can write them.
    """
    parts = [_written(key, value) for key, value in fields.items()]
    lines = [_FENCE, *filter(None, parts), _FENCE]
    return lines if len(lines) == len(fields) + 2 <= _MOST_LINES else None


def _written(key: str, value: Value) -> str:
    if isinstance(value, list):
        text = f"[{', '.join(item for item in value if isinstance(item, str))}]"
        is_sure = bool(value) and all(isinstance(item, str) and _is_text(item) for item in value)
    else:
        text = value if isinstance(value, str) else ""
        is_sure = _is_text(text) or _is_moment(text)
    line = f"{key}: {text}"
    return line if is_sure and _is_letters(key) and len(line) <= _WIDTH else ""


def _is_text(text: str) -> bool:
    """Return whether every YAML loader reads the value as text: letters, a name in pieces, an id, a date and more."""
    if _is_letters(text):
        return True
    return text.count("-") >= _LEAST_DASHES and text[0].isalnum() and text.isascii() and text.replace("-", "").isalnum()


def _is_letters(text: str) -> bool:
    word = text.replace("_", "")
    is_plain = word.isascii() and word.isalpha() and text[0].isalpha()
    return is_plain and len(word) >= _LEAST_LETTERS and word.lower() not in _NO_WORDS


def _is_moment(text: str) -> bool:
    """Return True for a moment as we write it, which loaders take for that moment."""
    shape = "".join("0" if char.isascii() and char.isdigit() else char for char in text)
    if shape not in (_MOMENT, _MOMENT.replace("+", "-")):
        return False
    from datetime import datetime

    try:
        return datetime.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
