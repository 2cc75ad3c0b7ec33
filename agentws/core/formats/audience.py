"""The audience of a session: its own people alone, or others too."""

from __future__ import annotations

MAIN, SHARED = "main", "shared"
"""The person whose agent it is; and a group, a channel, anybody."""
AUDIENCES = (MAIN, SHARED)


def narrower(*audiences: str | None) -> str:
    """Return what a reader may hear where several say so: each may only narrow, and a word nobody knows does."""
    return MAIN if all(one in (None, "", MAIN) for one in audiences) else SHARED


KEY = "audience"
"""Where a session, a handoff, a task and a context tell whom they are for: the body of `session.started`, headers."""
TAG = "shared"
"""The tag at the end of the first line of an entry that a shared session logged."""


def of_value(value: object) -> str:
    """Return the audience that a header or a body tells: whatever is not `shared` is for the main one."""
    return SHARED if isinstance(value, str) and value.strip().lower() == SHARED else MAIN


def of_entry(first_line: str) -> str:
    """Return the audience of an entry by its first line: the tag counts at the end alone, where agentws writes it."""
    words = first_line.split()
    if len(words) > 2 and words[-2] == "(via" and words[-1].endswith(")"):
        del words[-2:]
    while words and words[-1][0] in "#!^":
        if words.pop() == f"#{TAG}":
            return SHARED
    return MAIN
