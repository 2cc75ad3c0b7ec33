"""Who hears what a session says: its own people alone, or others too."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAIN, SHARED = "main", "shared"
"""The person whose agent it is; and a group, a channel, anybody."""
AUDIENCES = (MAIN, SHARED)


def narrower(*audiences: str | None) -> str:
    """Return what a reader may hear where several say so: each may only narrow, and a word nobody knows does."""
    return MAIN if all(one in (None, "", MAIN) for one in audiences) else SHARED


def more_private(audiences: Iterable[str | None]) -> str:
    """Return the audience of a thing that is made of several; what says nothing was said to the main one."""
    return SHARED if (known := list(audiences)) and all(one == SHARED for one in known) else MAIN


def may_hear(reader: str, audience: str | None) -> bool:
    """Return whether a reader of this audience may be told what was said to `audience`."""
    return reader == MAIN or audience == SHARED
