"""The check box of an item: split off from the text, and which of two states wins in a merge."""

from __future__ import annotations

from agentws.core.markdown import markdown

_STATES = ("[ ]", "[~]", "[-]", "[x]", "[X]")
"""States of a box; later ones win."""
_TICKED = ("[x]", "[X]")
_CROSS = " ❌"
_EMPTY = "[ ]"


def split(text: str) -> tuple[str, str, str]:
    """Return the text before the check box of an item, the box (with a ❌ behind it), and the rest; or "", "", text."""
    if "[" not in text:
        return "", "", text
    width = markdown.marker(text)
    rest = text[width:]
    body = rest.lstrip(" \t")
    state = body[:3]
    if not width or state not in _STATES:
        return "", "", text
    if state in _TICKED and body.startswith(_CROSS, 3):
        state += _CROSS
    return text[: width + len(rest) - len(body)], state, body[len(state) :]


def plain(text: str) -> str:
    """Return the text of an item with its check box emptied, if it has one."""
    before, state, rest = split(text)
    return f"{before}{_EMPTY}{rest}" if state else text


def weight(text: str) -> tuple[int, str]:
    """Return the weight of an item by its check box: a closed item wins over an open one."""
    state = split(text)[1]
    rank = len(_STATES) if state.endswith(_CROSS) else _STATES.index(state) if state else -1
    return rank, text


def says_otherwise(name: str, other: str) -> bool:
    """Return whether the check box states of two items contradict each other: done is not dropped."""
    states = {split(text)[1].lower() for text in (name, other)}
    return len(states) > 1 and all(state not in ("", _EMPTY) for state in states)
