"""References of entries, written as Obsidian's block references: ` ^t3fk`. Specified in docs/format/daily.md."""

from __future__ import annotations

from agentws.core.formats import digest

LETTERS = "bcdfghjklmnpqrstvwxyz"
SIGNS = LETTERS + "23456789"
"""No vowels, so that none spells a word; no 0 and 1, which look like letters."""
SHORTEST = 4
_LONGEST = 24
_CLOSES = "(closes "


def computed(path: str, day: str, text: str, *, length: int = SHORTEST) -> str:
    """Return the computed reference of a text on that day (or in that file), in `length` characters.

    A longer one begins with the shorter one. It does not change if the day's file is moved, or a box is ticked.
    """
    number = int(digest.of(f"{day or path}\0{text}".encode("utf-8", "surrogatepass")), 16)
    number, at = divmod(number, len(LETTERS))
    result = LETTERS[at]
    while len(result) < min(length, _LONGEST):
        number, at = divmod(number, len(SIGNS))
        result += SIGNS[at]
    return result


def written(text: str) -> str:
    """Return the reference at the end of a text's first line, before origin, tags and importance; else empty."""
    if "^" not in text:
        return ""
    for word in reversed(text.partition("\n")[0].split()):
        if word[0] == "^":
            return word[1:] if is_one(word[1:]) else ""
        if not is_behind(word):
            break
    return ""


def closes(text: str) -> tuple[str, ...]:
    """Return the references that the first line of a text closes: `(closes ^t3fk)`."""
    names: list[str] = []
    for piece in text.partition("\n")[0].split(_CLOSES)[1:]:
        inside = piece.partition(")")[0] if piece[:1] == "^" else ""
        names += [word[1:] for word in inside.replace(",", " ").split() if word[0] == "^" and is_one(word[1:])]
    return tuple(dict.fromkeys(names))


def is_one(text: str) -> bool:
    """Return whether `text` can be a reference: agentws's own, or another one that Obsidian reads."""
    return bool(text) and text.isascii() and text.replace("-", "a").isalnum()


def is_like_ours(text: str) -> bool:
    """Return whether `text` can be a reference computed by agentws."""
    return len(text) >= SHORTEST and text[0] in LETTERS and all(sign in SIGNS for sign in text)


def is_behind(word: str) -> bool:
    """Return whether a word may follow a reference in a line: `!7`, `#tag`, `(via tool:web)`."""
    return word in ("(via", "(closes") or word[0] in "!#^" or word[-1] == ")"
