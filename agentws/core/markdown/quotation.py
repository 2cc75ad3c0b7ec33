"""Quotes text from outside for boot: each line becomes a quotation that begins with its origin. Pure."""

from __future__ import annotations

from agentws.core.markdown import escape, markdown, outside

_BOXES = ("[ ]", "[x]", "[X]", "[~]", "[-]", "☐", "⬜")


def of(text: str, *, day: str = "") -> tuple[str, frozenset[int]]:
    """Return `text` with all lines from outside quoted, and which lines these are, 0-based; each stays one line.

    `day` (ISO) is the day of a log: `> (tool:web, 11-20 09:14) text`.
    """
    stretches = outside.stretches(text)
    if not stretches:
        return text, frozenset()
    lines = text.split("\n")
    for stretch in stretches:
        first = lines[stretch.start]
        indent = first[: len(first) - len(first.lstrip(" \t"))]
        is_quote = first.startswith(f"{indent}>")  # as a document holds what is from outside
        for at in range(stretch.start, stretch.end):
            if lines[at].strip():
                body = lines[at].strip().removeprefix(">") if is_quote else lines[at]
                lines[at] = indent + _quoted(body, stretch.src, day if at == stretch.start else "")
    return "\n".join(lines), frozenset(at for stretch in stretches for at in range(stretch.start, stretch.end))


def is_quoted(line: str) -> bool:
    """Return whether a line of boot's content was quoted here: content that merely looks so is escaped."""
    return "> (" in line and line.lstrip(" ").startswith("> (")


def _quoted(line: str, src: str, day: str) -> str:
    body = line[markdown.marker(line) :].strip()
    at = body.rfind(f"(via {src})")
    if at >= 0:
        body = f"{body[:at].rstrip()}{body[at + len(src) + 6 :]}"
    time = body[:5] if _is_time(body[:6]) else ""
    when = " ".join(filter(None, (day[5:], time)))
    body = body[len(time) :].lstrip()
    if body.startswith((">", *_BOXES)):
        body = f"\\{body}"
    return f"> ({src}{', ' if when else ''}{when}) {escape.by(src, body)}".rstrip()


def _is_time(text: str) -> bool:
    return text[2:3] == ":" and (text[:2] + text[3:5]).isdecimal() and len(text) >= 5 and not text[5:].strip()
