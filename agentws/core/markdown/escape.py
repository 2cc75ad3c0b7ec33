"""Escapes marks in text with a backslash, as Markdown does, so that they are plain text. See docs/format/daily.md.

No reader takes an escaped mark for one. `forget` and Markdown readers see the text without the backslash. A text that
becomes a heading is checked instead: one line that reads back as it was given.
"""

from __future__ import annotations

from agentws.core.text import origin
from agentws.core.text.lazy import Pattern
from agentws.core.text.sanitize import inert
from agentws.errors import UsageError

_ORIGIN = r"(?<!\\)\((?=via (?:user|agent|unknown|import|other|tool|net)[:)])"
_OWN_IN_CODE = Pattern(_ORIGIN)
"""In code a caret is one: `grep foo ^bar`."""
_OWN = Pattern(
    rf"{_ORIGIN}"
    r"|(?<![^\s(])\^(?=[A-Za-z0-9][A-Za-z0-9-]*+\)?+(?:[ \t]++[!#]\S*+)*+[ \t]*+$)"
    r"|(?<=\(closes )\^",
    "MULTILINE",
)
"""An origin, a reference that ends a line, and one that is closed: only agentws writes them. `(via Rome)` and
`grep ^foo x` are none.
"""
_ALL = Pattern(
    r"(?<!\\)\((?=via [^\s()])|(?<![^\s(])\^(?=[A-Za-z0-9])"
    r"|(?<!\\)\[(?=[a-z][a-z0-9_-]{1,23}\](?!\((?!via )))"
    r"|(?<!\S)!(?=(?:10|[1-9])(?!\S))"
    r"|(?<!\S)#(?!(?i:private)(?![^\s/]))(?=[^\s#]*[^\W\d])"
    r"|(?<!\\)<(?=!--)"
)
"""These, and kind, importance, tags and comments. `#private` stays a tag, since it only narrows the audience."""
_SIGNS = ("(via ", "^", "[", "!", "#")


def by(source: str | None, text: str) -> str:
    """Return the text as a file may hold it from this source: marks that the source may not set are escaped."""
    if origin.is_outside(source):
        return _ALL.sub(r"\\\g<0>", text) if any(sign in text for sign in _SIGNS) else text
    if "^" in text and ("```" in text or "~~~" in text):
        return _around_code(text)
    return _OWN.sub(r"\\\g<0>", text) if "(via " in text or "^" in text else text


def _around_code(text: str) -> str:
    """Return the agent's own text with references escaped outside of closed fences.

    A fence at the beginning of the text does not count: in a log it follows a bullet and the time.
    """
    from agentws.core.markdown import inset

    result = ""
    for block, is_fenced in inset.blocks(text):
        result += (_OWN_IN_CODE if is_fenced and result else _OWN).sub(r"\\\g<0>", block)
    return result


def signed(source: str | None, text: str) -> str:
    """Return the text escaped, its first line ending in `(via …)` if it comes from outside."""
    escaped = by(source, text)
    mark = origin.mark(source)
    if not mark or not escaped.strip():
        return escaped
    first, newline, rest = escaped.strip().partition("\n")
    return f"{first.rstrip()} (via {mark}){newline}{rest}"


def quoted(source: str | None, text: str) -> str:
    """Return the text escaped; one from outside becomes a single quotation.

    A quotation has no headings or boxes, and does not end before its last line.
    """
    if not origin.mark(source) or not text.strip():
        return by(source, text)
    lines = signed(source, text.replace("\r\n", "\n")).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


LONGEST_HEADING_CHARS = 200


def check_heading(text: str, *, what: str) -> None:
    """Raise UsageError if a heading is empty, has several lines or is too long; the error calls it `what`."""
    title = text.strip()
    if not title.strip("# \t"):
        raise UsageError(f"{what} is empty.", hint="Write at least one word.")
    if "\n" in title or "\t" in title or inert(title) != title:
        raise UsageError(f"{what} contains a line break or a control character.", hint=f"Give {what} on one line.")
    if len(title) > LONGEST_HEADING_CHARS:
        raise UsageError(
            f"{what} has {len(title):,} characters, {LONGEST_HEADING_CHARS} at most.", hint="Shorten the text."
        )
