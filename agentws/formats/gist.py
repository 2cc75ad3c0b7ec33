"""What an event says, in one short line: for lists and tables, where the whole body would be too long."""

from __future__ import annotations

from agentws.formats import origin, plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGEST = 120
_MARK = "…"
_STRUCTURAL = ("v", "call", "tool", "task", "importance", "blob", "size")
"""Keys of a body that say where it belongs, not what it says."""


def of(body: Mapping[str, Any] | None, *, longest: int = LONGEST) -> str:
    """The tool, then the text or else the content of a body, cut at `longest` characters."""
    if body is None:
        return "(purged)"
    tool = body.get("tool")
    words = [tool] if isinstance(tool, str) else []
    content = text(body)
    if content:
        words.append(content)
    return cut(" ".join(words), longest)


def text(body: Mapping[str, Any]) -> str:
    """What a body says in words: its text, else its input or output, else all that stands in it."""
    for name in ("text", "input", "output"):
        if body.get(name) is not None:
            return shown(body[name])
    if is_blob(body):
        return f"({body['size']:,} bytes)"
    rest = {key: value for key, value in body.items() if key not in _STRUCTURAL}
    return shown(rest) if rest else ""


def is_blob(body: Mapping[str, Any]) -> bool:
    """True where the complete body lies in a blob, which `blob` names."""
    name, size = body.get("blob"), body.get("size")
    named = isinstance(name, str) and len(name) == 64 and not name.strip("0123456789abcdef")
    return named and type(size) is int


def shown(value: object) -> str:
    """A JSON value as one reads it: a text as it is, a single entry by itself, else compact JSON."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else plainjson.dumps(value, separators=(",", ":"))


def cut(words: str, longest: int = LONGEST) -> str:
    """The words on one line, cut where they are too long; their origin is kept."""
    # What is cut off anyway is not looked at: a body may have megabytes.
    line = " ".join(words[: longest * 4].split())
    if len(line) <= longest:
        return line
    ending = origin.ending(origin.within(words))
    return line[: max(0, longest - 1 - len(ending))].rstrip() + _MARK + ending
