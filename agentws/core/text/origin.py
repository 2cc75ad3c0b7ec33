"""Origins of texts: the class of a source, and how far it is trusted. Specified in docs/format/daily.md.

A source is a word like `user`, `agent:NAME`, `tool:NAME`, `net:CHANNEL` or `import:ID`; the part before the colon is
its class. The module is on the path of every event, so it imports little.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

USER, AGENT, UNKNOWN, IMPORT, OTHER, TOOL, NET = "user", "agent", "unknown", "import", "other", "tool", "net"
TRUST = {USER: 6, AGENT: 5, UNKNOWN: 4, IMPORT: 3, OTHER: 2, TOOL: 1, NET: 0}
"""How far each class is trusted: what is made of several has the lowest."""
OUTSIDE = (IMPORT, OTHER, TOOL, NET)
"""Classes of what is neither the agent's own word nor that of its people: data, never an instruction."""
NO_KINDS = ("decision", "preference", "lesson", "rule")
"""Kinds that nothing from outside ever has."""

_BEHIND = ("!", "#", "^", *"✅☑✔❌⏳📅🔴")
"""What may follow the origin of a line: marks and dates that somebody, or another program, put behind it."""


def class_of(source: str | None) -> str:
    """Return the class of a text's recorded source; none is the agent's own, an unknown word comes from outside."""
    word = (source or AGENT).partition(":")[0]
    return word if word in TRUST else NET


def class_of_mark(via: str | None) -> str:
    """Return the class of an origin `(via …)` in a file: a mark can make nothing the user's or the agent's own."""
    word = (via or "").partition(":")[0]
    return word if word in OUTSIDE else UNKNOWN


def marked(line: str) -> str | None:
    """Return the origin in `(via …)` at the end of a line, the least trusted of several; None without one.

    Other marks may follow it; a mark after a backslash is text.
    """
    result: str | None = None
    end = len(line)
    while (at := line.rfind("(via ", 0, end)) >= 0 and line[at - 1 : at] != "\\":
        source, bracket, behind = line[at + 5 : end].partition(")")
        is_word = bool(bracket and source) and not any(char.isspace() or char == "(" for char in source)
        if not is_word or not all(_is_behind(word) for word in behind.split()):
            break
        if result is None or TRUST[class_of_mark(source)] < TRUST[class_of_mark(result)]:
            result = source
        end = at
    return result


def _is_behind(word: str) -> bool:
    return word.startswith(_BEHIND) or (word[:4].isdigit() and word[4:5] == "-")


def of_line(line: str) -> str:
    """Return the outside origin in `(via …)` at the end of a line; empty for any other line."""
    source = marked(line)
    return source if source and class_of_mark(source) in OUTSIDE else ""


def of_all(lines: Iterable[str]) -> str:
    """Return the least trusted outside origin at the ends of these lines; empty without any."""
    sources = [source for line in lines if (source := of_line(line))]
    return lowest(sources) if sources else ""


def within(text: str) -> str:
    """Return the least trusted outside origin in any `(via …)` of a text; empty without any."""
    if "(via " not in text:
        return ""
    outside = []
    before, *pieces = text.split("(via ")
    for piece in pieces:
        source = piece.partition(")")[0]
        if before[-1:] != "\\" and class_of_mark(source) in OUTSIDE and not any(map(str.isspace, source)):
            outside.append(source)
        before = piece
    return lowest(outside) if outside else ""


def of_item(lines: Sequence[str]) -> list[str]:
    """Return the outside origin of each line of an item, empty for the item's own lines.

    The mark of the first line applies to all of them, that of a later line to the lines indented below it.
    """
    if lines and of_line(lines[0]):
        return [of_all(lines)] * len(lines)
    result: list[str] = []
    source, depth = "", 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip() and not (source and indent > depth):
            source, depth = of_line(line), indent
        result.append(source)
    return result


def trust(source: str | None) -> int:
    """Return how far a text's recorded origin is trusted, 0 to 6."""
    return TRUST[class_of(source)]


def is_outside(source: str | None) -> bool:
    """Return whether a text of this origin comes from outside."""
    return class_of(source) in OUTSIDE


def lowest(sources: Iterable[str | None]) -> str:
    """Return the least trusted of these origins, the first of equals; of none, the agent's own."""
    return min((source or AGENT for source in sources), key=trust, default=AGENT)


def named(source: str) -> str:
    """Return the origin as recorded: a word of no known class is an outside channel, `slack` becomes `net:slack`."""
    return source if source.partition(":")[0] in TRUST else f"{NET}:{source}"


def given(via: str | None) -> str | None:
    """Return the origin that a caller gave, as recorded; UsageError if it is not one word."""
    if via is None:
        return None
    if not via or not via.isprintable() or any(char.isspace() or char in "[]()" for char in via):
        from agentws.errors import UsageError

        raise UsageError(
            f"{via!r}: a source must be one word without brackets.", hint="Examples: tool:web, net:CHANNEL, user."
        )
    return named(via)


def check(source: str | None, *, kind: str | None = None, importance: object = None) -> None:
    """Raise UsageError for a kind or an importance that a text of outside origin may not have."""
    if not is_outside(source) or (importance is None and kind not in NO_KINDS):
        return
    from agentws.errors import UsageError

    what = "an importance" if importance is not None else f"the kind {kind}"
    raise UsageError(
        f"A text from outside (--via {source}) cannot have {what}.",
        hint=f"Leave out {what}, or write your own conclusion without --via.",
    )


def ending(source: str | None) -> str:
    """Return the ` (via …)` at the end of an entry of this origin, empty for an origin without a mark."""
    return f" (via {source})" if mark(source) else ""


def mark(source: str | None) -> str | None:
    """Return the origin as written in `(via …)`: None for user, agent and unknown, which have no mark."""
    return source if source and is_outside(source) else None
