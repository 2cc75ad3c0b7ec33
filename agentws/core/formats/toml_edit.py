"""Reads TOML files such as the manifest, and sets one value without changing another line. Pure."""

from __future__ import annotations

from agentws.errors import DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Value = str | int | float | bool | list[str]


_MOST_DOTS = 1000
"""In one line: each dot of a dotted key costs a reader the ones before it."""


def table(text: str) -> dict[str, Any]:
    """Return the values in a TOML text; ValueError if it is unreadable."""
    import tomllib

    if any(map(_has_long_key, text.split("\n"))):
        raise ValueError("a line contains too many dots")
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _has_long_key(line: str) -> bool:
    """Return whether the line may set a key of very many parts. Dots within quotes do not count."""
    if line.count(".") <= _MOST_DOTS:
        return False
    pieces = [piece.strip() for piece in line.replace("'", '"').split('"')]
    between = sum(piece.count(".") for piece in pieces if piece[:1] == "." or piece[-1:] == ".")
    return max(between, *(piece.count(".") for piece in pieces), 0) > _MOST_DOTS


def line_of(text: str, key: str) -> int:
    """Return the TOML line (from 1) that sets `key` (`section.name`): in its section, else the first one, else 1."""
    section, _, name = key.rpartition(".")
    lines = text.split("\n")
    start, end = _section(lines, section)
    numbers = [number for number, line in enumerate(lines) if line.split("=", 1)[0].strip().strip("\"'") in (name, key)]
    inside = [number for number in numbers if start < number < end]
    return [*inside, *numbers, 0][0] + 1


def with_value(text: str, key: str, value: Value, *, where: str) -> str:
    """Return the TOML text with `key` (`section.name`) set by splicing; DamagedError if that is unsafe.

    Sections of several parts (`section.part.name`) work too, and a `name` above all sections.
    """
    from agentws.core.markdown import markdown

    section, _, name = key.rpartition(".")
    newline = "\r\n" if "\r\n" in text else "\n"
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    lines = markdown.lines_of(text.removeprefix(bom))
    start, end = _section(lines, section)
    setting = f"{name} = {literal(value)}"
    is_there = start >= 0 or not section
    at, behind, comment = _assignment(lines, start + 1, end, name) if is_there else (len(lines), len(lines), "")
    if at < behind:
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        line_end = lines[behind - 1][len(lines[behind - 1].rstrip("\r\n")) :]
        new = [f"{indent}{setting}{comment}{line_end}"]
    else:
        new = [] if is_there else [*([newline] if lines else []), f"[{section}]{newline}"]
        new.append(f"{setting}{newline}")
        if at and not lines[at - 1].endswith("\n"):
            lines[at - 1] += newline
    spliced = bom + "".join([*lines[:at], *new, *lines[behind:]])
    try:
        before, after = table(text), table(spliced)
        place = before
        for part in filter(None, section.split(".")):
            place = place.setdefault(part, {})
        place[name] = value
        done = before == after
    except (ValueError, TypeError):
        done = False  # the section is written in another way: as a dotted key, an inline table, no table at all
    if not done:
        raise DamagedError(
            f"{where}: {key} could not be set without changing other lines.", hint="Set the value in an editor."
        )
    return spliced


def literal(value: Value) -> str:
    """Return the value as TOML writes it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    shown = "".join(escapes.get(char, char if char.isprintable() else f"\\U{ord(char):08x}") for char in value)
    return f'"{shown}"'


def _section(lines: list[str], section: str) -> tuple[int, int]:
    """Return (index of the header line, index after the section), (-1, -1) without one.

    Text above all sections has no header: (-1, index of the first one).
    """
    if not section:
        return -1, next((index for index, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    for index, line in enumerate(lines):
        if line.split("#", 1)[0].strip() == f"[{section}]":
            for end in range(index + 1, len(lines)):
                if lines[end].lstrip().startswith("["):
                    return index, end
            return index, len(lines)
    return -1, -1


def _assignment(lines: list[str], start: int, end: int, name: str) -> tuple[int, int, str]:
    """Return (first line, line after it, comment) of `name = …` in a section; an empty range at its end if missing."""
    for index in range(start, end):
        key, equals, value = lines[index].partition("=")
        if key.strip() == name and equals:
            count, comment = extent([value, *lines[index + 1 : end]])
            return index, index + count, comment
    last = end
    while last > start and not lines[last - 1].strip():
        last -= 1
    return last, last, ""


def extent(lines: list[str]) -> tuple[int, str]:
    """Return how many of the TOML `lines` the first value takes, and the comment after it (with the space before)."""
    quote, depth = "", 0
    for number, line in enumerate(lines, 1):
        at = 0
        while at < len(line):
            char = line[at]
            if quote:
                if char == "\\" and quote[0] == '"':
                    at += 1
                elif line.startswith(quote, at):
                    at += len(quote) - 1
                    quote = ""
            elif char in "\"'":
                quote = char * 3 if line.startswith(char * 3, at) else char
                at += len(quote) - 1
            elif char == "#":
                break
            else:
                depth += (char in "[{") - (char in "]}")
            at += 1
        if depth <= 0 and len(quote) < 3:
            value = line[:at].rstrip()
            return number, line[len(value) :].rstrip("\r\n") if line[at : at + 1] == "#" else ""
    return len(lines), ""
