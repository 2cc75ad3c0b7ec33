"""Audiences of sessions and entries: `main` (the agent's own people) or `shared` (others listen)."""

from __future__ import annotations

MAIN, SHARED = "main", "shared"
"""The person whose agent it is; and a group, a channel, anybody."""
AUDIENCES = (MAIN, SHARED)


def narrower(*audiences: str | None) -> str:
    """Return the narrowest of several audiences; an unknown word counts as `shared`."""
    return MAIN if all(audience in (None, "", MAIN) for audience in audiences) else SHARED


KEY = "audience"
"""The key for the audience, in the body of `session.started` and in headers of handoffs, tasks and contexts."""
TAG = "shared"
"""The tag at the end of the first line of an entry that a shared session logged."""


def of_value(value: object) -> str:
    """Return the audience that a header or body field holds: `shared`, else `main`."""
    return SHARED if isinstance(value, str) and value.strip().lower() == SHARED else MAIN


def of_entry(first_line: str) -> str:
    """Return the audience of a log entry from its first line: the tag counts only among the marks at its end."""
    words = first_line.split()
    if len(words) > 2 and words[-2] == "(via" and words[-1].endswith(")"):
        del words[-2:]
    while words and words[-1][0] in "#!^":
        if words.pop() == f"#{TAG}":
            return SHARED
    return MAIN
